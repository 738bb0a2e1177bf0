// From symbols back to the names in the source.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cufort::codegen {

/// Returns the name that the user gave the procedure or variable with the symbol `symbol`.
std::string sourceName(llvm::StringRef symbol);

/// Returns the name of the module to which `symbol` belongs; empty if it belongs to none.
std::string sourceModule(llvm::StringRef symbol);

/// Returns how messages call the kernel with the symbol `symbol`: `kernel 'module::name'`, or the number of a CUF
/// kernel in its procedure.
std::string kernelName(llvm::StringRef symbol);

/// Returns how messages call the procedure of device code with the symbol `symbol`: `'module::name'`, or as kernelName
/// does.
std::string procedureName(llvm::StringRef symbol);

/// Returns `text` with the names of the user in place of Flang's symbols.
std::string withSourceNames(llvm::StringRef text);

} // namespace cufort::codegen
