// Sizes of variables that are allocated at run time.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace cufort::codegen {

/// Returns the bytes of a variable of type `type`: the size of an element times all extents, constant or not. `shape`
/// has all extents, or only those that the type does not know; `lengths` are those of characters.
mlir::Value sizeInBytes(fir::FirOpBuilder &builder, mlir::Location loc, const mlir::DataLayout &layout, mlir::Type type,
                        mlir::ValueRange shape, mlir::ValueRange lengths);

} // namespace cufort::codegen
