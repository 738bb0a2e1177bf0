// A stencil loads u(i, j - r, k) and u(i, j, k - r) for some r. Each subscript makes an address by multiplications in
// 64 bits, which a GPU does in several instructions. From the neighbour's address it is one addition of the bytes of a
// row or of a plane, which all of them share; in the direction of the first subscript it is a constant in the
// instruction.
//
// An address that a loop would multiply for in each round becomes a variable of the loop. That is what LLVM's loop
// strength reduction does for every address that it finds: on GPUs it ends in a variable for each of the neighbours,
// and in so many registers that fewer blocks are resident.

#include "codegen/DeviceLink/AddressChains.h"
#include "codegen/DeviceLink/LeanForms.h"
#include "codegen/DeviceLink/SameStrides.h"
#include "codegen/DeviceLink/WideProduct.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Addresses further back are not looked at.
constexpr size_t looksBack = 64;
/// Of addresses in a loop: each takes two registers.
constexpr unsigned mostVariables = 6;
/// Of those whose steps are known at run time only, in lean forms of kernels: each step takes two registers more.
constexpr unsigned mostSteppedVariables = 1;
/// Arrays with elements in the same places, from which on one distance for all needs fewer registers than addresses.
constexpr size_t manyArrays = 4;
constexpr int noWay = INT_MAX;

/// An address as another one and an offset that is part of instructions; what it is; and how many additions lie between
/// it and the one that its chain began with.
struct Link {
  WeakVH anchor; ///< null once it has been deleted
  int64_t offset;
  const SCEV *value;
  unsigned depth;
};

/// A way from one address to another: a step, or null, and a constant.
struct Way {
  const SCEV *step;
  int64_t constant;
};

bool isPartOfStep(const SCEV *part);

/// True for what the bytes of rows and planes are: a constant, a number, a product, or the extent between two bounds.
bool isStep(const SCEV *distance) {
  if (isa<SCEVMulExpr, SCEVSMaxExpr>(distance))
    return all_of(cast<SCEVNAryExpr>(distance)->operands(), isPartOfStep);
  if (const auto *cast = dyn_cast<SCEVCastExpr>(distance))
    return isPartOfStep(cast->getOperand());
  return isa<SCEVConstant, SCEVUnknown>(distance);
}

/// True for a step, or a step and a constant: an extent, or its upper bound, if the lower bound is not 1.
bool isPartOfStep(const SCEV *part) {
  const auto *sum = dyn_cast<SCEVAddExpr>(part);
  if (!sum)
    return isStep(part);
  return sum->getNumOperands() == 2 && isa<SCEVConstant>(sum->getOperand(0)) && isStep(sum->getOperand(1));
}

using Objects = SmallPtrSet<const Value *, 2>;

/// Collects the `objects` that addresses in `loop` are of that `value`, which `variable` is part of, ends in. False if
/// it ends in something else, but for what can still change if `isEarly`: products become variables, and what follows
/// the loop may do without.
bool servesAddresses(Instruction &value, PHINode &variable, const Loop &loop, bool isEarly, Objects &objects) {
  return all_of(value.users(), [&](User *user) {
    auto *instruction = cast<Instruction>(user);
    if (instruction == &variable)
      return true;
    if (!loop.contains(instruction) || instruction->getOpcode() == Instruction::Mul)
      return isEarly;
    if (isa<GetElementPtrInst>(instruction)) {
      objects.insert(getUnderlyingObject(instruction, /*MaxLookup=*/0));
      return true;
    }
    bool isPart = isa<CastInst>(instruction) || instruction->getOpcode() == Instruction::Add;
    return isPart && servesAddresses(*instruction, variable, loop, isEarly, objects);
  });
}

