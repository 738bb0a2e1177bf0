// ptxas puts the arrays of a thread into registers if they have less than 128 bytes together and few accesses. An
// access with a computed subscript then takes as many selections as there are elements that it may mean. Among few,
// that is much faster than memory. Among many, it is slower: a stack of eight real(4) in an interpreter took 0.85 ms on
// an H200, and takes 0.34 ms in memory, where all threads of a warp have their elements side by side. An array that
// seems larger stays in memory, and its unused part costs nothing.
//
// In an unrolled loop, subscripts may be multiples of 4, which LLVM finds and ptxas does not: it is told by a mask.

#include "codegen/DeviceLink/IndexedArrays.h"
#include "codegen/Device/Libdevice.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

constexpr uint64_t bytesThatStay = 128;
/// Words of four bytes among which selections are fast.
constexpr uint64_t fewWords = 4;
constexpr unsigned fewRounds = 7;

/// The elements of an array that are chosen when the program runs.
class ComputedElements {
public:
  ComputedElements(AllocaInst &array, const LoopInfo &loops, ScalarEvolution &evolution)
      : array(array), loops(loops), evolution(evolution) {
    SmallVector<Value *> addresses = {&array};
    while (!addresses.empty())
      for (User *user : addresses.pop_back_val()->users())
        if (auto *element = dyn_cast<GetElementPtrInst>(user)) {
          addresses.push_back(element);
          if (!element->hasAllConstantIndices())
            elements.push_back(element);
        }
  }

  /// True if each access in a long loop may mean few of all elements, which have `bytes` together.
  bool areFew(uint64_t bytes) {
    return all_of(elements,
                  [&](GetElementPtrInst *element) { return isRare(*element) || bytes <= fewWords * stepOf(*element); });
  }

  /// Lets ptxas see what the subscripts are multiples of. True if something has changed.
  bool maskSubscripts() {
    bool changed = false;
    for (GetElementPtrInst *element : elements) {
      Use &subscript = element->getOperandUse(element->getNumOperands() - 1);
      unsigned zeros = zerosOf(subscript);
      if (!zeros || computeKnownBits(subscript, array.getDataLayout()).countMinTrailingZeros() >= zeros)
        continue;
      APInt mask = APInt::getHighBitsSet(subscript->getType()->getScalarSizeInBits(),
                                         subscript->getType()->getScalarSizeInBits() - zeros);
      subscript.set(IRBuilder<>(element).CreateAnd(subscript, mask));
      changed = true;
    }
    return changed;
  }

private:
  /// Outside of loops, or in what is left over of an unrolled one.
  bool isRare(GetElementPtrInst &element) {
    const Loop *loop = loops.getLoopFor(element.getParent());
    unsigned rounds = loop ? evolution.getSmallConstantMaxTripCount(loop) : 1;
    return rounds && rounds <= fewRounds && (!loop || !loop->getParentLoop());
  }

  unsigned zerosOf(Value *subscript) {
    return isa<Constant>(subscript) ? 0 : evolution.getMinTrailingZeros(evolution.getSCEV(subscript));
  }

  /// Bytes, at least a word, from one element that `element` may mean to the next.
  uint64_t stepOf(GetElementPtrInst &element) {
    uint64_t size = array.getDataLayout().getTypeAllocSize(element.getResultElementType());
    Value *subscript = element.getOperand(element.getNumOperands() - 1);
    return std::max<uint64_t>(size << std::min(zerosOf(subscript), 8u), 4);
  }

  AllocaInst &array;
  const LoopInfo &loops;
  ScalarEvolution &evolution;
  SmallVector<GetElementPtrInst *> elements;
};

} // namespace

PreservedAnalyses cufort::codegen::IndexedArrays::run(Function &function, FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  AllocaInst *kept = nullptr;
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *array = dyn_cast<AllocaInst>(&instruction);
    auto size = array ? array->getAllocationSize(layout) : std::nullopt;
    if (!size)
      continue;
    bytes += *size;
    if (*size >= bytesThatStay || array->isArrayAllocation() || array->hasMetadata(libraryArray))
      continue;
    ComputedElements elements(*array, analyses.getResult<LoopAnalysis>(function),
                              analyses.getResult<ScalarEvolutionAnalysis>(function));
    if (elements.areFew(*size))
      changed |= elements.maskSubscripts();
    else
      kept = array;
  }
  if (kept && bytes < bytesThatStay) {
    uint64_t enough = *kept->getAllocationSize(layout) + bytesThatStay - bytes;
    kept->setAllocatedType(ArrayType::get(Type::getInt8Ty(function.getContext()), enough));
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
