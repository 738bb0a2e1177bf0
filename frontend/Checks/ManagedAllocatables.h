// -gpu=mem:managed.
#pragma once

#include "flang/Support/Fortran-features.h"

namespace cufort::frontend {

/// While an object of this class exists, Flang resolves names as if ALLOCATABLE variables were not managed. It would
/// give them the attribute, which then belongs to their types: they could not be passed to procedures without an
/// explicit interface, and assignments between them were transfers. Only how arguments match takes the mode into
/// account; that they get managed memory is decided where they are allocated (codegen/RuntimeCalls/ManageAllocations).
/// One object at a time in a thread; `features` are those of the context, and must live longer.
class ManagedAllocatables {
public:
  explicit ManagedAllocatables(Fortran::common::LanguageFeatureControl &features);
  ~ManagedAllocatables();
  ManagedAllocatables(const ManagedAllocatables &) = delete;
  ManagedAllocatables &operator=(const ManagedAllocatables &) = delete;
};

} // namespace cufort::frontend
