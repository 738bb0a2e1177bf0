// What it takes to unroll loops.
#pragma once

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace cufort::codegen {

/// The analyses of a function that LLVM unrolls its loops with, for passes that choose loops.
class LoopUnroller {
protected:
  LoopUnroller(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
      : loops(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        tree(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        assumptions(analyses.getResult<llvm::AssumptionAnalysis>(function)),
        target(analyses.getResult<llvm::TargetIRAnalysis>(function)),
        remarks(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)) {}

  /// Unrolls `loop`, which is in LCSSA form, and leaves it so.
  llvm::LoopUnrollResult unrollLoop(llvm::Loop &loop, const llvm::UnrollLoopOptions &options) {
    return llvm::UnrollLoop(&loop, options, &loops, &evolution, &tree, &assumptions, &target, &remarks,
                            /*PreserveLCSSA=*/true);
  }

  /// True if `loop` reads elements of arrays that lie one behind the other.
  bool readsArrays(const llvm::Loop &loop) {
    return llvm::any_of(loop.blocks(), [&](llvm::BasicBlock *block) {
      return llvm::any_of(*block, [&](llvm::Instruction &instruction) {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        auto *place =
            load ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand())) : nullptr;
        return place && place->getLoop() == &loop && place->isAffine() &&
               !llvm::isa<llvm::GlobalVariable, llvm::AllocaInst>(
                   llvm::getUnderlyingObject(load->getPointerOperand(), /*MaxLookup=*/0));
      });
    });
  }

  llvm::LoopInfo &loops;
  llvm::ScalarEvolution &evolution;
  llvm::DominatorTree &tree;
  llvm::AssumptionCache &assumptions;
  const llvm::TargetTransformInfo &target;
  llvm::OptimizationRemarkEmitter &remarks;
};

} // namespace cufort::codegen
