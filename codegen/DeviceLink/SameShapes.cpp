// In: a kernel with allocatable arrays of modules, u(i, j) at origin of u + j * stride of u + 8 * i. Each array has
// strides of its own, and so each element a sum of its own. Out:
//
//   kernel$same, if the arrays have the same plain strides: origin of u + (j * stride + 8 * i)
//   kernel$plain, if all have plain strides:                origin of u + j * stride of u + 8 * i
//   kernel, as it was
//
// where the sum is computed once for all arrays in the first version, and strides have 32 bits in both. On staggered
// grids the second one is used. The host numbers the strides that arrays have (runtime/Module/StrideNumbers.h).

#include "codegen/DeviceLink/SameShapes.h"
#include "codegen/DeviceLink/ArrayOrigins.h"
#include "codegen/DeviceLink/DistanceSums.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
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

/// All arrays of `groups` have plain strides.
LaunchCondition arePlain(ArrayRef<Group> groups) {
  LaunchCondition condition;
  for (const Group &group : groups)
    for (const GlobalVariable *array : group.arrays)
      condition.requirePlainStrides(*array);
  return condition;
}

/// The strides are plain, and the same in each group.
LaunchCondition areSame(ArrayRef<Group> groups) {
  LaunchCondition condition;
  for (const Group &group : groups) {
    condition.requirePlainStrides(*group.arrays.front());
    for (const GlobalVariable *array : drop_begin(group.arrays))
      condition.requireSameStrides(*group.arrays.front(), *array);
  }
  return condition;
}

/// Lets the arrays of `group` have strides of 32 bits in a copy of the kernel: those of the first one if `areSame`.
void narrowStrides(ValueToValueMapTy &map, const Group &group, bool areSame) {
  for (const Stride &stride : group.strides) {
    auto *load = cast<LoadInst>(map.lookup(stride.load));
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

KernelVersion createVersion(Function &kernel, ArrayRef<Group> groups, bool forSame) {
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, forSame ? "$same" : "$plain", map);
  for (const Group &group : groups)
    narrowStrides(map, group, forSame);
  auto isOriginOfCopy = [&](const Value &address) { return isOrigin(address, copy->getDataLayout()); };
  if (forSame) {
    joinEqualValues(*copy);
    for (Instruction &instruction : make_early_inc_range(instructions(*copy)))
      if (auto *element = dyn_cast<GetElementPtrInst>(&instruction))
        addUpDistances(*element, isOriginOfCopy);
  }
  // LLVM takes sums of only one element apart.
  joinEqualValues(*copy);
  simplifyArithmetic(*copy);
  return {kernel.getName().str(), copy, forSame ? areSame(groups) : arePlain(groups)};
}

} // namespace

std::vector<KernelVersion> cufort::codegen::createSameShapesVersions(Function &kernel) {
  std::vector<KernelVersion> versions;
  unsigned size = kernel.getInstructionCount();
  SmallVector<Group> groups = size <= mostInstructions ? findGroups(kernel) : SmallVector<Group>();
  for (bool forSame : {true, false})
    if (!groups.empty() && (forSame || size <= mostForThree))
      versions.push_back(createVersion(kernel, groups, forSame));
  return versions;
}
