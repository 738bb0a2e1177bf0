// In:  if a: store of x to p        Out: if a: y = x
//      else: store of 0 to p             else: y = 0
//      if b: store of z to p             if b: y = z
//                                        store of y to p

#include "codegen/DeviceLink/StoredOnce.h"
#include "codegen/DeviceLink/NeighbouringStores.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// What is stored behind a conditional is in registers until then.
constexpr unsigned mostStores = 8;
/// Conditionals of more blocks are left alone.
constexpr unsigned mostBlocks = 24;

using Stores = SmallVector<StoreInst *, 4>;

/// A place that is stored to on all ways from `first` to `end`.
struct Place {
  const SCEV *address;
  Stores stores;
  BasicBlock *first, *end;
  SmallVector<LoadInst *, 4> loads = {}; ///< from the place, between the ends
};

class Finder {
public:
  Finder(Function &function, FunctionAnalysisManager &analyses)
      : tree(analyses.getResult<DominatorTreeAnalysis>(function)),
        after(analyses.getResult<PostDominatorTreeAnalysis>(function)),
        loops(analyses.getResult<LoopAnalysis>(function)), aliases(analyses.getResult<AAManager>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        add(instruction);
  }

  SmallVector<Place> find() {
    SmallVector<Place> places;
    for (auto &[where, found] : stores)
      for (Stores &near : byLoop(found))
        if (auto place = placeOf(where, near))
          places.push_back(std::move(*place));
    keepNeighboursTogether(places);
    return places;
  }

private:
  /// Leaves places as they are beside which the same branches store, where that cannot be done behind them: stores of
  /// neighbours become one.
  void keepNeighboursTogether(SmallVector<Place> &places) {
    SmallPtrSet<const StoreInst *, 16> all, moved;
    for (auto &[where, found] : stores)
      all.insert_range(found);
    for (const Place &place : places)
      moved.insert_range(place.stores);
    auto staysBeside = [&](const StoreInst *store) {
      return any_of(all, [&](const StoreInst *other) {
        return other->getParent() == store->getParent() && !moved.contains(other) && areBeside(*store, *other);
      });
    };
    while (true) {
      auto *place = find_if(places, [&](const Place &each) { return any_of(each.stores, staysBeside); });
      if (place == places.end())
        return;
      for (const StoreInst *store : place->stores)
        moved.erase(store);
      places.erase(place);
    }
  }

  bool areBeside(const StoreInst &store, const StoreInst &other) const {
    std::optional<int64_t> bytes = distanceBetween(store, other, evolution);
    return bytes && std::abs(*bytes) < mostStoredBytes;
  }

  using Where = std::pair<const SCEV *, Type *>;

