// The files that lines of device code belong to.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// In functions with a subprogram for debuggers, names the files of statements that come from other files than their
/// procedure, by INCLUDE.
std::unique_ptr<mlir::Pass> createNameSourceFiles();

} // namespace cufort::codegen
