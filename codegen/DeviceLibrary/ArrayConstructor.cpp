// Array constructors with array items in device code (Fortran 2018 7.8), which Flang builds item by item.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// The state of one constructor, in the 80 bytes that the compiled code provides.
struct ArrayConstructorVector {
  Descriptor *to; ///< allocated by the compiled code if it knows the extent
  long next;      ///< elements stored so far
  long capacity;  ///< elements that fit
  bool isOwned;   ///< the memory is from this file and may grow
};

/// Makes room for `count` more elements like those of `item`.
void reserve(ArrayConstructorVector &vector, long count, unsigned long bytes) {
  long needed = vector.next + count;
  if (needed <= vector.capacity)
    return;
  if (!vector.isOwned && vector.to->base)
    __builtin_trap();
  long capacity = needed > 2 * vector.capacity ? needed : 2 * vector.capacity;
  auto *memory = static_cast<char *>(malloc(capacity * bytes));
  if (!memory)
    __builtin_trap();
  copyElement(memory, vector.to->base, vector.next * bytes);
  if (vector.isOwned)
    free(vector.to->base);
  vector.to->base = memory;
  vector.to->elementBytes = bytes;
  vector.capacity = capacity;
  vector.isOwned = true;
}

void finishPush(ArrayConstructorVector &vector, long count) {
  vector.next += count;
  if (vector.isOwned)
    vector.to->dim[0] = {1, vector.next, static_cast<long>(vector.to->elementBytes)};
}

} // namespace

extern "C" void _FortranAInitArrayConstructorVector(ArrayConstructorVector *vector, Descriptor *to, bool, const char *,
                                                    int) {
  *vector = {to, 0, to->base ? elementCount(*to) : 0, false};
}

extern "C" void _FortranAPushArrayConstructorValue(ArrayConstructorVector *vector, const Descriptor *item) {
  long count = elementCount(*item);
  unsigned long bytes = item->elementBytes;
  reserve(*vector, count, bytes);
  for (long i = 0; i < count; ++i)
    copyElement(vector->to->base + (vector->next + i) * bytes, elementAddress(*item, i), bytes);
  finishPush(*vector, count);
}

extern "C" void _FortranAPushArrayConstructorSimpleScalar(ArrayConstructorVector *vector, const void *item) {
  unsigned long bytes = vector->to->elementBytes;
  reserve(*vector, 1, bytes);
  copyElement(vector->to->base + vector->next * bytes, static_cast<const char *>(item), bytes);
  finishPush(*vector, 1);
}
