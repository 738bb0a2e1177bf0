// Attributes of CUDA Fortran that say something twice, or of nothing.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Adds an error to `messages` for ATTRIBUTES(...) without the names of variables, and for an empty ATTRIBUTES() of a
/// procedure, and a warning where a declaration has an attribute twice. Run it before names are resolved.
void checkAttributes(const Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
