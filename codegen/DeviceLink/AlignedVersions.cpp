// In: a kernel with accesses such as x[2*i] and x[2*i+1] to arrays of which nobody knows where they begin.
// Out:
//
//   if (every such array is aligned as that takes) { copy with known alignments } else { kernel as it was }
//
// The condition is the same in all threads of the grid. LLVM joins the accesses when it generates code.

#include "codegen/DeviceLink/AlignedVersions.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "codegen/DeviceLink/KnownAlignments.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include <map>

using namespace llvm;
using namespace cufort::codegen;

static const Align widest(16); ///< what the widest access needs
static constexpr unsigned maxInstructions = 4000;

namespace {

/// Where arrays begin, arguments and what descriptors among the arguments say, and the alignment that pays. For CUF
/// kernels, that is where an element with all subscripts 0 would be: it may have no more than an element's alignment.
using Bases = SmallMapVector<Value *, Align, 8>;

/// True if the start of a kernel whose code begins with `first` can tell what `value` is: an argument, or what a
/// descriptor of the caller has.
bool isBase(Value *value, const BasicBlock &first) {
  if (auto *argument = dyn_cast<Argument>(value))
    return argument->getType()->isPointerTy() && !argument->hasPointeeInMemoryValueAttr();
  auto *load = dyn_cast<LoadInst>(value);
  Argument *argument = load ? placeInArgument(load->getPointerOperand(), load->getDataLayout()).first : nullptr;
  return argument &&
         (load->getParent() == &first || (argument->hasPointeeInMemoryValueAttr() && isOnlyLoaded(*argument)));
}

/// One load or store of an array.
struct Access {
  const SCEV *address;
  Align aligned; ///< if the array is aligned for the widest access
};

class Neighbours {
public:
  Neighbours(BasicBlock &first, ScalarEvolution &evolution)
      : first(first), layout(first.getDataLayout()), evolution(evolution) {
    for (BasicBlock *block : blocksFrom(first)) {
      groups.clear();
      for (Instruction &instruction : *block)
        add(instruction);
      findPairs();
    }
  }

  /// The starts of the arrays of which neighbours are accessed that can be joined.
  Bases takeBases() { return std::move(bases); }

private:
  /// What accesses have in common that can be joined: the start of the array, bytes, and whether they store.
  using Kind = std::pair<Value *, unsigned>;

  void add(Instruction &instruction) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!(load && load->isSimple()) && !(store && store->isSimple()))
      return;
    Value *address = getLoadStorePointerOperand(&instruction), *base = nullptr;
    Align aligned = knownAlignment(address, layout, [&](const Value *value) {
      base = const_cast<Value *>(value);
      return widest;
    });
    unsigned bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction));
    if (bytes < widest.value() && isBase(base, first))
      groups[{base, 2 * bytes + (store != nullptr)}].push_back({evolution.getSCEV(address), aligned});
  }

  /// Two accesses of one width that fill an aligned piece of twice that width. The piece may be part of a wider one.
  void findPairs() {
    for (auto &[kind, accesses] : groups) {
      accesses.truncate(std::min(accesses.size(), maxAccesses));
      unsigned bytes = kind.second / 2;
      auto hasNeighbour = [&, &accesses = accesses](const Access &first) {
        return first.aligned.value() >= 2 * bytes && any_of(accesses, [&](const Access &second) {
                 std::optional<APInt> distance = evolution.computeConstantDifference(second.address, first.address);
                 return distance && *distance == bytes;
               });
      };
      for (const Access &access : accesses)
        if (access.aligned > bases.lookup(kind.first) && hasNeighbour(access))
          bases[kind.first] = access.aligned;
    }
  }

  static constexpr size_t maxAccesses = 64;

  const BasicBlock &first;
  const DataLayout &layout;
  ScalarEvolution &evolution;
  MapVector<Kind, SmallVector<Access>> groups; ///< of a block
  Bases bases;
};

/// Emits `value`, which isBase(), at the start of the kernel.
Value *emitBase(IRBuilder<> &builder, Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return value;
  Instruction *copy = instruction->clone();
  for (Use &operand : copy->operands())
    operand.set(emitBase(builder, operand.get()));
  return builder.Insert(copy);
}

/// Emits whether all of `bases` are aligned as they need.
Value *emitCondition(IRBuilder<> &builder, const Bases &bases) {
  std::map<uint64_t, Value *> bits; // by alignment
  for (auto [base, needed] : bases) {
    Value *place = builder.CreatePtrToInt(emitBase(builder, base), builder.getInt64Ty());
    Value *&all = bits[needed.value()];
    all = all ? builder.CreateOr(all, place) : place;
  }
  Value *misaligned = nullptr;
  for (auto [alignment, all] : bits) {
    Value *low = builder.CreateAnd(all, alignment - 1);
    misaligned = misaligned ? builder.CreateOr(misaligned, low) : low;
  }
  return builder.CreateIsNull(misaligned);
}

void noteAlignments(const KernelVersion &version, const Bases &bases, const DataLayout &layout) {
  SmallDenseMap<const Value *, Align, 8> aligned;
  for (auto [base, needed] : bases)
    aligned[version.lookup(base)] = needed;
  for (BasicBlock *block : version.blocks())
    for (Instruction &instruction : *block)
      if (const Value *address = getLoadStorePointerOperand(&instruction)) {
        Align known =
            knownAlignment(address, layout, [&](const Value *base) { return aligned.lookup_or(base, Align()); });
        setLoadStoreAlignment(&instruction, std::max(getLoadStoreAlignment(&instruction), known));
      }
}

Bases findBases(BasicBlock &first) {
  Function &kernel = *first.getParent();
  TargetLibraryInfoImpl libraries(kernel.getParent()->getTargetTriple());
  TargetLibraryInfo library(libraries);
  AssumptionCache assumptions(kernel);
  DominatorTree tree(kernel);
  LoopInfo loops(tree);
  ScalarEvolution evolution(kernel, library, assumptions, tree, loops);
  return Neighbours(first, evolution).takeBases();
}

} // namespace

void cufort::codegen::createAlignedVersion(BasicBlock &first) {
  if (first.getParent()->getInstructionCount() > maxInstructions)
    return;
  Bases bases = findBases(first);
  if (bases.empty())
    return;
  KernelVersion version(first, ".aligned");
  noteAlignments(version, bases, first.getDataLayout());
  version.useIf([&](IRBuilder<> &builder) { return emitCondition(builder, bases); });
}
