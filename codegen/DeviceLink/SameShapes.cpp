// In: a kernel with allocatable arrays of modules, u(i, j) at origin of u + j * stride of u + 8 * i. Each array has
// strides of its own, and so each element a sum of its own. Out:
//
//   if (the arrays have the same plain strides) { copy: origin of u + (j * stride + 8 * i) }
//   else if (all have plain strides)            { copy: origin of u + j * stride of u + 8 * i }
//   else                                        { as it was }
//
// where the sum is computed once for all arrays in the first copy, and strides have 32 bits in both. On staggered grids
// the second one is used. The host numbers the strides that arrays have; the numbers are in their descriptors
// (runtime/Module/DeviceDescriptor.h).

#include "codegen/DeviceLink/SameShapes.h"
#include "codegen/DeviceLink/ArrayOrigins.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "codegen/DeviceLink/LikelyCode.h"
#include "codegen/Support/LLVMPasses.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace cufort::codegen;

/// A kernel of more instructions is not worth a second version, or a third one.
static constexpr unsigned mostInstructions = 3000, mostForThree = 1500;
/// Arrays from which on one sum for all is worth the comparison of their strides.
static constexpr size_t fewestArrays = 3;
/// Where a descriptor has the strides of its second and other dimensions (CFI_cdesc_t).
static constexpr int64_t secondStride = 64, dimensionBytes = 24;

namespace {

/// The variable of a module with an origin that `address` is a constant number of bytes behind; null if there is none.
std::pair<GlobalVariable *, int64_t> placeInDescriptor(Value *address, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
  Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  auto *variable = dyn_cast<GlobalVariable>(base->stripPointerCasts());
  return {variable && hasOrigin(*variable) ? variable : nullptr, offset.getSExtValue()};
}

/// A load of a stride of a second or later dimension.
struct Stride {
  LoadInst *load;
  GlobalVariable *array;
  int64_t place;
};

/// Descriptors whose strides may be the same, and the loads of them.
struct Group {
  SmallSetVector<GlobalVariable *, 8> arrays;
  SmallVector<Stride> strides;
};

/// The groups of the arrays in `kernel`: by the bytes of an element, and by their ranks.
SmallVector<Group> findGroups(Function &kernel) {
  MapVector<std::pair<uint64_t, uint64_t>, Group> groups;
  for (Instruction &instruction : instructions(kernel)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->isSimple() || !load->getType()->isIntegerTy(64))
      continue;
    auto [array, place] = placeInDescriptor(load->getPointerOperand(), kernel.getDataLayout());
    bool isStride = array && place >= secondStride && (place - secondStride) % dimensionBytes == 0 &&
                    static_cast<uint64_t>(place) < placeOfOrigin(*array);
    if (!isStride || !elementBytes(*array))
      continue;
    Group &group = groups[{elementBytes(*array), placeOfOrigin(*array)}];
    group.arrays.insert(array);
    group.strides.push_back({load, array, place});
  }
  SmallVector<Group> result;
  for (auto &[key, group] : groups)
    if (group.arrays.size() >= fewestArrays)
      result.push_back(std::move(group));
  return result;
}

