// In: a kernel with accesses such as x[2*i] and x[2*i+1] to arrays of which nobody knows where they begin.
// Out:
//
//   kernel$alignedrows, if their rows are such multiples, too: of arrays like x(4, n) whose extents nobody knows
//   kernel$aligned, if every such array is aligned as that takes: a copy with known alignments
//   kernel, as it was
//
// LLVM joins the accesses when it generates code.

#include "codegen/DeviceLink/AlignedVersions.h"
#include "codegen/DeviceLink/ContiguousVersions.h"
#include "codegen/DeviceLink/KnownAlignments.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace cufort::codegen;

static const Align widest(16); ///< what the widest access needs
static constexpr unsigned maxInstructions = 4000;

namespace {

/// Where an array begins: the argument with this number, or an address in it if it is a descriptor, so many bytes
/// behind its start. For CUF kernels, that is where an element with all subscripts 0 would be: it may have no more than
/// an element's alignment.
using Base = std::pair<unsigned, int64_t>;

/// With the alignment that pays.
using Bases = SmallMapVector<Base, Align, 8>;

/// What `value` is for those who launch the kernel; nothing if they cannot tell.
std::optional<Base> findBase(const Value *value) {
  if (auto *argument = dyn_cast<Argument>(value)) {
    bool isAddress = argument->getType()->isPointerTy() && !argument->hasPointeeInMemoryValueAttr();
    return isAddress ? std::optional(Base(argument->getArgNo(), 0)) : std::nullopt;
  }
  auto *load = dyn_cast<LoadInst>(value);
  if (!load)
    return std::nullopt;
  auto [argument, offset] = placeInArgument(const_cast<Value *>(load->getPointerOperand()), load->getDataLayout());
  bool isKnown = argument && argument->hasPointeeInMemoryValueAttr() && isOnlyLoaded(*argument);
  return isKnown ? std::optional(Base(argument->getArgNo(), offset)) : std::nullopt;
}

/// One load or store of an array.
struct Access {
  Value *place;
  const SCEV *address;
  Align aligned; ///< if the array is aligned for the widest access
};

/// Neighbours of an array that are accessed in a block, as the components of x(:, i) are.
struct Row {
  uint64_t bytes; ///< of all of them
  SmallVector<Value *> places;
};
using Rows = SmallMapVector<Base, Row, 8>;

class Neighbours {
public:
  Neighbours(Function &kernel, ScalarEvolution &evolution) : layout(kernel.getDataLayout()), evolution(evolution) {
    for (BasicBlock &block : kernel) {
      groups.clear();
      for (Instruction &instruction : block)
        add(instruction);
      findPairs();
      findRows();
    }
  }

  /// The longest rows of arrays, all of whose elements have the alignment of one at most.
  Rows takeRows() { return std::move(rows); }

  /// The starts of the arrays of which neighbours are accessed that can be joined.
  Bases takeBases() { return std::move(bases); }

private:
  /// What accesses have in common that can be joined: the start of the array, bytes, and whether they store.
  using Kind = std::pair<Base, unsigned>;

  void add(Instruction &instruction) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!(load && load->isSimple()) && !(store && store->isSimple()))
      return;
    Value *address = getLoadStorePointerOperand(&instruction);
    std::optional<Base> base;
    Align aligned = knownAlignment(address, layout, [&](const Value *value) {
      base = findBase(value);
      return widest;
    });
    unsigned bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction));
    if (bytes < widest.value() && base)
      groups[{*base, 2 * bytes + (store != nullptr)}].push_back({address, evolution.getSCEV(address), aligned});
  }

  /// The one of `accesses` that is so many bytes behind `first`, or null.
  const Access *findBehind(ArrayRef<Access> accesses, const Access &first, int64_t bytes) {
    auto *found = find_if(accesses, [&](const Access &second) {
      std::optional<APInt> distance = evolution.computeConstantDifference(second.address, first.address);
      return distance && *distance == bytes;
    });
    return found == accesses.end() ? nullptr : found;
  }

  /// Two accesses of one width that fill an aligned piece of twice that width. The piece may be part of a wider one.
  void findPairs() {
    for (auto &[kind, accesses] : groups) {
      accesses.truncate(std::min(accesses.size(), maxAccesses));
      unsigned bytes = kind.second / 2;
      for (const Access &access : accesses)
        if (access.aligned > bases.lookup(kind.first) && access.aligned.value() >= 2 * bytes &&
            findBehind(accesses, access, bytes))
          bases[kind.first] = access.aligned;
    }
  }

  void findRows() {
    for (auto &[kind, accesses] : groups) {
      int64_t bytes = kind.second / 2;
      for (const Access &first : accesses) {
        if (first.aligned.value() > uint64_t(bytes) || findBehind(accesses, first, -bytes))
          continue;
        SmallVector<Value *> places = {first.place};
        while (const Access *next = findBehind(accesses, first, bytes * places.size()))
          places.push_back(next->place);
        Row &longest = rows[kind.first];
        if (bytes * places.size() > longest.bytes)
          longest = {bytes * places.size(), std::move(places)};
      }
    }
  }

  static constexpr size_t maxAccesses = 64;

  const DataLayout &layout;
  ScalarEvolution &evolution;
  MapVector<Kind, SmallVector<Access>> groups; ///< of a block
  Bases bases;
  Rows rows;
};

LaunchCondition areAligned(const Function &kernel, const Bases &bases) {
  LaunchCondition condition;
  for (auto [base, needed] : bases)
    condition.requireBits(*kernel.getArg(base.first), base.second, needed.value() - 1, 0);
  return condition;
}

