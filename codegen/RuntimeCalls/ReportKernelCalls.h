// Kernels that host code calls like procedures of its own.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// A pass that lets the host stubs of kernels end the program: nothing calls a stub but a dummy procedure or procedure
/// pointer that got the kernel's name. A launch takes the address of the stub.
std::unique_ptr<mlir::Pass> createReportKernelCalls();

} // namespace cufort::codegen
