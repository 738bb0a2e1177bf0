// Device code as LLVM IR.
#pragma once

#include "codegen/Device/DeviceModule.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace cufort::codegen {

/// Marks the kernels among the functions of an emulated device module.
inline constexpr llvm::StringLiteral kernelFunctionAttribute = "cufx-kernel";

/// The most threads that a block of such a kernel may have, from launch_bounds.
inline constexpr llvm::StringLiteral maxThreadsFunctionAttribute = "cufx-max-threads";

/// The blocks of a cluster of such a kernel, from cluster_dims: "2,1,1".
inline constexpr llvm::StringLiteral clusterFunctionAttribute = "cufx-cluster";

/// Of a kernel for GPUs, the parameters that are descriptors of arrays which nothing changes while it runs: "0,2".
inline constexpr llvm::StringLiteral readOnlyFunctionAttribute = "cufx-read-only";

/// Of a kernel for GPUs, its parameters that are descriptors of arrays, with the bytes of an element: "0:4,2:16".
inline constexpr llvm::StringLiteral elementBytesFunctionAttribute = "cufx-element-bytes";

/// Of a kernel for GPUs, the strides that it gets twice, as cufx::stridesAttribute has them.
inline constexpr llvm::StringLiteral stridesFunctionAttribute = "cufx-strides";

/// Of a kernel for GPUs, the extents of the blocks that the source launches it with, if they are constants: "32,8,1".
inline constexpr llvm::StringLiteral blockShapeFunctionAttribute = "cufx-block-shape";

/// Of a kernel with that attribute: blocks for short rows have other shapes.
inline constexpr llvm::StringLiteral usualBlockFunctionAttribute = "cufx-usual-block";

/// Returns the LLVM dialect module `device` as LLVM IR that is ready to be linked with other device code, or null
/// after a diagnostic. Every function and call that may wait for other threads is convergent.
std::unique_ptr<llvm::Module> translateDeviceModule(mlir::ModuleOp device, llvm::LLVMContext &context,
                                                    llvm::TargetMachine &machine);

/// Moves the variables of a GPU module from the generic address space to that of constant memory, for those that
/// `isConstant` names, or of global memory. The back end would do the latter too, but forget what is said of them.
void placeVariables(llvm::Module &module, llvm::function_ref<bool(llvm::StringRef)> isConstant);

/// Puts a variable of a GPU module into managed memory, which the host reaches by the same address.
void markManaged(llvm::GlobalVariable &variable);

/// Gives functions that came from elsewhere (libraries) the form of device code: no attributes of the host CPU,
/// convergent, no unwinding.
void normaliseDeviceFunctions(llvm::Module &module);

} // namespace cufort::codegen
