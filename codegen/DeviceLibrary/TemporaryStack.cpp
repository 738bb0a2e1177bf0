// What FORALL, WHERE and assignments to vector subscripts keep of array values, or of where these are, when their number
// is known only at the end: lists that grow, with elements of any type and rank.

#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

struct List {
  long count, capacity;
  Descriptor *entries;
};

void *allocate(unsigned long bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    __builtin_trap();
  return memory;
}

/// With what lies behind the dimensions of a derived type.
unsigned long bytesOf(const Descriptor &array) {
  constexpr unsigned long addendum = 16;
  unsigned long dimensions = array.rank * sizeof(Dimension);
  return sizeof(Descriptor) - sizeof(Descriptor::dim) + dimensions + (array.extra & 1 ? addendum : 0);
}

void copyDescriptor(Descriptor &to, const Descriptor &from) {
  copyElement(reinterpret_cast<char *>(&to), reinterpret_cast<const char *>(&from), bytesOf(from));
}

void grow(List &list) {
  long capacity = list.capacity ? 2 * list.capacity : 4;
  auto *entries = static_cast<Descriptor *>(allocate(capacity * sizeof(Descriptor)));
  for (long i = 0; i < list.count; ++i)
    copyDescriptor(entries[i], list.entries[i]);
  free(list.entries);
  list.entries = entries;
  list.capacity = capacity;
}

Descriptor &append(List &list, const Descriptor &array) {
  if (list.count == list.capacity)
    grow(list);
  Descriptor &entry = list.entries[list.count++];
  copyDescriptor(entry, array);
  return entry;
}

/// Lets `entry` describe a copy of the elements of `array`.
void copyElements(Descriptor &entry, const Descriptor &array) {
  entry.base = static_cast<char *>(allocate(makeContiguous(entry)));
  for (long i = 0; i < elementCount(array); ++i)
    copyElement(elementAddress(entry, i), elementAddress(array, i), array.elementBytes);
}

void *createList() {
  auto *list = static_cast<List *>(allocate(sizeof(List)));
  *list = {0, 0, nullptr};
  return list;
}

void destroyList(List *list) {
  free(list->entries);
  free(list);
}

} // namespace

//===-- Values ----------------------------------------------------------------------------------------------------===//

extern "C" void *_FortranACreateValueStack(const char *, int) { return createList(); }

extern "C" void _FortranAPushValue(List *list, const Descriptor *array) { copyElements(append(*list, *array), *array); }

extern "C" void _FortranAValueAt(List *list, unsigned long number, Descriptor *array) {
  copyDescriptor(*array, list->entries[number]);
}

extern "C" void _FortranADestroyValueStack(List *list) {
  for (long i = 0; i < list->count; ++i)
    free(list->entries[i].base);
  destroyList(list);
}

//===-- Places ----------------------------------------------------------------------------------------------------===//

extern "C" void *_FortranACreateDescriptorStack(const char *, int) { return createList(); }

extern "C" void _FortranAPushDescriptor(List *list, const Descriptor *array) { append(*list, *array); }

extern "C" void _FortranADescriptorAt(List *list, unsigned long number, Descriptor *array) {
  copyDescriptor(*array, list->entries[number]);
}

extern "C" void _FortranADestroyDescriptorStack(List *list) { destroyList(list); }
