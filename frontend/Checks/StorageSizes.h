// NUMERIC_STORAGE_SIZE where default integers and reals have different sizes.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Puts Flang's warning that this constant means nothing with options such as -i8 at the name in the source, and takes
/// it out if there is no such name: Flang warns of every USE of ISO_FORTRAN_ENV. Call it when the analysis has ended.
void placeStorageSizeWarning(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);

} // namespace cufort::frontend
