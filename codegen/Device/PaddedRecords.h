// Copies of records that have bytes between their components.
#pragma once

namespace llvm {
class Module;
}

namespace cufort::codegen {

/// Has records with padding loaded and stored component by component, as LLVM does for those without. What is not read
/// of a loaded record is then not loaded, and what goes back unchanged to where it came from is not stored.
void splitPaddedRecords(llvm::Module &module);

} // namespace cufort::codegen
