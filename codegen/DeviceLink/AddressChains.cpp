// A stencil loads u(i, j - r, k) and u(i, j, k - r) for some r. Each subscript makes an address by multiplications in
// 64 bits, which a GPU does in several instructions. From the neighbour's address it is one addition of the bytes of a
// row or of a plane, which all of them share; in the direction of the first subscript it is a constant in the
// instruction.
//
// An address that a loop would multiply for in each round becomes a variable of the loop. That is what LLVM's loop
// strength reduction does for every address that it finds: on GPUs it ends in a variable for each of the neighbours,
// and in so many registers that fewer blocks are resident.

#include "codegen/DeviceLink/AddressChains.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Addresses further back are not looked at.
constexpr size_t looksBack = 64;
/// Of addresses in a loop: each takes two registers.
constexpr unsigned mostVariables = 6;
constexpr int noWay = INT_MAX;

/// An address as another one and an offset that is part of instructions; what it is; and how many additions lie between
/// it and the one that its chain began with.
struct Link {
  Value *anchor;
  int64_t offset;
  const SCEV *value;
  unsigned depth;
};

/// A way from one address to another: a step, or null, and a constant.
struct Way {
  const SCEV *step;
  int64_t constant;
};

/// True for products of what does not change in a loop: the bytes of rows and planes.
bool isStep(const SCEV *distance) {
  if (const auto *product = dyn_cast<SCEVMulExpr>(distance))
    return all_of(product->operands(), isStep);
  if (const auto *cast = dyn_cast<SCEVCastExpr>(distance))
    return isStep(cast->getOperand());
  if (const auto *extent = dyn_cast<SCEVSMaxExpr>(distance))
    return all_of(extent->operands(), isStep);
  return isa<SCEVConstant, SCEVUnknown>(distance);
}

/// The instructions of a loop that compute an address from the loop's variables.
class Computation {
public:
  Computation(GetElementPtrInst &address, const Loop &loop) : loop(loop) { isPure = collect(&address); }

  bool canStartBefore() const { return isPure; }

  /// True if more is needed than a constant, and the bytes of a number or complex number as a factor.
  bool isWork(const DataLayout &layout) const {
    return any_of(instructions, [&](const Instruction *instruction) {
      if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
        return layout.getTypeAllocSize(address->getSourceElementType()) > 16;
      bool isSum = instruction->getOpcode() == Instruction::Add && isa<ConstantInt>(instruction->getOperand(1));
      return !isa<CastInst>(instruction) && !isSum;
    });
  }

  /// The address in the first round, computed before the loop.
  Value *startBefore() {
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    DenseMap<Value *, Value *> values;
    for (PHINode &phi : loop.getHeader()->phis())
      values[&phi] = phi.getIncomingValueForBlock(loop.getLoopPreheader());
    for (Instruction *instruction : instructions) {
      Instruction *copy = instruction->clone();
      copy->insertBefore(before->getIterator());
      for (Use &operand : copy->operands())
        if (auto found = values.find(operand); found != values.end())
          operand = found->second;
      values[instruction] = copy;
    }
    return values[instructions.back()];
  }

private:
  /// Collects what `value` is computed from, in order.
  bool collect(Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction) || is_contained(instructions, instruction))
      return true;
    if (isa<PHINode>(instruction))
      return instruction->getParent() == loop.getHeader();
    if (!isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction) || !isSafeToSpeculativelyExecute(instruction))
      return false;
    for (Value *operand : instruction->operands())
      if (!collect(operand))
        return false;
    instructions.push_back(instruction);
    return true;
  }

  const Loop &loop;
  SmallVector<Instruction *> instructions;
  bool isPure;
};

class Chains {
public:
  Chains(ScalarEvolution &evolution, LoopInfo &loops)
      : evolution(evolution), loops(loops), expander(evolution, "step") {}

  bool runOn(BasicBlock &block) {
    chains.clear();
    steps.clear();
    loop = loops.getLoopFor(&block);
    if (loop && (!loop->isLoopSimplifyForm() || !loop->isInnermost()))
      loop = nullptr;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction); address && isOfMemory(*address))
        changed |= place(*address);
    return changed;
  }

