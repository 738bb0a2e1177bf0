// What MODULO is in device code.
#pragma once

#include "llvm/IR/Instructions.h"

namespace cufort::codegen {

/// The remainder in what MODULO of integers computes, remainder + (it is of the other sign than the period ? period :
/// 0), which is `instruction`; null if that is something else.
llvm::BinaryOperator *remainderInModulo(llvm::Instruction &instruction);

/// Makes sums of the remainders and corrections of `function` that LLVM has added to an address one after the other, so
/// that remainderInModulo knows them. Returns true if there were any.
bool gatherModulo(llvm::Function &function);

} // namespace cufort::codegen
