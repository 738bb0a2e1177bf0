// In:  do k = 1, n                        Out: do k = 1, n, 2
//        s(t, mod(k, 2)) = ...                   s(t, 1) = ...
//        call syncthreads()                      call syncthreads()
//      end do                                    if (k == n) exit
//                                                s(t, 0) = ...
//                                                call syncthreads()
//                                              end do

#include "codegen/DeviceLink/RotatingPlaces.h"
#include "codegen/DeviceLink/LoopUnroller.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <numeric>

using namespace llvm;
using cufort::codegen::LoopUnroller;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned mostCopies = 4;
/// Of all copies together.
constexpr unsigned largestUnrolled = 512;

/// The number that `instruction` is the remainder by, or 0.
uint64_t divisorOf(const Instruction &instruction) {
  const APInt *constant;
  if (match(&instruction, m_URem(m_Value(), m_APInt(constant))))
    return constant->getLimitedValue();
  if (match(&instruction, m_And(m_Value(), m_APInt(constant))) && constant->isMask())
    return constant->getLimitedValue() + 1;
  return 0;
}

class Rotations : LoopUnroller {
public:
  Rotations(Function &function, FunctionAnalysisManager &analyses) : LoopUnroller(function, analyses) {}

  bool unrollAll() {
    bool changed = false;
    for (Loop *loop : to_vector(loops.getLoopsInPreorder())) {
      bool isSimple = loop->isInnermost() && loop->isLoopSimplifyForm() && loop->isLCSSAForm(tree);
      if (!isSimple || hasUnrollTransformation(loop) != TM_Unspecified)
        continue;
      unsigned copies = periodOf(*loop);
      if (copies > 1 && costOf(*loop) * copies <= largestUnrolled)
        changed |= unroll(*loop, copies);
    }
    return changed;
  }

private:
  /// After how many rounds everything in `loop` that rotates is where it was; 1 if nothing does, 0 if that is too many.
  unsigned periodOf(const Loop &loop) {
    unsigned period = 1;
    auto add = [&](unsigned other) { period = std::lcm(period, std::min(other, mostCopies + 1)); };
    for (PHINode &variable : loop.getHeader()->phis())
      add(periodOf(variable, loop));
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (uint64_t divisor = divisorOf(instruction))
          add(periodOf(*instruction.getOperand(0), divisor, loop));
        if (period > mostCopies)
          return 0;
      }
    return period;
  }

  /// After how many rounds the remainder of `value` by `divisor` is the same; 1 if it is not known, or always is.
  unsigned periodOf(Value &value, uint64_t divisor, const Loop &loop) {
    const auto *moving = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&value));
    const auto *step = moving && moving->getLoop() == &loop && moving->isAffine()
                           ? dyn_cast<SCEVConstant>(moving->getOperand(1))
                           : nullptr;
    // Elsewhere the remainders would not become constants.
    if (!step || divisor > mostCopies || !isa<SCEVConstant>(moving->getStart()))
      return 1;
    return divisor / std::gcd(divisor, step->getAPInt().abs().urem(divisor));
  }

  /// In how many rounds `variable`, which takes the values of others in turn, has its first one again; 1 if never.
  static unsigned periodOf(PHINode &variable, const Loop &loop) {
    PHINode *next = &variable;
    for (unsigned rounds = 1; rounds <= mostCopies; ++rounds) {
      Value *value = next->getIncomingValueForBlock(loop.getLoopLatch());
      if (isToggle(*value, *next))
        return next == &variable ? 2 : 1;
      next = dyn_cast<PHINode>(value);
      if (!next || next->getParent() != loop.getHeader())
        return 1;
      if (next == &variable)
        return rounds;
    }
    return 1;
  }

  /// True if `value` is a constant without, or in bits other than, `before`: doing so twice changes nothing.
  static bool isToggle(Value &value, PHINode &before) {
    return match(&value, m_Sub(m_ImmConstant(), m_Specific(&before))) ||
           match(&value, m_Xor(m_Specific(&before), m_ImmConstant()));
  }

  /// What a copy of `loop` costs, or more than is allowed if it must not be copied.
  unsigned costOf(const Loop &loop) {
    InstructionCost cost = 0;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call && (call->cannotDuplicate() || !(isa<IntrinsicInst>(call) || call->isInlineAsm())))
          return largestUnrolled + 1;
        cost += target.getInstructionCost(&instruction, TargetTransformInfo::TCK_CodeSize);
      }
    return cost.isValid() ? std::min<uint64_t>(cost.getValue(), largestUnrolled + 1) : largestUnrolled + 1;
  }

  /// Without a loop for the rounds that remain: each copy ends where the loop may.
  bool unroll(Loop &loop, unsigned copies) {
    UnrollLoopOptions options{};
    options.Count = copies;
    options.Force = true;
    options.ForgetAllSCEV = true;
    LoopUnrollResult result = unrollLoop(loop, options);
    if (result != LoopUnrollResult::PartiallyUnrolled)
      return result != LoopUnrollResult::Unmodified;
    loop.setLoopAlreadyUnrolled();
    foldRemainders(loop);
    return true;
  }

  void foldRemainders(Loop &loop) {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (!divisorOf(instruction))
          continue;
        if (const auto *constant = dyn_cast<SCEVConstant>(evolution.getSCEV(&instruction)))
          instruction.replaceAllUsesWith(constant->getValue());
      }
  }
};

} // namespace

PreservedAnalyses cufort::codegen::RotatingPlaces::run(Function &function, FunctionAnalysisManager &analyses) {
  return Rotations(function, analyses).unrollAll() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
