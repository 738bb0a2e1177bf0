// Sections of an object file (ELF, x86-64) that are changed after it has been made.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Gives section `name` of `object` other contents. Its address in the object becomes a multiple of `alignment`. Error:
/// there is no such section.
llvm::Error replaceSection(llvm::SmallVector<char, 0> &object, llvm::StringRef name, llvm::StringRef contents,
                           unsigned alignment);

/// Makes linkers leave out the sections of `object` with names that begin with `prefix`, and their relocations.
void excludeSections(llvm::SmallVector<char, 0> &object, llvm::StringRef prefix);

} // namespace cufort::codegen
