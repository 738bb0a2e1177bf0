// Calls of generic names that no specific procedure fits.
#pragma once

namespace Fortran::parser {
class Message;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// True if `message` is Flang's error for such a call.
bool isAboutGenericName(const Fortran::parser::Message &message);

/// Leaves of what Flang says about the specific procedures of a generic name the part about those that come nearest to
/// a call. If that is a single one, the error points at the first argument that does not fit it. Run it behind
/// explainCallErrors.
void explainByNearestProcedure(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
