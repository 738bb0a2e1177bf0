// ALLOCATE and DEALLOCATE in device code, with memory of the device's heap; and what pointers are associated with.

#include "codegen/DeviceLibrary/Entry.h"
#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// Values of STAT=, those of Flang's runtime.
enum Status { Ok = 0, BaseNull = 11, BaseNotNull = 12, NoMemory = 19 };

void setBounds(Descriptor &array, int dimension, long lower, long upper) {
  Dimension &dim = array.dim[dimension];
  dim.lower = lower;
  dim.extent = upper >= lower ? upper - lower + 1 : 0;
}

} // namespace

/// An allocation that fails leaves an allocated array as it is.
CUFX_ENTRY void _FortranAAllocatableSetBounds(Descriptor *array, int dimension, long lower, long upper) {
  if (!array->base)
    setBounds(*array, dimension, lower, upper);
}

CUFX_ENTRY void _FortranAPointerSetBounds(Descriptor *array, int dimension, long lower, long upper) {
  setBounds(*array, dimension, lower, upper);
}

/// MOLD=: the bounds of `mold`, and the length of its characters.
extern "C" void _FortranAAllocatableApplyMold(Descriptor *array, const Descriptor *mold, int) {
  if (array->base)
    return;
  array->elementBytes = mold->elementBytes;
  for (int i = 0; i < mold->rank; ++i)
    setBounds(*array, i, mold->dim[i].lower, mold->dim[i].lower + mold->dim[i].extent - 1);
}

extern "C" void _FortranAPointerApplyMold(Descriptor *array, const Descriptor *mold, int rank) {
  array->base = nullptr;
  _FortranAAllocatableApplyMold(array, mold, rank);
}

CUFX_ENTRY void _FortranAAllocatableInitCharacterForAllocate(Descriptor *string, long length, int kind, int, int) {
  if (!string->base)
    string->elementBytes = length > 0 ? length * kind : 0;
}

CUFX_ENTRY void _FortranAPointerNullifyCharacter(Descriptor *string, long length, int kind, int, int) {
  string->base = nullptr;
  string->elementBytes = length > 0 ? length * kind : 0;
}

/// Allocates the array or scalar whose bounds and element size are set. Returns the value for STAT=.
CUFX_ENTRY int cufortAllocate(Descriptor *array, int isPointer) {
  if (array->base && !isPointer)
    return BaseNotNull;
  long bytes = makeContiguous(*array);
  array->base = static_cast<char *>(malloc(bytes ? bytes : 1));
  return array->base ? Ok : NoMemory;
}

/// Frees the array or scalar. Returns the value for STAT=.
CUFX_ENTRY int cufortDeallocate(Descriptor *array) {
  if (!array->base)
    return BaseNull;
  free(array->base);
  array->base = nullptr;
  return Ok;
}

/// MOVE_ALLOC. Returns the value for STAT=.
extern "C" int _FortranAMoveAlloc(Descriptor *to, Descriptor *from, const void *, bool, const Descriptor *,
                                  const char *, int) {
  if (to == from)
    return Ok;
  free(to->base);
  to->base = from->base;
  to->elementBytes = from->elementBytes;
  for (int i = 0; i < from->rank; ++i)
    to->dim[i] = from->dim[i];
  if (hasType(*to) && hasType(*from))
    typeOf(*to) = typeOf(*from);
  from->base = nullptr;
  return Ok;
}

extern "C" bool _FortranAPointerIsAssociated(const Descriptor *pointer) { return pointer->base; }

/// ASSOCIATED with a target: the same elements, of which there is at least one.
extern "C" bool _FortranAPointerIsAssociatedWith(const Descriptor *pointer, const Descriptor *target) {
  if (!target || !pointer->base || pointer->base != target->base || pointer->rank != target->rank ||
      pointer->elementBytes != target->elementBytes || pointer->elementBytes == 0)
    return false;
  for (int i = 0; i < pointer->rank; ++i) {
    const Dimension &own = pointer->dim[i], &other = target->dim[i];
    if (own.extent != other.extent || own.extent == 0 || (own.extent > 1 && own.stride != other.stride))
      return false;
  }
  return true;
}