/// True if `variable` of `loop` is there for the addresses of one array.
bool servesOneArray(PHINode &variable, const Loop &loop, bool isEarly) {
  Objects objects;
  return servesAddresses(variable, variable, loop, isEarly, objects) && objects.size() == 1;
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

  /// True if the variables of the loop serve nothing but addresses in this array, which can do without them then.
  bool ownsVariables() const {
    return all_of(variables, [&](PHINode *variable) { return servesOneArray(*variable, loop, /*isEarly=*/false); });
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
    if (auto *phi = dyn_cast<PHINode>(instruction)) {
      variables.insert(phi);
      return instruction->getParent() == loop.getHeader();
    }
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
  SmallSetVector<PHINode *, 2> variables;
  bool isPure;
};

/// What values that join from two ways are in the loop that one of these comes from, with variables of that loop.
using Endings = DenseMap<std::pair<const PHINode *, const BasicBlock *>, const SCEVAddRecExpr *>;

class Chains {
public:
  Chains(Function &function, ScalarEvolution &evolution, LoopInfo &loops, const Endings &endings)
      : evolution(evolution), loops(loops), endings(endings), expander(evolution, "step") {
    // Expanding what they are part of loses the flags.
    for (Instruction &instruction : instructions(function))
      if (auto *extension = dyn_cast<ZExtInst>(&instruction); extension && extension->hasNonNeg())
        notNegative.insert(extension->getOperand(0));
  }

  bool runOn(BasicBlock &block) {
    chains.clear();
    created.clear();
    counted.clear();
    loop = loops.getLoopFor(&block);
    if (loop && (!loop->isLoopSimplifyForm() || !loop->isInnermost()))
      loop = nullptr;
    // What is computed before a loop is known in all of its blocks.
    if (!loop)
      stepsOf[nullptr].clear();
    steps = &stepsOf[loop];
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(block))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction); address && isOfMemory(*address))
        changed |= place(*address);
    closeChains(block);
    return replaceCounters() || changed;
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
    std::optional<Link> nearest;
    Way way;
    int least = noWay;
    auto lookAt = [&](const Link &link) {
      if (!link.anchor)
        return;
      Way from = wayOver(evolution.getMinusSCEV(value, link.value));
      int work = workOf(from, link);
      if (work < least || (work == least && nearest && link.depth < nearest->depth))
        std::tie(nearest, way, least) = std::tuple(link, from, work);
    };
    for_each(ArrayRef(chain).take_back(looksBack), lookAt);
    if (loop)
      for_each(placed[loop], lookAt);
    Link link = {&address, 0, value, 0};
    if (nearest)
      link = {anchorFor(address, *nearest, way), nearest->offset + way.constant, value,
              nearest->depth + (way.step != nullptr)};
    else if (Value *variable = variableFor(address, value))
      link.anchor = variable;
    chain.push_back(link);
    Value *replacement = link.anchor;
    if (isa<PHINode>(replacement) && !link.offset && link.value == value && !nearest)
      placed[loop].push_back(link);
    if (replacement == &address)
      return false;
    if (link.offset)
      replacement =
          IRBuilder<>(&address).CreatePtrAdd(replacement, ConstantInt::getSigned(offsetType(address), link.offset));
    evolution.forgetValue(&address);
    replace(address, *replacement);
    return true;
  }

  void replace(GetElementPtrInst &address, Value &replacement) {
    address.replaceAllUsesWith(&replacement);
    erase(address);
  }

  /// Deletes `unused`, and what only it used: perhaps values that the expander would share.
  void erase(Instruction &unused) {
    RecursivelyDeleteTriviallyDeadInstructions(&unused);
    expander.clear();
  }

  static Type *offsetType(const GetElementPtrInst &address) {
    return address.getDataLayout().getIndexType(address.getType());
  }

  /// True if elements of several arrays are as many bytes behind where these start as `address` is behind its array.
  bool sharesDistance(const GetElementPtrInst &address) const {
    if (!address.getFunction()->hasFnAttribute(sameStridesFunctionAttribute))
      return false;
    auto isFound = [&](const GetElementPtrInst &other) {
      return other.getNumIndices() == 1 && other.getSourceElementType()->isIntegerTy(8) && loop->contains(&other) &&
             loop->isLoopInvariant(other.getPointerOperand());
    };
    if (!isFound(address))
      return false;
    const Value *distance = address.getOperand(1);
    SmallPtrSet<const Value *, 8> arrays;
    for (const User *user : distance->users())
      if (auto *other = dyn_cast<GetElementPtrInst>(user); other && isFound(*other))
        arrays.insert(other->getPointerOperand());
    return arrays.size() >= manyArrays;
  }

  /// A value of the loop's variables that is `address`, or null if computing it is no work or it takes other steps.
  Value *variableFor(GetElementPtrInst &address, const SCEV *value) {
    const auto *moving = dyn_cast<SCEVAddRecExpr>(value);
    if (!loop || !moving || moving->getLoop() != loop || !moving->isAffine() || !isPartOfStep(moving->getOperand(1)))
      return nullptr;
    if (Value *placed = inNamedMemory(address, value))
      return placed;
    Computation computation(address, *loop);
    if (variables[loop] == mostVariables || !computation.canStartBefore() || sharesDistance(address) ||
        !mayStep(*moving))
      return nullptr;
    if (computation.isWork(address.getDataLayout()))
      return createAddress(computation, *moving);
    counted.push_back({&address, moving});
    return nullptr;
  }

  /// False in lean forms where enough variables have steps that take registers.
  bool mayStep(const SCEVAddRecExpr &value) {
    Function &function = *loop->getHeader()->getParent();
    if (isa<SCEVConstant>(value.getOperand(1)) || !function.hasFnAttribute(leanFormFunctionAttribute) ||
        steppedVariables[loop]++ < mostSteppedVariables)
      return true;
    function.addFnAttr(leanFormFunctionAttribute, leanFormDiffers);
    return false;
  }

  /// Makes variables of addresses that are no work, and all that a counter of the loop is for.
  bool replaceCounters() {
    bool changed = false;
    for (auto &[place, value] : counted) {
      auto *address = cast_or_null<GetElementPtrInst>(place);
      if (!address)
        continue;
      Computation computation(*address, *loop);
      if (variables[loop] == mostVariables || !computation.ownsVariables())
        continue;
      Value *variable = createAddress(computation, *value);
      replace(*address, *variable);
      placed[loop].push_back({variable, 0, value, 0});
      changed = true;
    }
    return changed;
  }

  /// A variable that is the address `value`, which `computation` computes.
  PHINode *createAddress(Computation &computation, const SCEVAddRecExpr &value) {
    Value *start = continueFromOtherLoop(value.getStart());
    PHINode *variable = createVariable(start ? start : computation.startBefore(), value.getOperand(1));
    addresses[loop].push_back({variable, &value});
    return variable;
  }

  /// What is left over of an unrolled loop begins where the addresses of that one have come to. Returns the address
  /// `start` so, or null if it is not one that another loop ends with. The variable that has counted so far in that
  /// loop may be needed for nothing else.
  Value *continueFromOtherLoop(const SCEV *start) {
    PHINode *join = joinIn(start);
    if (!join)
      return nullptr;
    bool continues = false;
    SmallVector<Value *> starts;
    for (auto [block, from] : zip(join->blocks(), join->incoming_values())) {
      const SCEVAddRecExpr *last = endings.lookup({join, block});
      Value *end = last ? endOfOtherLoop(startFor(start, *join, last), *last->getLoop()) : nullptr;
      continues |= end != nullptr;
      starts.push_back(end ? end : expandAtEnd(startFor(start, *join, evolution.getSCEV(from)), *block));
    }
    if (!continues || is_contained(starts, nullptr))
      return nullptr;
    auto *result = PHINode::Create(start->getType(), starts.size(), "", join->getIterator());
    for (auto [end, block] : zip(starts, join->blocks()))
      result->addIncoming(end, block);
    return result;
  }

  /// The value behind other loops, and around them, that `start` depends on; null if there is none or more.
  PHINode *joinIn(const SCEV *start) {
    SmallSetVector<PHINode *, 2> joins;
    SCEVExprContains(start, [&](const SCEV *part) {
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
      if (phi && !loops.isLoopHeader(phi->getParent()))
        joins.insert(phi);
      return false;
    });
    bool isJoin = joins.size() == 1 && joins.front()->getNumIncomingValues() == 2 &&
                  joins.front()->getIncomingBlock(0) != joins.front()->getIncomingBlock(1);
    return isJoin ? joins.front() : nullptr;
  }

  /// `start` if `join` has the value `from`.
  const SCEV *startFor(const SCEV *start, PHINode &join, const SCEV *from) {
    ValueToSCEVMapTy values;
    values[&join] = from;
    return SCEVParameterRewriter::rewrite(start, evolution, values);
  }

  /// The address `start` at the end of the loop `other`, where it changes; null if that has no variable for it.
  Value *endOfOtherLoop(const SCEV *start, const Loop &other) {
    for (const auto &[variable, value] : addresses[&other])
      if (value->getPostIncExpr(evolution) == start)
        return variable->getIncomingValueForBlock(other.getLoopLatch());
    return nullptr;
  }

  Value *expandAtEnd(const SCEV *value, BasicBlock &block) {
    Instruction *end = block.getTerminator();
    return expander.isSafeToExpandAt(value, end) ? expander.expandCodeFor(value, nullptr, end->getIterator()) : nullptr;
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

  Value *expandBefore(const SCEV *value) { return expandAt(value, *loop->getLoopPreheader()->getTerminator()); }

  /// A number of 32 bits times a constant, in 64 bits.
  struct WideProduct {
    const SCEV *number;
    const SCEVConstant *factor;
    bool isSigned;
  };

  /// True if `number`, of 32 bits, is never negative where it is extended with zeros.
  bool isNotNegative(const SCEV *number) {
    const auto *unknown = dyn_cast<SCEVUnknown>(number);
    return evolution.isKnownNonNegative(number) || (unknown && notNegative.contains(unknown->getValue()));
  }

  std::optional<WideProduct> wideProduct(const SCEV *value) {
    const auto *product = dyn_cast<SCEVMulExpr>(value);
    const auto *extension = product ? dyn_cast<SCEVIntegralCastExpr>(product->getOperand(1)) : nullptr;
    const auto *factor = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    if (!extension || !factor || product->getNumOperands() != 2 ||
        !isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(extension) ||
        !extension->getOperand()->getType()->isIntegerTy(32) || !factor->getAPInt().isSignedIntN(32))
      return std::nullopt;
    bool isBack = factor->getAPInt().isNegative(), isSigned = isa<SCEVSignExtendExpr>(extension);
    if (isBack && !isSigned && !isNotNegative(extension->getOperand()))
      return std::nullopt;
    return WideProduct{extension->getOperand(), factor, isBack || isSigned};
  }

  /// A multiple of a number of 32 bits is a value of its own wherever it is needed: ptxas adds it in one instruction if
  /// it sees the product.
  Value *expandAt(const SCEV *value, Instruction &before) {
    std::optional<WideProduct> product = wideProduct(value);
    if (!product)
      return expander.expandCodeFor(value, nullptr, before.getIterator());
    Value *number = expander.expandCodeFor(product->number, nullptr, before.getIterator());
    IRBuilder<> builder(&before);
    return createWideProduct(builder, number, product->factor->getAPInt().getSExtValue(), product->isSigned);
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
    if (start->getType()->isPointerTy())
      created.insert(variable);
    return variable;
  }

  /// Lets variables begin the next round where the chain of this one ends, if that is one step away.
  void closeChains(BasicBlock &block) {
    if (!loop || loop->getLoopLatch() != &block)
      return;
    for (auto &[base, chain] : chains)
      for (const Link &first : chain)
        if (auto *variable = dyn_cast_or_null<PHINode>(first.anchor); variable && created.erase(variable))
          closeChain(*variable, first.value, chain);
  }

  void closeChain(PHINode &variable, const SCEV *value, ArrayRef<Link> chain) {
    const SCEV *next = cast<SCEVAddRecExpr>(value)->getPostIncExpr(evolution);
    const Link *last = nullptr;
    for (const Link &link : chain) {
      const SCEV *distance = evolution.getMinusSCEV(next, link.value);
      if (link.anchor && link.depth && !link.offset && knownStep(distance) && (!last || link.depth > last->depth))
        last = &link;
    }
    if (!last)
      return;
    auto *before = cast<Instruction>(variable.getIncomingValueForBlock(loop->getLoopLatch()));
    const SCEV *step = evolution.getMinusSCEV(next, last->value);
    variable.replaceUsesOfWith(before, IRBuilder<>(before).CreatePtrAdd(last->anchor, knownStep(step)));
    erase(*before);
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
    if (!isStep(way.step) || (loop && !evolution.isLoopInvariant(way.step, loop)))
      return noWay;
    return knownStep(way.step) || knownStep(evolution.getNegativeSCEV(way.step)) ? 1 : 2;
  }

  /// The value of `distance` if it has been computed, or null.
  Value *knownStep(const SCEV *distance) const { return steps->lookup(distance); }

  Value *anchorFor(GetElementPtrInst &address, const Link &from, const Way &way) {
    IRBuilder<> builder(&address);
    Value *anchor = from.anchor;
    return way.step ? builder.CreatePtrAdd(anchor, stepOver(builder, way.step)) : anchor;
  }

  /// The value of `distance`, which the way back may share.
  Value *stepOver(IRBuilder<> &builder, const SCEV *distance) {
    const SCEV *back = evolution.getNegativeSCEV(distance);
    if (Value *known = knownStep(back); known && !knownStep(distance) && !(loop && wideProduct(distance)))
      return builder.CreateNeg(known);
    bool isBack = isNegative(distance) && !(loop && wideProduct(distance));
    const SCEV *forth = isBack ? back : distance;
    Value *step = knownStep(forth);
    if (!step)
      (*steps)[forth] = step = loop ? expandBefore(forth) : expandAt(forth, *builder.GetInsertPoint());
    return isBack ? builder.CreateNeg(step) : step;
  }

  static bool isNegative(const SCEV *distance) {
    const auto *product = dyn_cast<SCEVMulExpr>(distance);
    const auto *factor = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    return factor && factor->getAPInt().isNegative();
  }

  ScalarEvolution &evolution;
  LoopInfo &loops;
  const Endings &endings;
  SmallPtrSet<const Value *, 8> notNegative; ///< what is extended with zeros and its sign
  SCEVExpander expander;
  Loop *loop = nullptr; ///< around the block, if addresses may become variables of it
  DenseMap<const Loop *, unsigned> variables, steppedVariables;
  SmallPtrSet<PHINode *, 8> created;                              ///< addresses, and not at the end of their chains yet
  SmallVector<std::pair<WeakVH, const SCEVAddRecExpr *>> counted; ///< addresses of the block that are no work
  DenseMap<const SCEV *, Value *> offsets;                        ///< in named memory
  MapVector<const SCEV *, SmallVector<Link>> chains;              ///< of the block, by where their addresses begin
  DenseMap<const Loop *, SmallVector<Link>> placed;               ///< addresses that are variables
  DenseMap<const Loop *, SmallVector<std::pair<PHINode *, const SCEVAddRecExpr *>>> addresses; ///< all of them
  using Steps = DenseMap<const SCEV *, WeakVH>;
  DenseMap<const Loop *, Steps> stepsOf;
  Steps *steps = nullptr; ///< of the loop, or of the block
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

/// Notes what values are at the end of loops before they have been computed in another way.
static Endings findEndings(LoopInfo &loops, ScalarEvolution &evolution) {
  Endings endings;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *exit =
        loop->isInnermost() && loop->getExitingBlock() == loop->getLoopLatch() ? loop->getExitBlock() : nullptr;
    if (!exit)
      continue;
    for (PHINode &last : exit->phis()) {
      auto *value = last.getNumIncomingValues() == 1 && evolution.isSCEVable(last.getType())
                        ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(last.getIncomingValue(0)))
                        : nullptr;
      for (const Use &use : last.uses())
        if (auto *join = dyn_cast<PHINode>(use.getUser()); join && value && value->getLoop() == loop)
          endings[{join, join->getIncomingBlock(use)}] = value;
    }
  }
  return endings;
}

