// In: a kernel with arrays of assumed shape, a(i, j) at base + (i - 1) * stride1 + (j - 1) * stride2. Strides are in
// descriptors and have 64 bits, so that each address takes several products of 64 bits, of three instructions or four.
// Out:
//
//   kernel$contiguous, if all of these arrays have plain strides: stride1 is a constant, others have 32 bits
//   kernel, as it was
//
// CUF kernels get strides as numbers, in 64 bits and in 32 bits, and a number that says whether they are plain. In the
// version, strides are rounded down to the factor that is known of them: so LLVM sees it, for the alignment of what is
// loaded.

#include "codegen/DeviceLink/ContiguousVersions.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Support/CloneFunction.h"
#include "codegen/Support/LLVMPasses.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

static constexpr unsigned maxInstructions = 10000;
/// Where a descriptor has the strides (CFI_cdesc_t).
static constexpr int64_t firstStride = 40, dimensionBytes = 24;

namespace {

/// Descriptors of arrays, with the bytes of an element.
using Descriptors = SmallMapVector<Argument *, uint64_t, 8>;

Descriptors descriptorsOf(Function &kernel) {
  Descriptors result;
  SmallVector<StringRef> items;
  kernel.getFnAttribute(elementBytesFunctionAttribute).getValueAsString().split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [number, bytes] = item.split(':');
    unsigned index;
    uint64_t size;
    if (!number.getAsInteger(10, index) && !bytes.getAsInteger(10, size) && index < kernel.arg_size() &&
        isOnlyLoaded(*kernel.getArg(index)))
      result[kernel.getArg(index)] = size;
  }
  return result;
}

/// A load of a stride from a descriptor.
struct Stride {
  LoadInst *load;
  Argument *descriptor;
  bool isFirst; ///< of the first dimension
};

/// The loads of `type` from where descriptors have strides.
SmallVector<Stride> findStrides(Function &kernel, const Descriptors &descriptors, Type *type) {
  SmallVector<Stride> result;
  for (Instruction &instruction : instructions(kernel)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || load->getType() != type)
      continue;
    auto [argument, offset] = placeInArgument(load->getPointerOperand(), kernel.getDataLayout());
    if (argument && descriptors.contains(argument) && offset >= firstStride &&
        (offset - firstStride) % dimensionBytes == 0)
      result.push_back({load, argument, offset == firstStride});
  }
  return result;
}

/// A stride that the kernel gets as a number.
struct StrideNumber {
  Argument *wide, *narrow; ///< the same in 32 bits; null for the stride of a first dimension
  uint64_t elementBytes;
};

/// All of them.
struct StrideNumbers {
  Argument *arePlain = nullptr;
  SmallVector<StrideNumber> strides;
};

StrideNumbers strideNumbersOf(Function &kernel) {
  StrideNumbers result;
  auto [flag, list] = kernel.getFnAttribute(stridesFunctionAttribute).getValueAsString().split(',');
  auto parameter = [&](StringRef number) {
    unsigned index;
    return !number.getAsInteger(10, index) && index < kernel.arg_size() ? kernel.getArg(index) : nullptr;
  };
  SmallVector<StringRef> items;
  list.split(items, ',', -1, /*KeepEmpty=*/false);
  for (StringRef item : items) {
    auto [wide, rest] = item.split(':');
    auto [narrow, bytes] = rest.split(':');
    StrideNumber stride = {parameter(wide), parameter(narrow), 0};
    if (stride.wide && !bytes.getAsInteger(10, stride.elementBytes))
      result.strides.push_back(stride);
  }
  result.arePlain = parameter(flag);
  return result;
}

/// All arrays whose strides the kernel uses have plain ones.
LaunchCondition arePlain(ArrayRef<Stride> strides, const StrideNumbers &numbers) {
  LaunchCondition condition;
  SmallSetVector<Argument *, 8> descriptors;
  for (const Stride &stride : strides)
    descriptors.insert(stride.descriptor);
  for (const Argument *descriptor : descriptors)
    condition.requirePlainStrides(*descriptor);
  if (!numbers.strides.empty())
    condition.requireBits(*numbers.arePlain, 0, /*mask=*/1, /*value=*/1);
  return condition;
}

/// The factor that all plain strides have of an array with elements of `bytes`.
uint32_t factorOf(uint64_t bytes) { return std::min<uint64_t>(bytes & -bytes, 16); }

/// Uses in a copy of the kernel what is known of plain strides.
void simplifyStrides(ValueToValueMapTy &map, ArrayRef<Stride> strides, const Descriptors &descriptors) {
  for (const Stride &stride : strides) {
    auto *load = cast<LoadInst>(map.lookup(stride.load));
    IRBuilder<> builder(load);
    Value *known;
    uint64_t bytes = descriptors.lookup(stride.descriptor);
    if (stride.isFirst) {
      known = builder.getInt64(bytes);
    } else {
      known = builder.CreateAlignedLoad(builder.getInt32Ty(), load->getPointerOperand(), Align(8), load->getName());
      known = builder.CreateAnd(known, builder.getInt32(-factorOf(bytes)));
      known = builder.CreateZExt(known, load->getType(), "", /*IsNonNeg=*/true);
    }
    load->replaceAllUsesWith(known);
    load->eraseFromParent();
  }
}