private:
  /// True if `address` is one that loads and stores use, perhaps with a constant offset.
  static bool isOfMemory(const GetElementPtrInst &address) {
    return !address.getType()->isVectorTy() && !address.hasAllConstantIndices() &&
           any_of(address.users(), [](const User *user) {
             const auto *near = dyn_cast<GetElementPtrInst>(user);
             return isa<LoadInst, StoreInst>(user) || (near && near->hasAllConstantIndices());
           });
  }

  /// Replaces `address` by one that is computed from another, if that is less work.
  bool place(GetElementPtrInst &address) {
    const SCEV *value = evolution.getSCEV(&address);
    SmallVector<Link> &chain = chains[evolution.getPointerBase(value)];
    const Link *nearest = nullptr;
    Way way;
    int least = noWay;
    for (const Link &link : ArrayRef(chain).take_back(looksBack)) {
      Way from = wayOver(evolution.getMinusSCEV(value, link.value));
      int work = workOf(from, link);
      if (work < least || (work == least && nearest && link.depth < nearest->depth))
        std::tie(nearest, way, least) = std::tuple(&link, from, work);
    }
    Link link = {&address, 0, value, 0};
    if (nearest)
      link = {anchorFor(address, *nearest, way), nearest->offset + way.constant, value,
              nearest->depth + (way.step != nullptr)};
    else if (Value *variable = variableFor(address, value))
      link.anchor = variable;
    chain.push_back(link);
    if (link.anchor == &address)
      return false;
    Value *replacement = link.anchor;
    if (link.offset)
      replacement =
          IRBuilder<>(&address).CreatePtrAdd(link.anchor, ConstantInt::getSigned(offsetType(address), link.offset));
    evolution.forgetValue(&address);
    address.replaceAllUsesWith(replacement);
    RecursivelyDeleteTriviallyDeadInstructions(&address);
    return true;
  }

  static Type *offsetType(const GetElementPtrInst &address) {
    return address.getDataLayout().getIndexType(address.getType());
  }

  /// A value of the loop's variables that is `address`, or null if computing it is no work or it takes other steps.
  Value *variableFor(GetElementPtrInst &address, const SCEV *value) {
    const auto *moving = dyn_cast<SCEVAddRecExpr>(value);
    if (!loop || !moving || moving->getLoop() != loop || !moving->isAffine() || !isStep(moving->getOperand(1)))
      return nullptr;
    if (Value *placed = inNamedMemory(address, value))
      return placed;
    Computation computation(address, *loop);
    if (variables[loop] == mostVariables || !computation.canStartBefore() ||
        !computation.isWork(address.getDataLayout()))
      return nullptr;
    return createVariable(computation.startBefore(), moving->getOperand(1));
  }

  /// The address of an element of a shared or constant array, in the same place for all threads, as the array and an
  /// offset: the array is part of the instructions that load, and the offset is a variable for all such arrays.
  Value *inNamedMemory(GetElementPtrInst &address, const SCEV *value) {
    const SCEV *base = evolution.getPointerBase(value);
    const auto *named = dyn_cast<SCEVUnknown>(base);
    const auto *moving = dyn_cast<SCEVAddRecExpr>(evolution.getMinusSCEV(value, base));
    if (!named || !isa<GlobalVariable>(named->getValue()->stripPointerCasts()) || !moving ||
        moving->getLoop() != loop || !isa<SCEVConstant>(moving->getStart()))
      return nullptr;
    Value *&offset = offsets[moving];
    if (!offset)
      offset = createVariable(expandBefore(moving->getStart()), moving->getOperand(1));
    return IRBuilder<>(&address).CreatePtrAdd(named->getValue(), offset, address.getName());
  }

  Value *expandBefore(const SCEV *value) {
    return expander.expandCodeFor(value, nullptr, loop->getLoopPreheader()->getTerminator()->getIterator());
  }

  /// An address or offset that begins with `start` and moves by `distance` bytes in each round.
  PHINode *createVariable(Value *start, const SCEV *distance) {
    ++variables[loop];
    Value *step = expandBefore(distance);
    IRBuilder<> builder(&loop->getHeader()->front());
    PHINode *variable = builder.CreatePHI(start->getType(), 2);
    builder.SetInsertPoint(loop->getLoopLatch()->getTerminator());
    Value *next =
        start->getType()->isPointerTy() ? builder.CreatePtrAdd(variable, step) : builder.CreateAdd(variable, step);
    variable->addIncoming(start, loop->getLoopPreheader());
    variable->addIncoming(next, loop->getLoopLatch());
    return variable;
  }

  static Way wayOver(const SCEV *distance) {
    auto constantIn = [](const SCEV *value) {
      const auto *constant = dyn_cast<SCEVConstant>(value);
      return constant ? constant->getAPInt().trySExtValue() : std::nullopt;
    };
    if (auto constant = constantIn(distance))
      return {nullptr, *constant};
    const auto *sum = dyn_cast<SCEVAddExpr>(distance);
    if (auto constant = sum && sum->getNumOperands() == 2 ? constantIn(sum->getOperand(0)) : std::nullopt)
      return {sum->getOperand(1), *constant};
    return {distance, 0};
  }

  /// Additions that it takes to go `way` from `link`, or noWay.
  int workOf(const Way &way, const Link &link) {
    if (!isInt<24>(link.offset + way.constant))
      return noWay;
    if (!way.step)
      return 0;
    if (!isStep(way.step))
      return noWay;
    return steps.contains(way.step) || steps.contains(evolution.getNegativeSCEV(way.step)) ? 1 : 2;
  }

  Value *anchorFor(GetElementPtrInst &address, const Link &from, const Way &way) {
    IRBuilder<> builder(&address);
    return way.step ? builder.CreatePtrAdd(from.anchor, stepOver(builder, way.step)) : from.anchor;
  }

  /// The value of `distance`, which the way back may share.
  Value *stepOver(IRBuilder<> &builder, const SCEV *distance) {
    const SCEV *back = evolution.getNegativeSCEV(distance);
    if (!steps.contains(distance) && steps.contains(back))
      return builder.CreateNeg(steps[back]);
    bool isBack = isNegative(distance);
    const SCEV *forth = isBack ? back : distance;
    Value *&step = steps[forth];
    if (!step)
      step = expander.expandCodeFor(forth, forth->getType(), builder.GetInsertPoint());
    return isBack ? builder.CreateNeg(step) : step;
  }

  static bool isNegative(const SCEV *distance) {
    const auto *product = dyn_cast<SCEVMulExpr>(distance);
    const auto *factor = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    return factor && factor->getAPInt().isNegative();
  }

  ScalarEvolution &evolution;
  LoopInfo &loops;
  SCEVExpander expander;
  Loop *loop = nullptr; ///< around the block, if addresses may become variables of it
  DenseMap<const Loop *, unsigned> variables;
  DenseMap<const SCEV *, Value *> offsets;          ///< in named memory
  DenseMap<const SCEV *, SmallVector<Link>> chains; ///< of the block, by where their addresses begin
  DenseMap<const SCEV *, Value *> steps;            ///< of the block
};

} // namespace

/// Deletes variables of loops that nothing else uses. Those of one loop may be used by another only.
static bool deleteUnusedVariables(LoopInfo &loops) {
  bool changed = false, again;
  do {
    again = false;
    for (Loop *loop : loops.getLoopsInPreorder())
      again |= DeleteDeadPHIs(loop->getHeader());
    changed |= again;
  } while (again);
  return changed;
}

PreservedAnalyses AddressChains::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  Chains chains(analyses.getResult<ScalarEvolutionAnalysis>(function), loops);
  bool changed = false;
  for (BasicBlock &block : function)
    changed |= chains.runOn(block);
  changed |= deleteUnusedVariables(loops);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
