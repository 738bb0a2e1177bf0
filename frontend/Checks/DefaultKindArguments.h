// Arguments of default kinds, which options change.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Modules cudadevice, cooperative_groups and cutensorex have integers and logicals of 4 bytes for lanes, masks, ranks,
/// counts and dimensions. With -i8 and -i2, which give constants and conditions another kind, these arguments become
/// int(argument, 4) and logical(argument, 4). The names of `program` are resolved, and its expressions not yet analysed.
void convertDefaultKindArguments(Fortran::semantics::SemanticsContext &context, Fortran::parser::Program &program);

} // namespace cufort::frontend
