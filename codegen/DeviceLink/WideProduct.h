// Products of 32 bits with 64 bits.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace cufort::codegen {

/// `number` times `factor`, which have 32 bits, in 64 bits. Emits the instruction as it is: LLVM would take it apart,
/// and share its parts.
inline llvm::Value *createWideProduct(llvm::IRBuilderBase &builder, llvm::Value *number, llvm::Value *factor,
                                      bool isSigned) {
  llvm::Type *narrow = number->getType();
  auto *product = llvm::InlineAsm::get(llvm::FunctionType::get(builder.getInt64Ty(), {narrow, narrow}, false),
                                       isSigned ? "mul.wide.s32 $0, $1, $2;" : "mul.wide.u32 $0, $1, $2;",
                                       llvm::isa<llvm::Constant>(factor) ? "=l,r,n" : "=l,r,r",
                                       /*hasSideEffects=*/false);
  llvm::CallInst *call = builder.CreateCall(product, {number, factor}, "step");
  call->setDoesNotAccessMemory();
  return call;
}

inline llvm::Value *createWideProduct(llvm::IRBuilderBase &builder, llvm::Value *number, int64_t factor,
                                      bool isSigned) {
  return createWideProduct(builder, number, llvm::ConstantInt::getSigned(number->getType(), factor), isSigned);
}

} // namespace cufort::codegen
