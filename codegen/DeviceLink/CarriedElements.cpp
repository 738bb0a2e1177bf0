// In:  do k = 2, n                          Out: previous = d(i, 1)
//        d(i, k) = d(i, k) - a * d(i, k - 1)     do k = 2, n
//      end do                                      previous = d(i, k) - a * previous
//                                                  d(i, k) = previous
//                                                end do
//
// The next element then waits for arithmetic only, not for the memory as well. Where the sweep is in an array of the
// thread and nothing else reads what it stores, the store goes, too.

#include "codegen/DeviceLink/CarriedElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// How many bytes of elements a loop may carry: each four are a register in all of its rounds.
constexpr unsigned mostBytesCarried = 64;

/// A load or store of a loop whose address moves on by the same step in each round.
struct Access {
  Instruction *instruction;
  const SCEVAddRecExpr *place;
  unsigned size; ///< bytes

  bool isStore() const { return isa<StoreInst>(instruction); }
  Value *value() const { return isStore() ? cast<StoreInst>(instruction)->getValueOperand() : instruction; }
  const SCEV *step(ScalarEvolution &evolution) const { return place->getStepRecurrence(evolution); }
};

/// The loads and stores of scalars in `loop` with a place that moves on.
SmallVector<Access> accessesOf(const Loop &loop, ScalarEvolution &evolution, const DataLayout &layout) {
  SmallVector<Access> accesses;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      Value *address = getLoadStorePointerOperand(&instruction);
      Type *type = address ? getLoadStoreType(&instruction) : nullptr;
      if (!type || instruction.isVolatile() || instruction.isAtomic() ||
          !(type->isIntegerTy() || type->isFloatingPointTy()))
        continue;
      const auto *place = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(address));
      if (place && place->getLoop() == &loop && place->isAffine())
        accesses.push_back({&instruction, place, unsigned(layout.getTypeStoreSize(type))});
    }
  return accesses;
}

std::optional<int64_t> constantOf(const SCEV *value) {
  const auto *constant = dyn_cast<SCEVConstant>(value);
  return constant ? constant->getAPInt().trySExtValue() : std::nullopt;
}

/// What one loop carries from round to round.
class CarryingLoop {
public:
  CarryingLoop(Loop &loop, ScalarEvolution &evolution, const DominatorTree &tree, AAResults &aliases)
      : loop(loop), evolution(evolution), tree(tree), aliases(aliases),
        accesses(accessesOf(loop, evolution, loop.getHeader()->getDataLayout())) {
    this->aliases.enableCrossIterationMode();
    safety.computeLoopSafetyInfo(&loop);
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        if (instruction.mayWriteToMemory())
          writes.push_back(&instruction);
        declaresScopes |= isa<NoAliasScopeDeclInst>(instruction);
      }
  }

  bool run() {
    SmallVector<std::pair<const Access *, const Access *>> pairs;
    for (const Access &load : accesses)
      if (!load.isStore() && safety.isGuaranteedToExecute(*load.instruction, &tree, &loop))
        if (const Access *source = sourceOf(load))
          pairs.emplace_back(&load, source);
    unsigned bytes = 0;
    bool changed = false;
    for (const auto &[load, source] : pairs) {
      if (bytes + load->size > mostBytesCarried)
        break;
      if (!carry(*load, *source))
        continue;
      bytes += load->size;
      changed = true;
    }
    // What has been replaced may be what another load's next value was taken from, until here.
    for (const auto &[load, carried] : replaced)
      RecursivelyDeleteTriviallyDeadInstructions(load);
    return changed;
  }

