// In: a kernel with accesses such as x[2*i] and x[2*i+1] to arrays of which nobody knows where they begin.
// Out:
//
//   if (every such array begins at a multiple of 16) { copy with known alignments } else { kernel as it was }
//
// The condition is the same in all threads of the grid. LLVM joins the accesses when it generates code.

#include "codegen/DeviceLink/AlignedVersions.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "codegen/DeviceLink/KnownAlignments.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace cufort::codegen;

static const Align wanted(16); ///< what the widest access needs
static constexpr unsigned maxInstructions = 4000;

namespace {

/// Where arrays begin: arguments, and what descriptors among the arguments say.
using Bases = SmallSetVector<Value *, 8>;

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
  Align aligned; ///< if the array is aligned as wanted
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
      return wanted;
    });
    unsigned bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction));
    if (bytes < wanted.value() && isBase(base, first))
      groups[{base, 2 * bytes + (store != nullptr)}].push_back({evolution.getSCEV(address), aligned});
  }

  /// Two accesses of one width that fill an aligned piece of twice that width.
  void findPairs() {
    for (auto &[kind, accesses] : groups) {
      if (accesses.size() > maxAccesses || bases.contains(kind.first))
        continue;
      unsigned bytes = kind.second / 2;
      auto hasNeighbour = [&, &accesses = accesses](const Access &first) {
        return first.aligned.value() >= 2 * bytes && any_of(accesses, [&](const Access &second) {
                 std::optional<APInt> distance = evolution.computeConstantDifference(second.address, first.address);
                 return distance && *distance == bytes;
               });
      };
      if (any_of(accesses, hasNeighbour))
        bases.insert(kind.first);
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

/// Emits whether all of `bases` are aligned as wanted.
Value *emitCondition(IRBuilder<> &builder, const Bases &bases) {
  Value *bits = builder.getInt64(0);
  for (Value *base : bases)
    bits = builder.CreateOr(bits, builder.CreatePtrToInt(emitBase(builder, base), builder.getInt64Ty()));
  return builder.CreateIsNull(builder.CreateAnd(bits, wanted.value() - 1));
}

void noteAlignments(const KernelVersion &version, const Bases &bases, const DataLayout &layout) {
  SmallPtrSet<const Value *, 8> aligned;
  for (Value *base : bases)
    aligned.insert(version.lookup(base));
  for (BasicBlock *block : version.blocks())
    for (Instruction &instruction : *block)
      if (const Value *address = getLoadStorePointerOperand(&instruction)) {
        Align known = knownAlignment(address, layout,
                                     [&](const Value *base) { return aligned.contains(base) ? wanted : Align(); });
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
