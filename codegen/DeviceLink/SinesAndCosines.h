// Sines and cosines of the same angle.
#pragma once

#include "llvm/IR/PassManager.h"

namespace cufort::codegen {

/// Declares functions for both in `module`, which is to be linked with the device library and libdevice, for the kinds
/// of numbers of which `module` uses each.
void declareSinesWithCosines(llvm::Module &module);

/// Calls one function for both where a sine and a cosine of the same angle are computed, or their hyperbolic
/// counterparts.
class SinesAndCosines : public llvm::PassInfoMixin<SinesAndCosines> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace cufort::codegen
