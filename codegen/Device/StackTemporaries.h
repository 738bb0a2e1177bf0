// Memory of temporary and automatic arrays in device code.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// Of operations that allocate automatic arrays, since that pass.
inline constexpr llvm::StringLiteral automaticArrayAttribute = "cufort.automatic_array";

/// Gives small temporary and automatic arrays a place on the stack of the thread; those whose size is not known use it
/// if they turn out to be small. Flang allocates some temporaries, as those of WHERE and of array constructors, from
/// the heap, which is a lock and a few thousand cycles on a GPU.
std::unique_ptr<mlir::Pass> createStackTemporaries();

} // namespace cufort::codegen
