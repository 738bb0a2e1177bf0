// In: a kernel for arrays with plain strides, u(i, j) at u + j * stride of u + 8 * i. Each array has a stride of its
// own, and so each element a sum of its own, and registers for what all rounds of a loop have in common of it. Out:
//
//   kernel$same, if the arrays have the same strides: u + (j * stride + 8 * i)
//   kernel$halos, if those have of which it reads neighbours, and the others
//   kernel, as it was
//
// where the sum is computed once for all arrays. Which arrays are meant to be of one shape is not known: those are
// taken that would have elements in the same places. A small table beside them keeps its stride.

#include "codegen/DeviceLink/SameStrides.h"
#include "codegen/DeviceLink/ContiguousVersions.h"
#include "codegen/DeviceLink/DistanceSums.h"
#include "codegen/Support/LLVMPasses.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>
#include <set>

using namespace llvm;
using namespace cufort::codegen;

/// A kernel of more instructions is not worth a third version.
static constexpr unsigned mostInstructions = 6000;
/// Arrays from which on one sum for all is worth the comparison of their strides.
static constexpr size_t fewestArrays = 3;

namespace {

/// An array, by the address from which its elements are found.
struct Array {
  Value *origin;
  SmallVector<unsigned, 2> strides; ///< their numbers among those of the kernel, by dimensions
};

/// Arrays that may have the same strides.
using Group = SmallVector<Array>;

/// True if `address` is a parameter, or in a descriptor that is one.
bool isOrigin(const Value &address, const DataLayout &layout) {
  if (auto *load = dyn_cast<LoadInst>(&address))
    return placeInArgument(const_cast<Value *>(load->getPointerOperand()), layout).first;
  return isa<Argument>(address);
}

/// What the steps that lead to `address` begin with.
Value *startOf(Value *address) {
  while (auto *step = dyn_cast<GetElementPtrInst>(address))
    address = step->getPointerOperand();
  return address;
}

/// True if `step` ends at an element.
bool isAccessed(const GetElementPtrInst &step) {
  return any_of(step.users(), [](const User *user) { return !isa<GetElementPtrInst>(user); });
}

/// What the steps from the start of an array to an element add up to, in any order.
using Distances = SmallVector<Value *, 4>;

/// Those of `address`, with constants or without; none if there is a step of which nothing is known.
Distances distancesOf(Value *address, bool withConstants = false) {
  Distances result;
  for (; auto *step = dyn_cast<GetElementPtrInst>(address); address = step->getPointerOperand()) {
    if (step->getNumIndices() != 1)
      return {};
    if (Value *distance = step->getOperand(1); withConstants || !isa<Constant>(distance))
      result.push_back(distance);
  }
  sort(result);
  return result;
}

/// Finds arrays by the strides that are used to find their elements.
class ArrayFinder {
public:
  ArrayFinder(Function &kernel, ArrayRef<NarrowStride> strides) : kernel(kernel), strides(strides) {
    for (auto [number, stride] : enumerate(strides))
      for (Value *value : stride.values)
        numbers[value] = number;
  }

  /// By the bytes of an element, and by how many strides there are.
  SmallVector<Group> groups() {
    MapVector<Value *, SmallSetVector<unsigned, 4>> used;
    for (Instruction &instruction : instructions(kernel))
      if (auto *step = dyn_cast<GetElementPtrInst>(&instruction); step && step->getNumIndices() == 1)
        if (Value *origin = startOf(step); isOrigin(*origin, kernel.getDataLayout()))
          addStrides(step->getOperand(1), used[origin]);
    MapVector<std::pair<uint64_t, size_t>, Group> groups;
    for (auto &[origin, found] : used) {
      if (found.empty())
        continue;
      SmallVector<unsigned, 2> sorted(found.begin(), found.end());
      sort(sorted);
      groups[{strides[sorted.front()].elementBytes, sorted.size()}].push_back({origin, sorted});
    }
    SmallVector<Group> result;
    for (auto &[key, group] : groups)
      if (group.size() >= fewestArrays)
        result.push_back(std::move(group));
    return result;
  }

private:
  /// Adds to `found` the strides that `distance` is computed from.
  void addStrides(Value *distance, SmallSetVector<unsigned, 4> &found) {
    SmallSetVector<Value *, 16> values;
    values.insert(distance);
    for (size_t next = 0; next < values.size(); ++next) {
      if (auto number = numbers.find(values[next]); number != numbers.end())
        found.insert(number->second);
      else if (auto *part = dyn_cast<Instruction>(values[next]); part && isa<BinaryOperator, CastInst>(part))
        values.insert(part->op_begin(), part->op_end());
    }
  }

  Function &kernel;
  ArrayRef<NarrowStride> strides;
  DenseMap<Value *, unsigned> numbers;
};

/// A copy of a kernel in which the arrays of some groups have the strides of the first one.
class SameStridesCopy {
public:
  /// One without a `suffix` to its name is thrown away: it needs no shared memory of its own.
  SameStridesCopy(Function &kernel, ArrayRef<NarrowStride> strides, ArrayRef<Group> groups, StringRef suffix = "")
      : copy(suffix.empty() ? CloneFunction(&kernel, map) : cloneKernel(kernel, suffix, map)) {
    for (const Group &group : groups) {
      for (auto [dimension, number] : enumerate(group.front().strides)) {
        Value *first = valueOf(strides[number]);
        for (const Array &array : drop_begin(group))
          replace(strides[array.strides[dimension]], first);
      }
    }
    // What was computed for each array, on each of the paths that meet before an element, is the same for all now.
    joinEqualValues(*copy);
    for (const Group &group : groups)
      for (const Array &array : group)
        origins.insert(map.lookup(array.origin));
    SmallVector<WeakTrackingVH> steps;
    for (Instruction &instruction : instructions(*copy))
      if (isa<GetElementPtrInst>(instruction))
        steps.push_back(&instruction);
    for (WeakTrackingVH &step : steps)
      if (step &&
          addUpDistances(*cast<GetElementPtrInst>(step), [&](Value &address) { return origins.contains(&address); }))
        RecursivelyDeleteTriviallyDeadInstructions(step);
    joinEqualValues(*copy);
  }

