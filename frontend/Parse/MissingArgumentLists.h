// Functions of the CUDA runtime that are called without an argument list.
#pragma once

namespace Fortran::parser {
class Messages;
struct Program;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Gives `istat = cudaDeviceSynchronize`, and the like, the empty argument list that it lacks, with one warning. Other
/// compilers take it for a call; Flang has an error for it. Run it before names are resolved.
void addMissingArgumentLists(Fortran::parser::Program &program, Fortran::parser::Messages &messages);

} // namespace cufort::frontend
