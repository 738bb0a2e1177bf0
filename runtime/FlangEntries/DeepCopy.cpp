#include "runtime/FlangEntries/DeepCopy.h"
#include "runtime/FlangEntries/Allocators.h"
#include "runtime/FlangEntries/Elements.h"
#include "runtime/FlangEntries/FlangAssign.h"
#include "runtime/FlangEntries/ReleaseComponents.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/ErrorState.h"
#include <cstring>

using namespace cufort::rt;

extern "C" int _FortranAAllocatableAllocate(FortranDescriptor &, int64_t *stream, bool hasStat,
                                            const FortranDescriptor *errMsg, const char *file, int line,
                                            void *(*move)(void *, const void *, size_t));

namespace {

constexpr const char *assigning = "assigning a component";

bool isDeviceMemory(const void *address) {
  Allocation allocation;
  return findAllocation(address, allocation) && allocation.kind != MemoryKind::Pinned;
}

size_t bytesOf(const FortranDescriptor &array) { return arrayOf(array).elements() * array.elementBytes; }

/// True if `object` has the memory that the value of `like` needs.
bool fits(const FortranDescriptor &object, const FortranDescriptor &like) {
  return object.base && sameShape(object, like) && object.elementBytes == like.elementBytes &&
         object.type == like.type && dynamicType(object) == dynamicType(like);
}

/// A descriptor of the object of `type` at `address`.
FortranDescriptor describeObject(char *address, const TypeDescription &type) {
  constexpr int8_t derivedType = 42; // CFI_type_struct
  FortranDescriptor object = {
      address, static_cast<size_t>(type.bytes), flangDescriptorVersion, 0, derivedType, FortranDescriptor::pointer, 1,
      {}};
  exchangeType(object, const_cast<TypeDescription *>(&type));
  return object;
}

/// Has Flang's runtime assign one component of an object: it does so with what looks like a type that has no other one.
void assignByFlang(char *to, const char *from, const TypeDescription &type, ComponentDescription &component) {
  TypeDescription single = type;
  single.components = &component;
  single.componentCount.extent = 1;
  single.procedurePointerCount.extent = 0;
  FortranDescriptor target = describeObject(to, single), value = describeObject(const_cast<char *>(from), single);
  flangAssign(target, value, ComponentsMayBeDefined, nullptr, 0);
}

StridedArray parts(char *place, const ComponentDescription &component) {
  StridedArray array;
  array.base = place;
  array.elementBytes = component.type->bytes;
  array.rank = 1;
  array.extent[0] = component.parts();
  array.stride[0] = component.type->bytes;
  return array;
}

} // namespace

void *cufort::rt::moveBytes(void *dst, const void *src, size_t bytes) {
  bool toDevice = isDeviceMemory(dst), fromDevice = isDeviceMemory(src);
  if (!toDevice && !fromDevice)
    return std::memmove(dst, src, bytes);
  reportPending(); // what happens on the host alone does not depend on the device
  CopyMode mode = !fromDevice ? CopyMode::HostToDevice : toDevice ? CopyMode::DeviceToDevice : CopyMode::DeviceToHost;
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = copyBytes(current, dst, src, bytes, mode, 0);
  requireSuccess(result, assigning, nullptr, 0);
  return dst;
}

void cufort::rt::allocateLike(FortranDescriptor &object, const FortranDescriptor &like) {
  object.elementBytes = like.elementBytes;
  object.type = like.type;
  for (int i = 0; i < object.rank; ++i) {
    object.dim[i].lowerBound = like.dim[i].lowerBound;
    object.dim[i].extent = like.dim[i].extent;
  }
  const TypeDescription *type = dynamicType(like);
  exchangeType(object, const_cast<TypeDescription *>(type));
  auto allocate = [&] {
    return _FortranAAllocatableAllocate(object, nullptr, /*hasStat=*/true, nullptr, nullptr, 0, std::memcpy);
  };
  // Components of an object are not allocated then, and a defined assignment finds the initial values.
  bool isPlain = !type || (type->needsNoDestruction && type->needsNoAssignment);
  bool isInitialised = !isPlain && object.allocator() != FlangDevice;
  int stat = isInitialised ? allocate() : withoutType(object, allocate);
  Result failure = takeAllocationFailure();
  if (stat != 0 && failure.ok())
    failure = Result(cudaErrorMemoryAllocation, "allocating the target of an assignment");
  requireSuccess(failure, assigning, nullptr, 0);
}

/// True if the type of `component`, whose descriptor is `value` if it is allocatable, has a defined assignment.
bool DeepCopy::isAssignedByFlang(const ComponentDescription &component, const FortranDescriptor &value) const {
  return callsDefinedAssignments && component.type &&
         (component.type->specialBindingSet & TypeDescription::definedAssignments) &&
         (!component.isAllocatable() || (value.base && hostReads(value.base)));
}

