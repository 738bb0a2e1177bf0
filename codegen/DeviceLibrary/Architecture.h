// The architecture that a program's device code is made for, for routines that only newer ones have instructions for.
#pragma once

/// Compute capability times ten. The device link knows it, which leaves one branch of what depends on it.
inline unsigned architecture() { return __nvvm_reflect("__CUDA_ARCH") / 10; }

/// The architectures that brought asynchronous barriers, and clusters and bulk copies.
inline constexpr unsigned ampere = 80, hopper = 90;

/// A program may be compiled for several architectures, and run a procedure on those that can do it. That at least one
/// can has been checked at compile time.
inline void requireArchitecture(unsigned lowest) {
  if (architecture() < lowest)
    __builtin_trap();
}
