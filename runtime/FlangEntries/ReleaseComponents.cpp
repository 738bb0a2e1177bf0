// What polymorphic components hold. Flang's runtime frees the object in such a component, and what the declared type of
// the component says that the object holds; that is nothing for CLASS(*).
#include "runtime/Context/Context.h"
#include "runtime/FlangEntries/TypeDescription.h"
#include "runtime/Memory/Allocation.h"
#include <vector>

using namespace cufort::rt;

extern "C" {
/// Of Flang's runtime: frees what the components of the object hold, by its dynamic type.
void _FortranADestroyWithoutFinalization(const FortranDescriptor &);

/// Frees what the objects in polymorphic components of `object` hold, and in components of these. For programs with
/// device data; others lose host memory only. FINAL procedures want to see components: if one is to be called, nothing
/// happens.
void cufortReleaseComponents(const FortranDescriptor *object);
}

namespace {

bool hostReads(const void *address) {
  Allocation allocation;
  return !findAllocation(address, allocation) || allocation.kind != MemoryKind::Device;
}

/// Finds the objects, each before what is in it.
class ObjectFinder {
public:
  void addArray(const FortranDescriptor &array, const TypeDescription &type) {
    if (!isWanted(type) || !hostReads(array.base))
      return;
    StridedArray elements = arrayOf(array);
    int64_t subscripts[maxRank] = {};
    for (size_t count = elements.elements(); count > 0; --count) {
      char *address = elements.base;
      for (int i = 0; i < elements.rank; ++i)
        address += subscripts[i] * elements.stride[i];
      pending.push_back({address, &type});
      for (int i = 0; i < elements.rank && ++subscripts[i] == elements.extent[i]; ++i)
        subscripts[i] = 0;
    }
  }

  void run() {
    while (!pending.empty()) {
      auto [address, type] = pending.back();
      pending.pop_back();
      for (int64_t i = 0; i < type->componentCount.extent; ++i)
        addComponent(address, type->components[i]);
    }
  }

  std::vector<const FortranDescriptor *> found;
  bool hasFinalProcedure = false; ///< in a type that was met

private:
  struct Element {
    char *address;
    const TypeDescription *type;
  };

  /// Types that may hold anything say that they need finalisation. Those of parents are components.
  bool isWanted(const TypeDescription &type) {
    hasFinalProcedure |= (type.specialBindingSet & TypeDescription::finalProcedures) != 0;
    return !type.needsNoDestruction;
  }

  void addComponent(char *address, const ComponentDescription &component) {
    char *place = address + component.offset;
    if (component.genre == ComponentDescription::Data)
      return addParts(place, component);
    if (component.genre != ComponentDescription::Allocatable &&
        component.genre != ComponentDescription::AllocatableDevice)
      return;
    const auto &descriptor = *reinterpret_cast<const FortranDescriptor *>(place);
    const TypeDescription *type = descriptor.base ? dynamicType(descriptor) : nullptr;
    if (!type || !isWanted(*type) || !hostReads(descriptor.base))
      return;
    if (type != component.type)
      found.push_back(&descriptor);
    addArray(descriptor, *type);
  }

  void addParts(char *place, const ComponentDescription &component) {
    if (!component.type || !isWanted(*component.type))
      return;
    int64_t count = 1;
    for (int i = 0; i < component.rank; ++i)
      count *= component.bounds[2 * i + 1].value - component.bounds[2 * i].value + 1;
    for (int64_t i = 0; i < count; ++i)
      pending.push_back({place + i * component.type->bytes, component.type});
  }

  std::vector<Element> pending;
};

} // namespace

void cufortReleaseComponents(const FortranDescriptor *object) {
  Current current;
  const TypeDescription *type = object->base ? dynamicType(*object) : nullptr;
  if (!type || !cachedContext(current))
    return;
  ObjectFinder finder;
  finder.addArray(*object, *type);
  finder.run();
  if (finder.hasFinalProcedure)
    return;
  for (auto inner = finder.found.rbegin(); inner != finder.found.rend(); ++inner)
    _FortranADestroyWithoutFinalization(**inner);
}