  Function *function() { return copy; }

  /// Of `group`, the largest part that has elements in the same places.
  Group together(const Group &group) {
    std::map<Distances, Value *> firstAt;
    EquivalenceClasses<Value *> classes;
    for (Instruction &instruction : instructions(*copy)) {
      auto *step = dyn_cast<GetElementPtrInst>(&instruction);
      if (!step || !isAccessed(*step))
        continue;
      Value *origin = startOf(step);
      Distances distances = distancesOf(step);
      if (!distances.empty() && origins.contains(origin))
        classes.unionSets(firstAt.try_emplace(std::move(distances), origin).first->second, origin);
    }
    MapVector<Value *, Group> parts;
    for (const Array &array : group)
      if (Value *origin = map.lookup(array.origin); classes.contains(origin))
        parts[classes.getLeaderValue(origin)].push_back(array);
    Group largest;
    for (auto &[leader, part] : parts)
      if (part.size() > largest.size())
        largest = std::move(part);
    return largest;
  }

  /// `group`, or two parts of it if both are large enough: arrays of which the kernel reads neighbours, which often
  /// have halos, and others, which have none.
  SmallVector<Group> byNeighbours(const Group &group) {
    DenseMap<Value *, std::set<Distances>> places;
    for (Instruction &instruction : instructions(*copy))
      if (auto *step = dyn_cast<GetElementPtrInst>(&instruction))
        if (Value *origin = startOf(step); origins.contains(origin) && isAccessed(*step))
          places[origin].insert(distancesOf(step, /*withConstants=*/true));
    Group parts[2];
    for (const Array &array : group)
      parts[places[map.lookup(array.origin)].size() > 1].push_back(array);
    if (parts[0].size() < fewestArrays || parts[1].size() < fewestArrays)
      return {group};
    return {parts[0], parts[1]};
  }

private:
  /// The value of `stride` at the start of the copy.
  Value *valueOf(const NarrowStride &stride) {
    Argument *parameter = copy->getArg(stride.parameter->getArgNo());
    if (isa<Argument>(stride.values.front()))
      return parameter;
    IRBuilder<> builder(&*copy->getEntryBlock().getFirstInsertionPt());
    Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), parameter, stride.offset);
    return builder.CreateAlignedLoad(builder.getInt32Ty(), place, Align(8));
  }

  void replace(const NarrowStride &stride, Value *by) {
    for (Value *value : stride.values)
      if (Value *other = map.lookup(value); other != by)
        other->replaceAllUsesWith(by);
  }

  ValueToValueMapTy map;
  Function *copy;
  SmallPtrSet<Value *, 16> origins;
};

/// The strides of each group are the same.
LaunchCondition areSame(ArrayRef<NarrowStride> strides, ArrayRef<Group> groups) {
  LaunchCondition condition;
  for (const Group &group : groups)
    for (auto [dimension, number] : enumerate(group.front().strides))
      for (const Array &array : drop_begin(group)) {
        const NarrowStride &first = strides[number], &other = strides[array.strides[dimension]];
        if (first.parameter != other.parameter || first.offset != other.offset)
          condition.requireEqualBits(*first.parameter, first.offset, *other.parameter, other.offset);
      }
  return condition;
}

/// Adds to `versions` one for arrays with the same strides in each of `groups`, unless they have none that differ.
void addVersion(const KernelVersion &contiguous, ArrayRef<NarrowStride> strides, ArrayRef<Group> groups,
                StringRef suffix, SmallVectorImpl<KernelVersion> &versions) {
  LaunchCondition condition = areSame(strides, groups);
  if (condition.tests().empty())
    return;
  SameStridesCopy version(*contiguous.function, strides, groups, suffix);
  simplifyArithmetic(*version.function());
  version.function()->addFnAttr(sameStridesFunctionAttribute);
  condition.require(contiguous.condition);
  versions.push_back({contiguous.kernel, version.function(), condition});
}

} // namespace

SmallVector<KernelVersion, 2> cufort::codegen::createSameStridesVersions(const KernelVersion &contiguous) {
  Function &kernel = *contiguous.function;
  if (kernel.getInstructionCount() > mostInstructions)
    return {};
  SmallVector<NarrowStride> strides = narrowStridesOf(kernel);
  SmallVector<Group> candidates = ArrayFinder(kernel, strides).groups(), groups, parts;
  if (candidates.empty())
    return {};
  {
    SameStridesCopy trial(kernel, strides, candidates);
    for (const Group &group : candidates)
      if (Group part = trial.together(group); part.size() >= fewestArrays) {
        append_range(parts, trial.byNeighbours(part));
        groups.push_back(std::move(part));
      }
    trial.function()->eraseFromParent();
  }
  SmallVector<KernelVersion, 2> versions;
  addVersion(contiguous, strides, groups, "$same", versions);
  if (parts.size() > groups.size())
    addVersion(contiguous, strides, parts, "$halos", versions);
  return versions;
}
