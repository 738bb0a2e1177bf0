// One source from HLFIR to everything that its object holds.
#pragma once

#include "codegen/Device/DeviceModule.h"
#include "codegen/Host/DeviceSection.h"
#include "codegen/Host/EntryTable.h"
#include "codegen/Process/ForkedWork.h"
#include "codegen/Support/CodegenOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace cufort::codegen {

/// The device part of a source on its way to what is put into an object.
class DeviceBitcodeWork {
public:
  /// Returns the device part when it is there; to be called once.
  llvm::Expected<DeviceBitcode> wait();

private:
  friend class Compilation;
  std::optional<ForkedWork> gpu, emulated; ///< beside this process
  DeviceBitcode done;                      ///< if there is nothing to wait for
};

/// Takes one source through the stages, in order. Every function returns failure after a diagnostic has been emitted
/// to the module's context; LLVM-level problems come as llvm::Error.
class Compilation {
public:
  /// `module` is HLFIR as the front end makes it, for `host`; it is changed by every stage.
  Compilation(mlir::ModuleOp module, const CodegenOptions &options, llvm::TargetMachine &host);

  mlir::LogicalResult lowerToFIR();
  mlir::LogicalResult lowerToCufx();
  mlir::LogicalResult splitDeviceCode();

  /// The device part in the LLVM dialect for `target`, or null without a diagnostic if the source has no device
  /// code. To be called after splitDeviceCode() and before lowerHost().
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowerDevice(DeviceTarget target);

  /// The device part as LLVM IR for `target`; null as above.
  llvm::Expected<std::unique_ptr<llvm::Module>> translateDevice(DeviceTarget target, llvm::LLVMContext &context);

  /// Begins to lower the device part for all targets, beside this process if it is large.
  llvm::Expected<DeviceBitcodeWork> startDeviceBitcode();

  /// The host part as LLVM IR, not yet optimised, with the entries of the source in `entrySection`.
  llvm::Expected<std::unique_ptr<llvm::Module>> lowerHost(llvm::LLVMContext &context, llvm::StringRef section);

private:
  mlir::LogicalResult run(llvm::function_ref<void(mlir::PassManager &)> addPasses, mlir::ModuleOp on);
  mlir::LogicalResult prepareDevice();
  ForkedWork::Result createBitcode(DeviceTarget target);

  mlir::ModuleOp module;
  mlir::OwningOpRef<mlir::ModuleOp> device; ///< what is the same for all targets; see prepareDevice()
  const CodegenOptions &options;
  llvm::TargetMachine &host;
};

} // namespace cufort::codegen
