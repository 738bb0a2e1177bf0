//   search:        br i1 %c, label %found, label %next
//   found:         %number = phi i64 [ 7, %search ], [ 6, %next ], ...
//                  %place = getelementptr float, ptr %list, i64 %number
//                  store float %x, ptr %place
//
// becomes
//
//   search:        br i1 %c, label %search.found, label %next
//   search.found:  store float %x, ptr %list.7
//                  br label %found
//
// and SROA puts %list into registers.

#include "codegen/DeviceLink/LocalStores.h"
#include "codegen/DeviceLink/Speculation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

/// Bytes of an array, and ways to a store, up to which registers are likely to be enough.
static constexpr uint64_t mostBytes = 256;
static constexpr unsigned mostWays = 32;

/// Instructions that are computed on each way because the value to be stored needs them.
static constexpr unsigned mostCopied = 8;

/// True if `value` in `block` is a constant on each way to the block: a phi of constants, or calculated from such.
static bool isConstantOnWays(Value *value, BasicBlock *block) {
  if (isa<Constant>(value))
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != block)
    return false;
  if (auto *phi = dyn_cast<PHINode>(instruction))
    return all_of(phi->incoming_values(), [](Value *incoming) { return isa<Constant>(incoming); });
  return isa<CastInst, BinaryOperator>(instruction) &&
         all_of(instruction->operands(), [&](Value *operand) { return isConstantOnWays(operand, block); });
}

/// A constant place in an array of the thread.
static bool isKnownPlace(Value *pointer) {
  auto *address = dyn_cast_if_present<GetElementPtrInst>(pointer);
  return isa_and_present<AllocaInst>(pointer) ||
         (address && address->hasAllConstantIndices() && isKnownPlace(address->getPointerOperand()));
}

/// True if `address` is a known place on each way to its block.
static bool isKnownOnWays(Instruction &address) {
  if (auto *phi = dyn_cast<PHINode>(&address))
    return all_of(phi->incoming_values(), [](Value *place) { return isKnownPlace(place); });
  auto *element = dyn_cast<GetElementPtrInst>(&address);
  if (!element)
    return false;
  auto *base = dyn_cast<Instruction>(element->getPointerOperand());
  bool isBaseKnown = isKnownPlace(base) || (base && base->getParent() == address.getParent() && isKnownOnWays(*base));
  return isBaseKnown &&
         all_of(element->indices(), [&](Value *index) { return isConstantOnWays(index, address.getParent()); });
}

namespace {

/// Stores to a place that each way to their block knows, with what they store.
class SplitStores {
public:
  /// The stores to `place`, if they are all that uses it, and the first things in their block that memory sees.
  static std::optional<SplitStores> match(Instruction &place) {
    BasicBlock *block = place.getParent();
    SmallPtrSet<BasicBlock *, 16> ways(pred_begin(block), pred_end(block));
    if (place.use_empty() || ways.size() != pred_size(block) || ways.size() > mostWays || ways.contains(block))
      return std::nullopt;
    for (User *user : place.users()) {
      auto *store = dyn_cast<StoreInst>(user);
      if (!store || store->getValueOperand() == &place || store->getParent() != block)
        return std::nullopt;
    }
    SplitStores result(place);
    return result.isComplete() ? std::optional(std::move(result)) : std::nullopt;
  }

  void split() {
    BasicBlock *block = place->getParent();
    SmallVector<BasicBlock *> ways(predecessors(block));
    for (BasicBlock *way : ways) {
      if (way->getTerminator()->getNumSuccessors() > 1)
        way = SplitEdge(way, block);
      IRBuilder<> builder(way->getTerminator());
      DenseMap<Value *, Value *> made;
      for (StoreInst *store : stores) {
        Instruction *copy = store->clone();
        copy->setOperand(0, onWay(store->getValueOperand(), way, builder, made));
        copy->setOperand(1, onWay(store->getPointerOperand(), way, builder, made));
        builder.Insert(copy);
      }
    }
    for (StoreInst *store : stores)
      store->eraseFromParent();
  }

private:
  explicit SplitStores(Instruction &place) : place(&place) {}

  /// Collects the stores; false if something else is in their way, or they store what cannot be had before.
  bool isComplete() {
    BasicBlock &block = *place->getParent();
    unsigned left = place->getNumUses(), copied = 0;
    for (Instruction &instruction : block) {
      if (left == 0)
        break;
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store) {
        if (instruction.mayReadOrWriteMemory() || instruction.isTerminator())
          return false;
        continue;
      }
      if (!store->isSimple() || !canBeHadBefore(store->getValueOperand(), copied) ||
          !canBeHadBefore(store->getPointerOperand(), copied))
        return false;
      stores.push_back(store);
      left -= store->getPointerOperand() == place;
    }
    return left == 0;
  }

