// Kernels of which a thread may have several iterations.
#pragma once

#include "codegen/Device/DeviceModule.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// Removes cufx::roundsAttribute. On the emulated device, with what kernels do if a thread has several iterations:
/// there it never has, because cufortThreadsAtOnce says that there are enough threads.
std::unique_ptr<mlir::Pass> createKernelRounds(DeviceTarget target);

} // namespace cufort::codegen
