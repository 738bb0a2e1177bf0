// Variables of which each device has one, without being in device code.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Of a device variable of the main program: the runtime allocates it in each device that it is used in, and device
/// code knows it as an argument only.
inline constexpr llvm::StringLiteral eachDeviceAttribute = "cufx.each_device";

/// True for a variable that the runtime allocates in each device.
inline bool isAllocatedInEachDevice(fir::GlobalOp global) { return global->hasAttr(eachDeviceAttribute); }

/// True for the address of such a variable.
inline bool isInEachDevice(mlir::Value address) {
  auto name = address.getDefiningOp<fir::AddrOfOp>();
  auto module = name ? name->getParentOfType<mlir::ModuleOp>() : mlir::ModuleOp();
  auto global = module ? module.lookupSymbol<fir::GlobalOp>(name.getSymbol()) : fir::GlobalOp();
  return global && isAllocatedInEachDevice(global);
}

} // namespace cufort::cufx
