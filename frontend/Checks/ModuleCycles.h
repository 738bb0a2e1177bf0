// Modules that use themselves.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Reports the modules of `program` that use themselves, directly or through others of the same source, and returns
/// true if there are none. Flang leaves such modules out of its analysis. Run it before names are resolved.
bool checkModuleCycles(const Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
