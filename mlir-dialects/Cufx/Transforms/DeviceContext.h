// Which code runs on a device.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {

/// The attributes(...) of a procedure; host if it has none.
inline cuf::ProcAttribute procAttribute(mlir::func::FuncOp func) {
  auto attr = func->getAttrOfType<cuf::ProcAttributeAttr>("cuf.proc_attr");
  return attr ? attr.getValue() : cuf::ProcAttribute::Host;
}

/// What the name of the device's copy of a host and device procedure ends with until host and device are split.
constexpr llvm::StringLiteral deviceCopySuffix = ".device";

/// Of a device variable that holds the address of a variable of the host: what the host's variable of the same name
/// holds when device code is loaded.
inline constexpr llvm::StringLiteral hostAddressAttribute = "cufx.host_address";

/// Of a constant that another file has for the host, and whose value is here for device code.
inline constexpr llvm::StringLiteral ofOtherFileAttribute = "cufx.of_other_file";

/// True for attributes(global) and attributes(grid_global).
inline bool isKernel(mlir::func::FuncOp func) {
  auto attribute = procAttribute(func);
  return attribute == cuf::ProcAttribute::Global || attribute == cuf::ProcAttribute::GridGlobal;
}

/// True for every procedure that is compiled for the device: kernels, device, and host+device.
inline bool isDeviceProcedure(mlir::func::FuncOp func) { return procAttribute(func) != cuf::ProcAttribute::Host; }

/// True for a procedure that exists on the host as well.
inline bool isHostProcedure(mlir::func::FuncOp func) {
  auto attribute = procAttribute(func);
  return attribute == cuf::ProcAttribute::Host || attribute == cuf::ProcAttribute::HostDevice;
}

/// True if parameter `index` of a kernel is host memory behind a reference, which the launch passes by value: the
/// descriptor of a pointer or allocatable dummy, a derived type with VALUE, for which lowering makes a copy, or what a
/// CUF kernel uses of the host.
inline bool isReferenceByValue(mlir::func::FuncOp kernel, unsigned index) {
  mlir::Type element = fir::dyn_cast_ptrEleTy(kernel.getFunctionType().getInput(index));
  if (!element)
    return false;
  return mlir::isa<fir::BaseBoxType>(element) ||
         (mlir::isa<fir::RecordType, fir::CharacterType>(element) && !kernel.getArgAttr(index, "cuf.data_attr"));
}

/// True if `op` is executed by device threads: in a device procedure or in the loops of a CUF kernel.
inline bool isInDeviceCode(mlir::Operation *op) {
  if (op->getParentOfType<cuf::KernelOp>())
    return true;
  auto func = op->getParentOfType<mlir::func::FuncOp>();
  return func && isDeviceProcedure(func);
}

/// Where the device code around `op` begins, and its variables have their place.
inline mlir::Block &startOfDeviceCode(mlir::Operation *op) {
  auto kernel = op->getParentOfType<cuf::KernelOp>();
  return kernel ? kernel.getRegion().front() : op->getParentOfType<mlir::func::FuncOp>().front();
}

} // namespace cufort::cufx