LoadInst *loadNumber(IRBuilder<> &builder, GlobalVariable *array, int64_t place) {
  Value *address = builder.CreatePtrAdd(array, builder.getInt64(place));
  LoadInst *load = builder.CreateAlignedLoad(builder.getInt32Ty(), address, Align(4));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

/// Emits whether all arrays of `groups` have plain strides.
Value *emitArePlain(IRBuilder<> &builder, ArrayRef<Group> groups) {
  SmallVector<Value *> numbers;
  for (const Group &group : groups)
    for (GlobalVariable *array : group.arrays)
      numbers.push_back(loadNumber(builder, array, CufortVersionOffset));
  return emitHavePlainStrides(builder, numbers);
}

/// Emits whether the numbers of the strides are the same in each group, and those of plain strides.
Value *emitAreSame(IRBuilder<> &builder, ArrayRef<Group> groups) {
  Value *differences = nullptr;
  SmallVector<Value *> firsts;
  for (const Group &group : groups) {
    Value *first = firsts.emplace_back(loadNumber(builder, group.arrays.front(), CufortVersionOffset));
    for (GlobalVariable *array : drop_begin(group.arrays)) {
      Value *difference = builder.CreateXor(first, loadNumber(builder, array, CufortVersionOffset));
      differences = differences ? builder.CreateOr(differences, difference) : difference;
    }
  }
  return builder.CreateAnd(builder.CreateIsNull(differences), emitHavePlainStrides(builder, firsts));
}

/// Lets the arrays of `group` have strides of 32 bits in `version`: those of the first one if `areSame`.
void narrowStrides(const KernelVersion &version, const Group &group, bool areSame) {
  for (const Stride &stride : group.strides) {
    auto *load = cast<LoadInst>(version.lookup(stride.load));
    IRBuilder<> builder(load);
    Value *narrow = loadNumber(builder, areSame ? group.arrays.front() : stride.array, stride.place);
    load->replaceAllUsesWith(builder.CreateZExt(narrow, load->getType(), "", /*IsNonNeg=*/true));
    load->eraseFromParent();
  }
}

/// True if `address` is loaded from where an array has its origin.
bool isOrigin(const Value &address, const DataLayout &layout) {
  auto *load = dyn_cast<LoadInst>(&address);
  if (!load)
    return false;
  auto [array, place] = placeInDescriptor(const_cast<Value *>(load->getPointerOperand()), layout);
  return array && static_cast<uint64_t>(place) == placeOfOrigin(*array);
}

/// Adds up what leads from an origin to `element` before it is added to the origin. Constants stay where they are.
void addUpFirst(GetElementPtrInst &element, const DataLayout &layout) {
  SmallVector<Value *> distances;
  Value *address = &element;
  while (auto *step = dyn_cast<GetElementPtrInst>(address)) {
    if (step->getNumIndices() != 1 || !step->getSourceElementType()->isIntegerTy(8) ||
        isa<Constant>(step->getOperand(1)) || !step->getOperand(1)->getType()->isIntegerTy(64))
      break;
    distances.push_back(step->getOperand(1));
    address = step->getPointerOperand();
  }
  if (distances.size() < 2 || !isOrigin(*address, layout))
    return;
  IRBuilder<> builder(&element);
  Value *sum = distances.pop_back_val();
  while (!distances.empty())
    sum = builder.CreateAdd(sum, distances.pop_back_val());
  element.replaceAllUsesWith(builder.CreateGEP(builder.getInt8Ty(), address, sum));
}

} // namespace

BasicBlock *cufort::codegen::createSameShapesVersion(Function &kernel) {
  if (kernel.getInstructionCount() > mostInstructions)
    return nullptr;
  SmallVector<Group> groups = findGroups(kernel);
  if (groups.empty())
    return nullptr;
  bool hasThree = kernel.getInstructionCount() <= mostForThree;
  BasicBlock &start = kernel.getEntryBlock();
  KernelVersion version(start, ".same");
  for (const Group &group : groups)
    narrowStrides(version, group, /*areSame=*/true);
  for (BasicBlock *block : version.blocks())
    for (Instruction &instruction : make_early_inc_range(*block))
      if (auto *element = dyn_cast<GetElementPtrInst>(&instruction))
        addUpFirst(*element, kernel.getDataLayout());
  markDecision(version.useIf([&](IRBuilder<> &builder) { return emitAreSame(builder, groups); }), UnlikelyNeed::Many);
  if (hasThree) {
    KernelVersion plain(start, ".plain");
    for (const Group &group : groups)
      narrowStrides(plain, group, /*areSame=*/false);
    plain.useIf([&](IRBuilder<> &builder) { return emitArePlain(builder, groups); });
  }
  // LLVM takes sums of only one element apart.
  joinEqualValues(kernel);
  simplifyArithmetic(kernel);
  return version.blocks().front();
}