/// The same for strides that are numbers.
void simplifyStrides(Function &copy, const StrideNumbers &numbers) {
  BasicBlock &first = copy.getEntryBlock();
  for (const StrideNumber &stride : numbers.strides) {
    IRBuilder<> builder(&first, first.getFirstInsertionPt());
    Value *known = builder.getInt64(stride.elementBytes);
    if (stride.narrow) {
      Argument *narrow = copy.getArg(stride.narrow->getArgNo());
      known = builder.CreateAnd(narrow, builder.getInt32(INT32_MAX & -factorOf(stride.elementBytes)));
      known = builder.CreateZExt(known, stride.wide->getType(), "", /*IsNonNeg=*/true);
    }
    copy.getArg(stride.wide->getArgNo())->replaceAllUsesWith(known);
  }
}

} // namespace

std::optional<KernelVersion> cufort::codegen::createContiguousVersion(Function &kernel) {
  if (kernel.getInstructionCount() > maxInstructions)
    return std::nullopt;
  Descriptors descriptors = descriptorsOf(kernel);
  SmallVector<Stride> strides = findStrides(kernel, descriptors, Type::getInt64Ty(kernel.getContext()));
  StrideNumbers numbers = strideNumbersOf(kernel);
  erase_if(numbers.strides, [](const StrideNumber &stride) { return stride.wide->use_empty(); });
  if (strides.empty() && numbers.strides.empty())
    return std::nullopt;
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$contiguous", map);
  simplifyStrides(map, strides, descriptors);
  simplifyStrides(*copy, numbers);
  simplifyArithmetic(*copy);
  return KernelVersion{kernel.getName().str(), copy, arePlain(strides, numbers)};
}

SmallVector<NarrowStride> cufort::codegen::narrowStridesOf(Function &version) {
  SmallVector<NarrowStride> result;
  for (const StrideNumber &stride : strideNumbersOf(version).strides)
    if (stride.narrow && !stride.narrow->use_empty())
      result.push_back({stride.narrow, 0, stride.elementBytes, {stride.narrow}});
  Descriptors descriptors = descriptorsOf(version);
  std::map<std::pair<unsigned, uint64_t>, NarrowStride> loaded;
  for (const Stride &stride : findStrides(version, descriptors, Type::getInt32Ty(version.getContext()))) {
    uint64_t offset = placeInArgument(stride.load->getPointerOperand(), version.getDataLayout()).second;
    NarrowStride &found = loaded[{stride.descriptor->getArgNo(), offset}];
    found.parameter = stride.descriptor;
    found.offset = offset;
    found.elementBytes = descriptors.lookup(stride.descriptor);
    found.values.push_back(stride.load);
  }
  for (auto &[place, stride] : loaded)
    result.push_back(std::move(stride));
  return result;
}

/// Drops what rounds `stride` down to a factor.
static void forgetRounding(Value &stride, uint32_t mask) {
  for (User *user : to_vector(stride.users())) {
    auto *rounded = dyn_cast<BinaryOperator>(user);
    if (!rounded || !match(rounded, m_And(m_Specific(&stride), m_SpecificInt(APInt(32, mask)))))
      continue;
    rounded->replaceAllUsesWith(&stride);
    rounded->eraseFromParent();
  }
}

void cufort::codegen::forgetFactors(Function &version) {
  Descriptors descriptors = descriptorsOf(version);
  for (const Stride &stride : findStrides(version, descriptors, Type::getInt32Ty(version.getContext())))
    forgetRounding(*stride.load, -factorOf(descriptors.lookup(stride.descriptor)));
  for (const StrideNumber &stride : strideNumbersOf(version).strides)
    if (stride.narrow)
      forgetRounding(*stride.narrow, INT32_MAX & -factorOf(stride.elementBytes));
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

/// A copy of `function` in which `strides`, those of first dimensions, are the bytes of an element.
static Function *createPlain(Function &function, ArrayRef<Stride> strides, const Descriptors &descriptors) {
  ClonedFunction clone;
  cloneWithParameters(function, {}, function.getReturnType(), function.getName() + ".plain", clone);
  for (const Stride &stride : strides) {
    auto *load = cast<LoadInst>(static_cast<Value *>(clone.map[stride.load]));
    load->replaceAllUsesWith(ConstantInt::get(load->getType(), descriptors.lookup(stride.descriptor)));
    load->eraseFromParent();
  }
  return clone.function;
}

SmallVector<unsigned> cufort::codegen::assumePlainStrides(Function &blocks) {
  SmallDenseMap<Function *, Function *> plain;
  SmallSetVector<unsigned, 8> numbers;
  for (Instruction &instruction : instructions(blocks)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration())
      continue;
    auto [known, isNew] = plain.try_emplace(callee, callee);
    if (isNew) {
      Descriptors descriptors = descriptorsOf(*callee);
      SmallVector<Stride> strides = findStrides(*callee, descriptors, Type::getInt64Ty(callee->getContext()));
      erase_if(strides, [](const Stride &stride) { return !stride.isFirst; });
      for (const Stride &stride : strides)
        numbers.insert(stride.descriptor->getArgNo());
      if (!strides.empty())
        known->second = createPlain(*callee, strides, descriptors);
    }
    call->setCalledFunction(known->second);
  }
  return numbers.takeVector();
}