  void add(Instruction &instruction) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (load && load->isSimple())
      loads[{evolution.getSCEV(load->getPointerOperand()), load->getType()}].push_back(load);
    else if (store && store->isSimple() && !isToLocalArray(*store))
      stores[{evolution.getSCEV(store->getPointerOperand()), store->getValueOperand()->getType()}].push_back(store);
  }

  /// Local arrays may become registers.
  static bool isToLocalArray(const StoreInst &store) {
    return isa<AllocaInst>(getUnderlyingObject(store.getPointerOperand(), /*MaxLookup=*/0));
  }

  /// The stores of each loop.
  SmallVector<Stores> byLoop(ArrayRef<StoreInst *> all) const {
    SmallMapVector<const Loop *, Stores, 4> result;
    for (StoreInst *store : all)
      result[loops.getLoopFor(store->getParent())].push_back(store);
    SmallVector<Stores> groups;
    for (auto &[loop, group] : result)
      groups.push_back(std::move(group));
    return groups;
  }

  std::optional<Place> placeOf(const Where &where, ArrayRef<StoreInst *> group) {
    if (group.size() < 2)
      return std::nullopt;
    BasicBlock *first = group.front()->getParent(), *end = first;
    for (StoreInst *store : group) {
      first = tree.findNearestCommonDominator(first, store->getParent());
      end = end ? after.findNearestCommonDominator(end, store->getParent()) : nullptr;
    }
    if (!haveBranches(group))
      return std::nullopt;
    const Loop *loop = loops.getLoopFor(group.front()->getParent());
    if (!end || first == end || loops.getLoopFor(first) != loop || loops.getLoopFor(end) != loop ||
        loops.isLoopHeader(end))
      return std::nullopt;
    Place place = {where.first, Stores(group), first, end};
    auto between = blocksOf(place);
    auto leadsHere = [&](const BasicBlock *block) { return block == end || tree.dominates(first, block); };
    if (!between || !all_of(*between, leadsHere) || !isAvailable(place) || !isStoredBefore(place, end))
      return std::nullopt;
    for (LoadInst *load : loads.lookup(where))
      if (load->getParent() == first || (load->getParent() != end && between->contains(load->getParent())))
        place.loads.push_back(load);
    return knowsLoads(place) && isNeededByNoneElse(place, *between) ? std::optional(place) : std::nullopt;
  }

  /// True if threads of a warp may go to different ones of `group`.
  bool haveBranches(ArrayRef<StoreInst *> group) const {
    return any_of(group, [&](const StoreInst *one) {
      return any_of(group, [&](const StoreInst *other) {
        return !tree.dominates(one->getParent(), other->getParent()) &&
               !tree.dominates(other->getParent(), one->getParent());
      });
    });
  }

  bool isAvailable(const Place &place) const {
    return SCEVExpander(evolution, "place").isSafeToExpandAt(place.address, place.first->getTerminator());
  }

  using Blocks = SmallPtrSet<BasicBlock *, 16>;

  /// The blocks between the ends of `place`, and its end; nothing if they are many.
  std::optional<Blocks> blocksOf(const Place &place) const {
    Blocks seen;
    SmallVector<BasicBlock *> left(successors(place.first));
    while (!left.empty()) {
      BasicBlock *next = left.pop_back_val();
      if (!seen.insert(next).second || next == place.end)
        continue;
      if (seen.size() > mostBlocks || loops.getLoopFor(next) != loops.getLoopFor(place.first))
        return std::nullopt;
      append_range(left, successors(next));
    }
    return seen;
  }

  static bool hasStore(const Place &place, const BasicBlock *block) {
    return any_of(place.stores, [&](const StoreInst *store) { return store->getParent() == block; });
  }

  /// True if every way to the beginning of `block` has stored.
  bool isStoredBefore(const Place &place, const BasicBlock *block) const {
    if (hasStore(place, place.first))
      return true;
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<const BasicBlock *> left(successors(place.first));
    while (!left.empty()) {
      const BasicBlock *next = left.pop_back_val();
      if (next == block)
        return false;
      if (next != place.end && !hasStore(place, next) && seen.insert(next).second)
        append_range(left, successors(next));
    }
    return true;
  }

  static bool isBehindStoreOfBlock(const Place &place, const LoadInst *load) {
    return any_of(place.stores, [&](const StoreInst *store) {
      return store->getParent() == load->getParent() && store->comesBefore(load);
    });
  }

  /// True if loads find what an earlier block has stored, which none stores as it is.
  bool knowsLoads(Place &place) const {
    // Those before the first store are not between the ends.
    erase_if(place.loads, [&](const LoadInst *load) {
      return load->getParent() == place.first && !isBehindStoreOfBlock(place, load);
    });
    return all_of(place.loads, [&](const LoadInst *load) {
      return isStoredBefore(place, load->getParent()) && !isBehindStoreOfBlock(place, load) &&
             none_of(place.stores, [&](const StoreInst *store) { return store->getValueOperand() == load; });
    });
  }

  /// True if nothing `between` the first store and the end reads what is there in another way, or writes it, or lets
  /// other threads see it.
  bool isNeededByNoneElse(const Place &place, const Blocks &between) {
    MemoryLocation memory = MemoryLocation::get(place.stores.front());
    auto mayNeed = [&](Instruction &each) {
      if (!each.mayReadOrWriteMemory() || is_contained(place.stores, dyn_cast<StoreInst>(&each)) ||
          is_contained(place.loads, dyn_cast<LoadInst>(&each)))
        return false;
      return each.isVolatile() || each.isAtomic() || aliases.getModRefInfo(&each, memory) != ModRefInfo::NoModRef;
    };
    bool begins = false;
    for (Instruction &each : *place.first) {
      begins |= is_contained(place.stores, dyn_cast<StoreInst>(&each));
      if (begins && mayNeed(each))
        return false;
    }
    return none_of(between, [&](BasicBlock *block) { return block != place.end && any_of(*block, mayNeed); }) &&
           !hasStore(place, place.end);
  }

  DominatorTree &tree;
  PostDominatorTree &after;
  LoopInfo &loops;
  AAResults &aliases;
  ScalarEvolution &evolution;
  MapVector<Where, Stores> stores;
  DenseMap<Where, SmallVector<LoadInst *, 4>> loads;
};

