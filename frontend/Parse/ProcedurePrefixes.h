// The ATTRIBUTES prefixes of procedures.
#pragma once

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes one prefix of several: `attributes(host) attributes(device)` means `attributes(host,device)`, and Flang stops
/// with an internal error when it meets a second one. Run it before names are resolved.
void joinAttributes(Fortran::parser::Program &program);

} // namespace cufort::frontend
