// Descriptions of derived types as code compiled by Flang 22 has them (its module __fortran_type_info): the part that
// the runtime reads.
#pragma once

#include "runtime/FlangEntries/FortranDescriptor.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt {

struct ComponentDescription;

struct TypeDescription {
  static constexpr int32_t finalProcedures = ~0x7f, definedAssignments = 6; ///< in `specialBindingSet`
  char bindings[64], name[24];
  int64_t bytes;
  char uninstantiated[40], kindParameters[48], lengthParameterKinds[48];
  ComponentDescription *components;
  char componentHeader[16];
  FortranDim componentCount;
  char componentAddendum[FortranDescriptor::addendumBytes], procedurePointers[24];
  FortranDim procedurePointerCount;
  char procedurePointerAddendum[FortranDescriptor::addendumBytes], specialBindings[64];
  int32_t specialBindingSet;
  int8_t hasParent, needsNoInitialisation, needsNoDestruction, needsNoFinalisation, needsNoAssignment;
};
static_assert(offsetof(TypeDescription, components) == 232 && offsetof(TypeDescription, needsNoFinalisation) == 431,
              "layout of __fortran_type_info");

/// A bound or a length.
struct ValueDescription {
  int8_t genre; ///< 2: the value is known when the program is compiled
  int64_t value;
};

struct ComponentDescription {
  enum Genre : int8_t { Data = 1, Allocatable = 3, AllocatableDevice = 6 };
  char name[24];
  int8_t genre, category, kind, rank;
  int64_t offset;
  ValueDescription characterLength;
  const TypeDescription *type; ///< null: no derived type, or CLASS(*)
  char typeHeader[32], lengthValues[64];
  const ValueDescription *bounds; ///< of each dimension the lower and the upper
  char boundsHeader[80];
  const void *initialValue;

  bool isAllocatable() const { return genre == Allocatable || genre == AllocatableDevice; }

  /// How many elements a component of the genre Data has.
  int64_t parts() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i)
      count *= std::max<int64_t>(bounds[2 * i + 1].value - bounds[2 * i].value + 1, 0);
    return count;
  }
};
static_assert(offsetof(ComponentDescription, bounds) == 160 && sizeof(ComponentDescription) == 256,
              "layout of __fortran_type_info");

/// The type that an object has, which `descriptor` is of; null if it says none.
inline const TypeDescription *dynamicType(const FortranDescriptor &descriptor) {
  const TypeDescription *type = nullptr;
  if (descriptor.hasAddendum())
    std::memcpy(&type, &descriptor.dim[descriptor.rank], sizeof type);
  return type;
}

} // namespace cufort::rt
