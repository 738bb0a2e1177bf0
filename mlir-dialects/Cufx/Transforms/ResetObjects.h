// Dummy arguments with CLASS and INTENT(OUT) in device code.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace cufort::cufx {

/// Replaces the calls of Flang's runtime by which such a dummy argument ends and gets its initial values, and defines
/// for the types of device code what they need for that. Reports declared types for which it is not possible.
mlir::LogicalResult resetObjects(mlir::ModuleOp module);

constexpr llvm::StringLiteral resetFunctionPrefix = "cufortReset";

/// The name of the function of the device that ends a record of type `record` and gives it its initial values. Types
/// that need neither have none.
std::string resetFunctionName(llvm::StringRef record);

} // namespace cufort::cufx