private:
  /// The access of the same loop that has in each round what `load` reads in the next, or null.
  const Access *sourceOf(const Access &load) {
    for (const Access &source : accesses)
      if (source.value()->getType() == load.value()->getType() &&
          tree.dominates(source.instruction->getParent(), loop.getLoopLatch()) &&
          source.step(evolution) == load.step(evolution) &&
          evolution.getMinusSCEV(source.place, load.place) == load.step(evolution) &&
          (!source.isStore() || tree.dominates(load.instruction, source.instruction) ||
           isStepAtLeast(load.size, load)) &&
          isUntouched(load, source))
        return &source;
    return nullptr;
  }

  bool isStepAtLeast(int64_t size, const Access &access) const {
    std::optional<int64_t> step = constantOf(access.step(evolution));
    return step && std::abs(*step) >= size;
  }

  /// True if nothing but `source` writes to what `load` reads, since the round before.
  bool isUntouched(const Access &load, const Access &source) {
    MemoryLocation location = MemoryLocation::get(cast<LoadInst>(load.instruction));
    location.Size = LocationSize::beforeOrAfterPointer();
    // Such scopes may hold for one round only.
    if (declaresScopes)
      location.AATags.Scope = location.AATags.NoAlias = nullptr;
    return all_of(writes, [&](Instruction *write) {
      return write == source.instruction || !isModSet(aliases.getModRefInfo(write, location)) ||
             isElsewhere(*write, load);
    });
  }

  /// True if the store `write` is to a place at a known distance from what `load` reads in this round and the next.
  bool isElsewhere(const Instruction &write, const Access &load) {
    const auto *store = find_if(accesses, [&](const Access &each) { return each.instruction == &write; });
    if (store == accesses.end() || store->step(evolution) != load.step(evolution))
      return false;
    std::optional<int64_t> step = constantOf(load.step(evolution));
    std::optional<int64_t> distance = constantOf(evolution.getMinusSCEV(store->place, load.place));
    auto isApart = [&](int64_t from) { return from >= int64_t(load.size) || -from >= int64_t(store->size); };
    return step && distance && isApart(*distance) && isApart(*distance - *step);
  }

  /// Replaces `load` by what `source` had in the round before, and by a load before the loop.
  bool carry(const Access &load, const Access &source) {
    BasicBlock *before = loop.getLoopPreheader();
    auto *original = cast<LoadInst>(load.instruction);
    SCEVExpander expander(evolution, "carried");
    if (!expander.isSafeToExpandAt(load.place->getStart(), before->getTerminator()))
      return false;
    Value *address = expander.expandCodeFor(load.place->getStart(), original->getPointerOperandType(),
                                            before->getTerminator()->getIterator());
    auto *first = new LoadInst(original->getType(), address, "carried.first", /*isVolatile=*/false,
                               original->getAlign(), before->getTerminator()->getIterator());
    first->setAAMetadata(original->getAAMetadata());
    auto *carried = PHINode::Create(original->getType(), 2, "carried");
    carried->insertBefore(loop.getHeader()->begin());
    carried->addIncoming(first, before);
    // The source may be a load that is carried itself by now.
    Value *next = replaced.lookup(source.instruction);
    carried->addIncoming(next ? next : source.value(), loop.getLoopLatch());
    evolution.forgetValue(original);
    original->replaceAllUsesWith(carried);
    replaced[original] = carried;
    return true;
  }

  Loop &loop;
  ScalarEvolution &evolution;
  const DominatorTree &tree;
  BatchAAResults aliases;
  SimpleLoopSafetyInfo safety;
  SmallVector<Access> accesses;
  SmallVector<Instruction *> writes;
  SmallMapVector<Instruction *, Value *, 8> replaced; ///< loads, and what is carried instead
  bool declaresScopes = false;
};

/// A store of a loop to an array of the thread.
class PrivateStore {
public:
  /// `access` is one of `accesses`, those of `loop`.
  PrivateStore(const Access &access, ArrayRef<Access> accesses, const Loop &loop, ScalarEvolution &evolution,
               const DominatorTree &tree, const LoopInfo &loops)
      : access(access), accesses(accesses), loop(loop), evolution(evolution), tree(tree), loops(loops) {}

  /// True if nothing reads what is stored.
  bool isUnread() const {
    auto *store = cast<StoreInst>(access.instruction);
    auto *array = dyn_cast<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    SmallVector<const Instruction *> readers;
    return array && findReaders(*array, readers) && all_of(readers, [&](const Instruction *reader) {
             return loop.contains(reader) ? isBehind(*reader)
                                          : !isPotentiallyReachable(store, reader, nullptr, &tree, &loops);
           });
  }

private:
  /// Collects what reads the memory of `array`. Returns false if something else has its address.
  static bool findReaders(AllocaInst &array, SmallVectorImpl<const Instruction *> &readers) {
    SmallVector<Value *> addresses = {&array};
    while (!addresses.empty()) {
      Value *address = addresses.pop_back_val();
      for (User *user : address->users()) {
        if (isa<GetElementPtrInst, AddrSpaceCastInst>(user))
          addresses.push_back(user);
        else if (isa<LoadInst>(user))
          readers.push_back(cast<Instruction>(user));
        else if (auto *store = dyn_cast<StoreInst>(user); store && store->getValueOperand() != address)
          continue;
        else if (auto *call = dyn_cast<IntrinsicInst>(user); !call || !call->isLifetimeStartOrEnd())
          return false;
      }
    }
    return true;
  }

  /// True if `reader`, in the same loop, reads places only before the store comes to them.
  bool isBehind(const Instruction &reader) const {
    const auto *load = find_if(accesses, [&](const Access &each) { return each.instruction == &reader; });
    if (load == accesses.end() || load->step(evolution) != access.step(evolution))
      return false;
    std::optional<int64_t> step = constantOf(access.step(evolution));
    std::optional<int64_t> ahead = constantOf(evolution.getMinusSCEV(load->place, access.place));
    if (!step || !ahead || *step == 0 || load->size != access.size || std::abs(*step) < int64_t(access.size))
      return false;
    if (*ahead == 0)
      return tree.dominates(&reader, access.instruction);
    return *ahead % *step == 0 && *ahead / *step > 0;
  }

  const Access &access;
  ArrayRef<Access> accesses;
  const Loop &loop;
  ScalarEvolution &evolution;
  const DominatorTree &tree;
  const LoopInfo &loops;
};

} // namespace

PreservedAnalyses CarriedElements::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->isLoopSimplifyForm())
      changed |= CarryingLoop(*loop, evolution, tree, aliases).run();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

PreservedAnalyses UnreadElements::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  SmallVector<Instruction *> unread;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    SmallVector<Access> accesses = accessesOf(*loop, evolution, function.getDataLayout());
    for (const Access &access : accesses)
      if (access.isStore() && PrivateStore(access, accesses, *loop, evolution, tree, loops).isUnread())
        unread.push_back(access.instruction);
  }
  if (unread.empty())
    return PreservedAnalyses::all();
  for (Instruction *store : unread) {
    Value *operands[] = {store->getOperand(0), store->getOperand(1)};
    store->eraseFromParent();
    for (Value *operand : operands)
      RecursivelyDeleteTriviallyDeadInstructions(operand);
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
