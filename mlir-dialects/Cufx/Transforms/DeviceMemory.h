// Where a variable that device code names lives.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "mlir/IR/Value.h"

namespace cufort::cufx {

/// The CUDA attribute of the variable that `memory` is, or is a part of; none for host data.
/// Follows declares, components, elements, conversions and loads of descriptors.
std::optional<cuf::DataAttribute> dataAttribute(mlir::Value memory);

/// True if device code can use the address `memory` as it is.
bool isDeviceAddressable(mlir::Value memory);

/// True if the variable behind `memory` is a target or a pointer, or is not known: other names may reach its memory.
bool mayHaveOtherNames(mlir::Value memory);

/// The name that the user gave the variable behind `memory`, for messages; empty if it has none.
llvm::StringRef variableName(mlir::Value memory);

} // namespace cufort::cufx
