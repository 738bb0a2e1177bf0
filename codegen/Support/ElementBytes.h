// How far apart the elements of an array are.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace cufort::codegen {

/// The bytes from an element to the next one in memory, of arrays that `type`, a descriptor, describes; nothing if that
/// is not known in advance or `type` is not the descriptor of an array of known rank.
std::optional<int64_t> elementBytesOfArray(mlir::Type type, mlir::ModuleOp module);

} // namespace cufort::codegen