/// Lets what follows innermost loops compute how far their variables have come, if that is cheap, so that a variable
/// may serve nothing but addresses.
static bool freeVariables(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SCEVExpander expander(evolution, "last");
  SmallVector<WeakTrackingVH, 16> unused;
  auto isForOneArray = [](Loop &loop) {
    return any_of(loop.getHeader()->phis(),
                  [&](PHINode &variable) { return servesOneArray(variable, loop, /*isEarly=*/true); });
  };
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && isForOneArray(*loop) &&
        loop->isLCSSAForm(analyses.getResult<DominatorTreeAnalysis>(function)))
      rewriteLoopExitValues(loop, &loops, &analyses.getResult<TargetLibraryAnalysis>(function), &evolution,
                            &analyses.getResult<TargetIRAnalysis>(function), expander,
                            &analyses.getResult<DominatorTreeAnalysis>(function), OnlyCheapRepl, unused);
  bool changed = !unused.empty();
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  return changed;
}

PreservedAnalyses AddressChains::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  Endings endings = findEndings(loops, evolution);
  bool changed = freeVariables(function, analyses);
  Chains chains(function, evolution, loops, endings);
  for (BasicBlock &block : function)
    changed |= chains.runOn(block);
  changed |= deleteUnusedVariables(loops);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
