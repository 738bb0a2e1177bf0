// The address of a variable's data at a place in host code.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"

namespace cufort::cufx {

/// The address at the place of `builder` of the data of the variable `value`; null if there is no device variable yet.
mlir::Value addressHere(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value value);

} // namespace cufort::cufx