/// Notes in `copy` what is known if arrays begin at multiples of what `bases` says.
void noteAlignments(Function &copy, const Bases &bases) {
  auto alignmentOf = [&](const Value *value) {
    std::optional<Base> base = findBase(value);
    return base ? bases.lookup(*base) : Align();
  };
  for (Instruction &instruction : instructions(copy))
    if (const Value *address = getLoadStorePointerOperand(&instruction)) {
      Align known = knownAlignment(address, copy.getDataLayout(), alignmentOf);
      setLoadStoreAlignment(&instruction, std::max(getLoadStoreAlignment(&instruction), known));
    }
}

Neighbours findNeighbours(Function &kernel) {
  TargetLibraryInfoImpl libraries(kernel.getParent()->getTargetTriple());
  TargetLibraryInfo library(libraries);
  AssumptionCache assumptions(kernel);
  DominatorTree tree(kernel);
  LoopInfo loops(tree);
  ScalarEvolution evolution(kernel, library, assumptions, tree, loops);
  return Neighbours(kernel, evolution);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

/// True if `place` is computed from `stride`.
bool dependsOn(const Value *place, const NarrowStride &stride) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *> left = {place};
  while (!left.empty()) {
    const Value *next = left.pop_back_val();
    if (is_contained(stride.values, next))
      return true;
    auto *instruction = dyn_cast<Instruction>(next);
    if (instruction && !instruction->mayReadFromMemory() && seen.insert(next).second)
      append_range(left, instruction->operands());
  }
  return false;
}

/// A stride of rows that would be joined if its bytes were known to be a multiple of `factor`.
struct RowStride {
  NarrowStride stride;
  uint64_t factor;
};

/// What the rows with `stride` are a multiple of if they have as many elements as a thread accesses of them; 0 if that
/// is no more than what is known.
uint64_t factorOf(const NarrowStride &stride, const Rows &rows) {
  uint64_t factor = widest.value();
  bool isUsed = false;
  for (const auto &[base, row] : rows)
    if (any_of(row.places, [&](const Value *place) { return dependsOn(place, stride); })) {
      factor = std::min(factor, row.bytes & -row.bytes);
      isUsed = true;
    }
  return isUsed && factor > (stride.elementBytes & -stride.elementBytes) ? factor : 0;
}

std::vector<RowStride> findRowStrides(Function &kernel) {
  std::vector<RowStride> result;
  SmallVector<NarrowStride> strides = narrowStridesOf(kernel);
  if (strides.empty())
    return result;
  const Rows rows = findNeighbours(kernel).takeRows();
  for (NarrowStride &stride : strides)
    if (uint64_t factor = factorOf(stride, rows))
      result.push_back({std::move(stride), factor});
  return result;
}

/// Rounds strides of a copy down, so that LLVM sees what they are multiples of.
class RoundedStrides {
public:
  explicit RoundedStrides(ArrayRef<RowStride> strides) {
    for (const auto &[stride, factor] : strides)
      for (Value *value : stride.values)
        round(value, factor);
  }

  /// Takes out the rounding.
  void forget() {
    for (BinaryOperator *rounded : roundings) {
      rounded->replaceAllUsesWith(rounded->getOperand(0));
      rounded->eraseFromParent();
    }
  }

private:
  void round(Value *value, uint64_t factor) {
    auto *load = dyn_cast<LoadInst>(value);
    BasicBlock &first = load ? *load->getParent() : cast<Argument>(value)->getParent()->getEntryBlock();
    IRBuilder<> builder(&first, load ? std::next(load->getIterator()) : first.getFirstInsertionPt());
    auto *rounded =
        cast<BinaryOperator>(builder.CreateAnd(value, ConstantInt::getSigned(value->getType(), -int64_t(factor))));
    value->replaceUsesWithIf(rounded, [&](const Use &use) { return use.getUser() != rounded; });
    roundings.push_back(rounded);
  }

  SmallVector<BinaryOperator *> roundings;
};

/// True if some of `bases` pays with a greater alignment than in `others`.
bool areMore(const Bases &bases, const Bases &others) {
  return any_of(bases, [&](const auto &base) { return base.second > others.lookup(base.first); });
}

std::optional<KernelVersion> createRowsVersion(Function &kernel, const Bases &withoutRows) {
  if (findRowStrides(kernel).empty())
    return std::nullopt;
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$alignedrows", map);
  std::vector<RowStride> strides = findRowStrides(*copy);
  RoundedStrides rounded(strides);
  Bases bases = findNeighbours(*copy).takeBases();
  if (!areMore(bases, withoutRows)) {
    eraseCopy(*copy);
    return std::nullopt;
  }
  noteAlignments(*copy, bases);
  rounded.forget();
  KernelVersion version{kernel.getName().str(), copy, areAligned(kernel, bases)};
  for (const auto &[stride, factor] : strides)
    version.condition.requireBits(*kernel.getArg(stride.parameter->getArgNo()), stride.offset, factor - 1, 0);
  return version;
}

} // namespace

std::vector<KernelVersion> cufort::codegen::createAlignedVersions(Function &kernel) {
  std::vector<KernelVersion> versions;
  if (kernel.getInstructionCount() > maxInstructions)
    return versions;
  Bases bases = findNeighbours(kernel).takeBases();
  if (auto rows = createRowsVersion(kernel, bases))
    versions.push_back(std::move(*rows));
  if (bases.empty())
    return versions;
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$aligned", map);
  noteAlignments(*copy, bases);
  versions.push_back({kernel.getName().str(), copy, areAligned(kernel, bases)});
  return versions;
}
