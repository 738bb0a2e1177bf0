// Divisions and roots that are rounded correctly: an instruction each to LLVM, and some twenty to ptxas, of which one
// is a branch to code for numbers of unusual size.
#pragma once

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace cufort::codegen {

inline bool isExactDivision(const llvm::Instruction &instruction) {
  return instruction.getOpcode() == llvm::Instruction::FDiv && !instruction.hasApproxFunc() &&
         !instruction.hasAllowReciprocal();
}

inline bool isExactRoot(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call || call->hasApproxFunc())
    return false;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::sqrt:
  case llvm::Intrinsic::nvvm_sqrt_f:
  case llvm::Intrinsic::nvvm_sqrt_rn_f:
  case llvm::Intrinsic::nvvm_sqrt_rn_d:
    return true;
  default:
    return false;
  }
}

} // namespace cufort::codegen
