// Copies of derived types with all that their allocatable components hold.
#pragma once

#include "runtime/FlangEntries/TypeDescription.h"
#include <vector>

namespace cufort::rt {

/// memmove between any two memories; ends the program with a message if that fails.
void *moveBytes(void *dst, const void *src, size_t bytes);

/// Gives the allocatable `object`, which has no memory, the type, the shape and the bounds of `like`, and memory. What
/// has allocatable components gets its initial values. Ends the program with a message if there is no memory.
void allocateLike(FortranDescriptor &object, const FortranDescriptor &like);

/// Intrinsic assignments (Fortran 2018 10.2.1.3) of objects of one type whose components may be in any memory. Flang's
/// runtime would have the host give components on the device their initial values.
class DeepCopy {
public:
  /// `callsDefinedAssignments`: of types of components that have one.
  explicit DeepCopy(bool callsDefinedAssignments) : callsDefinedAssignments(callsDefinedAssignments) {}

  /// Assigns the elements of `from`, a scalar or an array with as many as `to`, to those of `to`. They may not overlap.
  /// run() does the rest. Components of `to` that are zero are taken as not allocated.
  void add(const StridedArray &to, const StridedArray &from, const TypeDescription &type);

  /// The memory of `object` goes when all has been copied: the values may be in it.
  void releaseAfterwards(const FortranDescriptor &object);

  void run();

private:
  struct Pair {
    char *to;
    const char *from;
    const TypeDescription *type;
  };

  bool isPlain(const TypeDescription *type) const;
  bool isAssignedByFlang(const ComponentDescription &component, const FortranDescriptor &value) const;
  void copyObject(const Pair &pair);
  void assignAllocatable(FortranDescriptor &to, const FortranDescriptor &from, const ComponentDescription &component);
  void copyOnDevice(const FortranDescriptor &to, const FortranDescriptor &from, const TypeDescription &type);
  void drop(FortranDescriptor &object);

  const bool callsDefinedAssignments;
  /// What holds others comes before these: components of a component are read before they are assigned to.
  std::vector<Pair> pairs;
  std::vector<FortranDescriptor> unused;
};

} // namespace cufort::rt