  bool canBeHadBefore(Value *value, unsigned &copied) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != place->getParent() || isa<PHINode>(instruction))
      return true;
    if (++copied > mostCopied || instruction->mayReadOrWriteMemory() || !canComputeEarly(*instruction))
      return false;
    return all_of(instruction->operands(), [&](Value *operand) { return canBeHadBefore(operand, copied); });
  }

  /// What `value` is if the block is entered from `way`.
  Value *onWay(Value *value, BasicBlock *way, IRBuilder<> &builder, DenseMap<Value *, Value *> &made) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != place->getParent())
      return value;
    if (auto *phi = dyn_cast<PHINode>(instruction))
      return phi->getIncomingValueForBlock(way);
    if (Value *known = made.lookup(value))
      return known;
    Instruction *copy = instruction->clone();
    for (Use &operand : copy->operands())
      operand.set(onWay(operand, way, builder, made));
    if (Constant *constant = ConstantFoldInstruction(copy, place->getDataLayout())) {
      copy->deleteValue();
      return made[value] = constant;
    }
    builder.Insert(copy);
    return made[value] = copy;
  }

  Instruction *place;
  SmallVector<StoreInst *> stores; ///< of the block, up to the last one to `place`: they keep their order
};

} // namespace

/// Places in an array that only the ways to their blocks know.
using Places = SetVector<Instruction *>;

/// True if each use of `array` is one that SROA deals with, once the stores to some places are split, which are added
/// to `places`.
static bool becomesScalars(AllocaInst &array, Places &places) {
  SetVector<Value *> found;
  found.insert(&array);
  for (size_t next = 0; next < found.size(); ++next) {
    Value *place = found[next];
    for (User *user : place->users()) {
      auto *instruction = cast<Instruction>(user);
      if (isa<PHINode, GetElementPtrInst>(user)) {
        if (!isKnownPlace(user) && !isKnownOnWays(*instruction))
          return false;
        found.insert(user);
      } else if (auto *store = dyn_cast<StoreInst>(user)) {
        if (!store->isSimple() || store->getValueOperand() == place)
          return false;
        if (!isKnownPlace(place))
          places.insert(cast<Instruction>(place));
      } else if (auto *load = dyn_cast<LoadInst>(user)) {
        if (!load->isSimple() || !isKnownPlace(place))
          return false;
      } else if (auto *memory = dyn_cast<MemIntrinsic>(user)) {
        if (!isa<ConstantInt>(memory->getLength()) || !isKnownPlace(place))
          return false;
      } else if (!instruction->isLifetimeStartOrEnd()) {
        return false;
      }
    }
  }
  return true;
}

/// The arrays of `function` that nothing but stores which can be split keeps in memory, with the places of these.
static MapVector<const Value *, Places> arraysToSplit(Function &function) {
  MapVector<const Value *, Places> arrays;
  for (Instruction &instruction : instructions(function)) {
    auto *array = dyn_cast<AllocaInst>(&instruction);
    auto size = array ? array->getAllocationSize(function.getDataLayout()) : std::nullopt;
    Places places;
    if (size && *size <= mostBytes && becomesScalars(*array, places) && !places.empty() &&
        all_of(places, [](Instruction *place) { return SplitStores::match(*place).has_value(); }))
      arrays[array] = std::move(places);
  }
  // A phi may be of places in several arrays.
  auto isOfThese = [&](Instruction *place) {
    auto *phi = dyn_cast<PHINode>(place);
    return !phi ||
           all_of(phi->incoming_values(), [&](Value *way) { return arrays.contains(getUnderlyingObject(way)); });
  };
  arrays.remove_if([&](const auto &array) { return !all_of(array.second, isOfThese); });
  return arrays;
}

PreservedAnalyses cufort::codegen::LocalStores::run(Function &function, FunctionAnalysisManager &analyses) {
  auto arrays = arraysToSplit(function);
  if (arrays.empty())
    return PreservedAnalyses::all();
  Places all;
  for (auto &[array, places] : arrays)
    all.insert_range(places);
  for (Instruction *place : all)
    // The stores to another place may have taken those to this one with them.
    if (auto stores = SplitStores::match(*place))
      stores->split();
  for (Instruction *place : all)
    RecursivelyDeleteTriviallyDeadInstructions(place);
  analyses.invalidate(function, PreservedAnalyses::none());
  SROAPass(SROAOptions::ModifyCFG).run(function, analyses);
  return PreservedAnalyses::none();
}