/// True if the bytes of an object are all of it. Null stands for types that are not derived.
bool DeepCopy::isPlain(const TypeDescription *type) const {
  return !type || (type->needsNoDestruction && (type->needsNoAssignment || !callsDefinedAssignments));
}

void DeepCopy::add(const StridedArray &to, const StridedArray &from, const TypeDescription &type) {
  size_t count = to.elements();
  auto bytes = static_cast<size_t>(type.bytes);
  Elements targets(to), values(from);
  if (!isPlain(&type))
    for (; count > 0; --count)
      pairs.push_back({targets.next(), values.next(), &type});
  else if (to.isContiguous() && from.isContiguous() && from.elements() == count && from.elementBytes == bytes)
    moveBytes(to.base, from.base, count * bytes);
  else
    for (; count > 0; --count)
      moveBytes(targets.next(), values.next(), bytes);
}

void DeepCopy::releaseAfterwards(const FortranDescriptor &object) {
  FortranDescriptor copy = {};
  std::memcpy(&copy, &object, object.sizeInBytes());
  unused.push_back(copy);
}

void DeepCopy::run() {
  for (size_t i = 0; i < pairs.size(); ++i)
    copyObject(Pair(pairs[i]));
  pairs.clear();
  for (FortranDescriptor &object : unused) {
    if (const TypeDescription *type = dynamicType(object))
      releaseComponents(arrayOf(object), *type);
    releaseObject(object);
  }
  unused.clear();
}

/// What is between components that need more is copied byte by byte. Flang sorts components by their offsets.
void DeepCopy::copyObject(const Pair &pair) {
  auto [to, from, type] = pair;
  int64_t done = 0;
  for (int64_t i = 0; i < type->componentCount.extent; ++i) {
    ComponentDescription &component = type->components[i];
    bool hasParts = component.genre == ComponentDescription::Data && !isPlain(component.type);
    if (!component.isAllocatable() && !hasParts)
      continue;
    std::memmove(to + done, from + done, component.offset - done);
    const auto &value = *reinterpret_cast<const FortranDescriptor *>(from + component.offset);
    done = component.offset + (hasParts ? component.parts() * component.type->bytes : value.sizeInBytes());
    if (isAssignedByFlang(component, value))
      assignByFlang(to, from, *type, component);
    else if (hasParts)
      add(parts(to + component.offset, component), parts(const_cast<char *>(from) + component.offset, component),
          *component.type);
    else
      assignAllocatable(*reinterpret_cast<FortranDescriptor *>(to + component.offset), value, component);
  }
  std::memmove(to + done, from + done, type->bytes - done);
}

void DeepCopy::assignAllocatable(FortranDescriptor &to, const FortranDescriptor &from,
                                 const ComponentDescription &component) {
  if (to.version == 0) {
    std::memcpy(&to, &from, from.sizeInBytes());
    to.base = nullptr;
  }
  if (!from.base) {
    drop(to);
    exchangeType(to, const_cast<TypeDescription *>(component.type));
    return;
  }
  const TypeDescription *type = dynamicType(from);
  // The memory of an object on the device whose components the host cannot see is not used again.
  bool isOpaque = !isPlain(type) && !hostReads(from.base);
  if (isOpaque || !fits(to, from))
    drop(to);
  if (!to.base) {
    to.extra = from.extra; // the memory of the component
    allocateLike(to, from);
  }
  for (int i = 0; i < to.rank; ++i)
    to.dim[i].lowerBound = from.dim[i].lowerBound;
  if (isOpaque)
    copyOnDevice(to, from, *type);
  else if (!isPlain(type))
    add(arrayOf(to), arrayOf(from), *type);
  else if (size_t bytes = bytesOf(from))
    moveBytes(to.base, from.base, bytes);
}

/// Copies objects on the device whose components hold more, by way of the host.
void DeepCopy::copyOnDevice(const FortranDescriptor &to, const FortranDescriptor &from, const TypeDescription &type) {
  std::vector<char> values(bytesOf(from)), copies(values.size());
  StridedArray source = arrayOf(from), target = arrayOf(to);
  moveBytes(values.data(), from.base, values.size());
  source.base = values.data();
  target.base = copies.data();
  DeepCopy inner(callsDefinedAssignments);
  inner.add(target, source, type);
  inner.run();
  moveBytes(to.base, copies.data(), copies.size());
}

/// Values to be copied are found in what derived types hold, not in arrays of other types: those are copied at once.
void DeepCopy::drop(FortranDescriptor &object) {
  if (!object.base)
    return;
  if (const TypeDescription *type = dynamicType(object); type && !type->needsNoDestruction)
    releaseAfterwards(object);
  else
    releaseObject(object);
  object.base = nullptr;
}
