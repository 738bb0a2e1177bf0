// What the components of an object hold. Flang's runtime frees the object in a polymorphic component, and what the
// declared type of the component says that the object holds, which is nothing for CLASS(*); of components that are
// arrays of a derived type it frees what the first element holds.
#include "runtime/FlangEntries/ReleaseComponents.h"
#include "runtime/FlangEntries/Allocators.h"
#include "runtime/FlangEntries/Elements.h"
#include "runtime/Memory/Allocation.h"
#include "runtime/Stream/ErrorState.h"
#include <vector>

using namespace cufort::rt;

extern "C" {
int _FortranAAllocatableDeallocate(FortranDescriptor &, bool hasStat, const FortranDescriptor *errMsg, const char *file,
                                   int line);

/// Frees what the components of `object` hold, and components in these. FINAL procedures want to see components: if one
/// is to be called, nothing happens.
void cufortReleaseComponents(const FortranDescriptor *object);
}

namespace {

/// Finds the allocated components, each before what is in it.
class ComponentFinder {
public:
  void addArray(const StridedArray &objects, const TypeDescription &type) {
    if (!isWanted(type) || !hostReads(objects.base))
      return;
    Elements elements(objects);
    for (size_t count = objects.elements(); count > 0; --count)
      pending.push_back({elements.next(), &type});
  }

  void run() {
    while (!pending.empty()) {
      auto [address, type] = pending.back();
      pending.pop_back();
      for (int64_t i = 0; i < type->componentCount.extent; ++i)
        addComponent(address, type->components[i]);
    }
  }

  std::vector<FortranDescriptor *> found;
  bool hasFinalProcedure = false; ///< in a type that was met

private:
  struct Element {
    char *address;
    const TypeDescription *type;
  };

  /// Types that may hold anything say that they need destruction. Those of parents are components.
  bool isWanted(const TypeDescription &type) {
    hasFinalProcedure |= (type.specialBindingSet & TypeDescription::finalProcedures) != 0;
    return !type.needsNoDestruction;
  }

  void addComponent(char *address, const ComponentDescription &component) {
    char *place = address + component.offset;
    if (component.genre == ComponentDescription::Data)
      return addParts(place, component);
    if (!component.isAllocatable())
      return;
    auto &descriptor = *reinterpret_cast<FortranDescriptor *>(place);
    if (!descriptor.base)
      return;
    found.push_back(&descriptor);
    if (const TypeDescription *type = dynamicType(descriptor))
      addArray(arrayOf(descriptor), *type);
  }

  void addParts(char *place, const ComponentDescription &component) {
    if (!component.type || !isWanted(*component.type))
      return;
    for (int64_t i = 0, count = component.parts(); i < count; ++i)
      pending.push_back({place + i * component.type->bytes, component.type});
  }

  std::vector<Element> pending;
};

void release(const ComponentFinder &finder) {
  for (auto inner = finder.found.rbegin(); inner != finder.found.rend(); ++inner)
    releaseObject(**inner);
}

} // namespace

bool cufort::rt::hostReads(const void *address) {
  Allocation allocation;
  return !findAllocation(address, allocation) || allocation.kind != MemoryKind::Device;
}

void cufort::rt::releaseObject(FortranDescriptor &object) {
  (void)withoutType(object, [&] { return _FortranAAllocatableDeallocate(object, true, nullptr, nullptr, 0); });
  recordPending(takeAllocationFailure(), "deallocating a component", nullptr, 0);
  object.base = nullptr;
}

void cufort::rt::releaseComponents(const StridedArray &objects, const TypeDescription &type) {
  ComponentFinder finder;
  finder.addArray(objects, type);
  finder.run();
  release(finder);
}

void cufortReleaseComponents(const FortranDescriptor *object) {
  const TypeDescription *type = object->base ? dynamicType(*object) : nullptr;
  if (!type)
    return;
  ComponentFinder finder;
  finder.addArray(arrayOf(*object), *type);
  finder.run();
  if (!finder.hasFinalProcedure)
    release(finder);
}
