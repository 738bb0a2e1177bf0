// The cufx dialect: its class, enums and operations.
#pragma once

#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mlir-dialects/Cufx/IR/CufxDialect.h.inc"
#include "mlir-dialects/Cufx/IR/CufxEnums.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Cufx/IR/CufxOps.h.inc"