/// Stores behind conditionals.
class Storer {
public:
  Storer(Function &function, FunctionAnalysisManager &analyses)
      : tree(analyses.getResult<DominatorTreeAnalysis>(function)), loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  /// Replaces the stores to `place` by one at its end.
  void storeAtEnd(const Place &place) {
    BasicBlock *end = endOf(place);
    SSAUpdater values;
    StoreInst &model = *place.stores.front();
    values.Initialize(model.getValueOperand()->getType(), "stored");
    for (StoreInst *store : place.stores)
      values.AddAvailableValue(store->getParent(), store->getValueOperand());
    auto *store = cast<StoreInst>(model.clone());
    store->insertBefore(end->getFirstInsertionPt());
    store->setOperand(0, values.GetValueInMiddleOfBlock(end));
    if (!tree.dominates(store->getPointerOperand(), store))
      store->setOperand(1, SCEVExpander(evolution, "place").expandCodeFor(place.address, nullptr, store));
    for (LoadInst *load : place.loads) {
      load->replaceAllUsesWith(values.GetValueInMiddleOfBlock(load->getParent()));
      load->eraseFromParent();
    }
    AAMDNodes tags = model.getAAMetadata();
    for (StoreInst *other : place.stores) {
      tags = tags.merge(other->getAAMetadata());
      store->setAlignment(std::min(store->getAlign(), other->getAlign()));
      store->applyMergedLocation(store->getDebugLoc(), other->getDebugLoc());
    }
    store->dropUnknownNonDebugMetadata();
    store->setAAMetadata(tags);
    for (StoreInst *other : place.stores)
      other->eraseFromParent();
  }

private:
  /// The block for the store: one in front of the end if others lead there, too, such as threads with nothing to do.
  BasicBlock *endOf(const Place &place) {
    if (tree.dominates(place.first, place.end))
      return place.end;
    BasicBlock *&own = ends[{place.first, place.end}];
    if (!own) {
      SmallVector<BasicBlock *> ways;
      for (BasicBlock *way : predecessors(place.end))
        if (tree.dominates(place.first, way) && !is_contained(ways, way))
          ways.push_back(way);
      own = SplitBlockPredecessors(place.end, ways, ".stored", &tree, &loops);
    }
    return own;
  }

  DominatorTree &tree;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  SmallDenseMap<std::pair<BasicBlock *, BasicBlock *>, BasicBlock *> ends;
};

} // namespace

PreservedAnalyses cufort::codegen::StoredOnce::run(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<Place> places = Finder(function, analyses).find();
  SmallDenseMap<const BasicBlock *, unsigned> counts;
  for (const Place &place : places)
    ++counts[place.end];
  erase_if(places, [&](const Place &place) { return counts.lookup(place.end) > mostStores; });
  if (places.empty())
    return PreservedAnalyses::all();
  // The inner ones first: what leads to the end of an outer one alone is then found behind them.
  auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  stable_sort(places, [&](const Place &one, const Place &other) {
    return tree.getNode(one.first)->getLevel() > tree.getNode(other.first)->getLevel();
  });
  Storer storer(function, analyses);
  for (const Place &place : places)
    storer.storeAtEnd(place);
  return PreservedAnalyses::none();
}
