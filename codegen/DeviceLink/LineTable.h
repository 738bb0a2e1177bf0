// The lines of the sources that the code of the emulated device comes from, for reports of the runtime.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Where CufortImage::emuCode is, and the section of the object that holds the CufortLineTable, at first an empty one.
inline constexpr llvm::StringLiteral lineTableAnchor = "cufort.emulated.code";
inline constexpr llvm::StringLiteral lineTableSection = "cufort_lines";

/// Fills in the CufortLineTable of `object` from the line table for debuggers, which is kept out of the program unless
/// there is more for debuggers in the object. Does nothing if the object has no image.
llvm::Error addLineTable(llvm::SmallVector<char, 0> &object);

} // namespace cufort::codegen
