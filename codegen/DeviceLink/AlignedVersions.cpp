// In: a kernel with accesses such as x[2*i] and x[2*i+1] to arrays of which nobody knows where they begin.
// Out:
//
//   kernel$aligned, if every such array is aligned as that takes: a copy with known alignments
//   kernel, as it was
//
// LLVM joins the accesses when it generates code.

#include "codegen/DeviceLink/AlignedVersions.h"
#include "codegen/DeviceLink/KnownAlignments.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
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
  const SCEV *address;
  Align aligned; ///< if the array is aligned for the widest access
};

class Neighbours {
public:
  Neighbours(Function &kernel, ScalarEvolution &evolution) : layout(kernel.getDataLayout()), evolution(evolution) {
    for (BasicBlock &block : kernel) {
      groups.clear();
      for (Instruction &instruction : block)
        add(instruction);
      findPairs();
    }
  }

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
      groups[{*base, 2 * bytes + (store != nullptr)}].push_back({evolution.getSCEV(address), aligned});
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

  const DataLayout &layout;
  ScalarEvolution &evolution;
  MapVector<Kind, SmallVector<Access>> groups; ///< of a block
  Bases bases;
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

Bases findBases(Function &kernel) {
  TargetLibraryInfoImpl libraries(kernel.getParent()->getTargetTriple());
  TargetLibraryInfo library(libraries);
  AssumptionCache assumptions(kernel);
  DominatorTree tree(kernel);
  LoopInfo loops(tree);
  ScalarEvolution evolution(kernel, library, assumptions, tree, loops);
  return Neighbours(kernel, evolution).takeBases();
}

} // namespace

std::optional<KernelVersion> cufort::codegen::createAlignedVersion(Function &kernel) {
  if (kernel.getInstructionCount() > maxInstructions)
    return std::nullopt;
  Bases bases = findBases(kernel);
  if (bases.empty())
    return std::nullopt;
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$aligned", map);
  noteAlignments(*copy, bases);
  return KernelVersion{kernel.getName().str(), copy, areAligned(kernel, bases)};
}
