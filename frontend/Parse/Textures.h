// Texture pointers.
#pragma once

#include <string>
#include <vector>

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes device pointers of the texture pointers in `program`: a read through a texture gives what the memory holds,
/// and CUDA 12 has no textures of this kind any more. Run it before names are resolved. Returns the names that lowering
/// gives to the texture pointers of modules.
std::vector<std::string> replaceTextures(Fortran::parser::Program &program);

} // namespace cufort::frontend
