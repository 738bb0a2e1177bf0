// In:  best = phi i16 [ 0, ... ], [ select i16 (condition, 4, best), ... ]; store i16 best
// Out: best = phi i32 [ 0, ... ], [ select i32 (condition, 4, best), ... ]; store i16 (trunc best)

#include "codegen/DeviceLink/WideChoices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace cufort::codegen;

/// Choices that are worth it.
static constexpr size_t fewestChoices = 3;

namespace {

bool isNarrowChoice(const Value *value) {
  return isa<PHINode, SelectInst>(value) && (value->getType()->isIntegerTy(8) || value->getType()->isIntegerTy(16));
}

/// The operands of `choice` that it chooses from.
SmallVector<Use *> alternativesOf(Instruction &choice) {
  SmallVector<Use *> result;
  for (Use &operand : choice.operands())
    if (isa<PHINode>(choice) || operand.getOperandNo() > 0)
      result.push_back(&operand);
  return result;
}

/// Choices from each other and from numbers that are easily had in 32 bits.
class Choices {
public:
  /// All that `first` is connected with.
  explicit Choices(Instruction &first) : type(first.getType()) {
    all.insert(&first);
    for (size_t next = 0; next < all.size(); ++next) {
      for (Use *alternative : alternativesOf(*all[next]))
        if (auto *other = dyn_cast<Instruction>(alternative->get()); other && isNarrowChoice(other))
          all.insert(other);
      for (User *user : all[next]->users())
        if (isNarrowChoice(user) && user->getType() == type)
          all.insert(cast<Instruction>(user));
    }
  }

  ArrayRef<Instruction *> choices() const { return all.getArrayRef(); }

  bool areWorthwhile() const {
    return all.size() >= fewestChoices && all_of(all, [&](Instruction *choice) {
             return all_of(alternativesOf(*choice), [&](const Use *use) { return isKnown(*use->get()); }) &&
                    all_of(choice->uses(), [&](const Use &use) { return isKnownUse(use); });
           });
  }

  void widen() {
    for (Instruction *choice : all)
      wide[choice] = createWide(*choice);
    for (Instruction *choice : all)
      for (auto [alternative, place] : zip(alternativesOf(*choice), alternativesOf(*wide[choice])))
        place->set(widened(*alternative->get()));
    for (Instruction *choice : all)
      replaceUses(*choice);
    for (Instruction *choice : all) {
      choice->replaceAllUsesWith(PoisonValue::get(type));
      choice->eraseFromParent();
    }
  }

private:
  bool isMember(const Value &value) const {
    return all.contains(const_cast<Instruction *>(dyn_cast<Instruction>(&value)));
  }

  bool isKnown(const Value &alternative) const {
    return isMember(alternative) || isa<ConstantInt, LoadInst, ZExtInst>(alternative) ||
           (isa<TruncInst>(alternative) && cast<TruncInst>(alternative).getSrcTy()->isIntegerTy(32));
  }

  bool isKnownUse(const Use &use) const {
    const User *user = use.getUser();
    if (auto *store = dyn_cast<StoreInst>(user))
      return store->getValueOperand() == use.get();
    if (isa<ZExtInst, SExtInst>(user))
      return user->getType()->isIntegerTy(32) || user->getType()->isIntegerTy(64);
    return isMember(*user) && (isa<PHINode>(user) || use.getOperandNo() > 0);
  }

  /// `choice` in 32 bits, without what it chooses from.
  Instruction *createWide(Instruction &choice) {
    IRBuilder<> builder(&choice);
    Type *number = builder.getInt32Ty();
    if (auto *select = dyn_cast<SelectInst>(&choice)) {
      Value *none = PoisonValue::get(number);
      return SelectInst::Create(select->getCondition(), none, none, "", choice.getIterator());
    }
    auto &phi = cast<PHINode>(choice);
    PHINode *result = builder.CreatePHI(number, phi.getNumIncomingValues());
    for (BasicBlock *from : phi.blocks())
      result->addIncoming(PoisonValue::get(number), from);
    return result;
  }

  /// `value` in 32 bits, of which the upper ones are 0.
  Value *widened(Value &value) {
    if (Value *choice = wide.lookup(&value))
      return choice;
    Type *number = Type::getInt32Ty(value.getContext());
    if (auto *constant = dyn_cast<ConstantInt>(&value))
      return ConstantInt::get(number, constant->getZExtValue());
    Value *&known = others[&value];
    if (known)
      return known;
    auto &instruction = cast<Instruction>(value);
    IRBuilder<> builder(instruction.getNextNode());
    if (isa<TruncInst>(value))
      return known = builder.CreateAnd(instruction.getOperand(0), maxUIntN(type->getIntegerBitWidth()));
    return known = builder.CreateZExt(isa<ZExtInst>(value) ? instruction.getOperand(0) : &value, number);
  }

  void replaceUses(Instruction &choice) {
    Instruction *result = wide[&choice];
    for (Use &use : make_early_inc_range(choice.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isMember(*user))
        continue;
      IRBuilder<> builder(user);
      if (auto *extension = dyn_cast<ZExtInst>(user))
        extension->replaceAllUsesWith(builder.CreateZExtOrTrunc(result, extension->getType()));
      else
        use.set(builder.CreateTrunc(result, type));
    }
  }

  Type *type;
  SmallSetVector<Instruction *, 8> all;
  DenseMap<Value *, Instruction *> wide;
  DenseMap<Value *, Value *> others;
};

} // namespace

PreservedAnalyses WideChoices::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<Instruction *> candidates;
  for (Instruction &instruction : instructions(function))
    if (isNarrowChoice(&instruction))
      candidates.push_back(&instruction);
  SmallPtrSet<Instruction *, 16> seen;
  bool changed = false;
  for (Instruction *candidate : candidates) {
    if (seen.contains(candidate))
      continue;
    Choices choices(*candidate);
    seen.insert(choices.choices().begin(), choices.choices().end());
    if (!choices.areWorthwhile())
      continue;
    choices.widen();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
