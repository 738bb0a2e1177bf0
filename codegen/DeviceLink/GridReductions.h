// Reductions of a kernel over the grid, side by side.
#pragma once

namespace llvm {
class Module;
}

namespace cufort::codegen {

/// Takes the reductions that kernels of `module` have, calls of __cufx_grid_reduce_KIND_TYPE one behind the other,
/// apart into the steps of the GPU's device library, so that the grid waits for its last block once, and not for each
/// of them. Before the device library is linked.
void joinGridReductions(llvm::Module &module);

} // namespace cufort::codegen
