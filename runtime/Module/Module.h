// Finds the device side of what the program names by host address: kernels by their host stub, module variables by
// their host shadow. Modules are loaded into a device when the first of their kernels or variables is used there.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Module/DeviceDescriptor.h"
#include "runtime/Module/FollowedDescriptors.h"
#include "runtime/Module/KernelVersions.h"
#include <deque>

namespace cufort::rt {

/// A kernel in one device. Never moves and lives until the device is reset; may be used by several threads at once.
struct LoadedKernel {
  KernelFunction general; ///< for all launches
  const CufortEntry *entry = nullptr;
  /// What a launch has to update first, or null.
  FollowedDescriptors *followed = nullptr;
  CUmodule module = nullptr;
  /// What a launch calls before, or null: CufortImage::writeOutput.
  void (*writeOutput)(const char *file, int32_t line) = nullptr;
  std::deque<KernelVersion> versions; ///< in the order in which a launch tries them
};

/// True if `code`, the function `symbol` of the module of `kernel`, is loaded, or can be now. Lock-free if it is.
/// Thread-safe.
bool isLoaded(const Current &current, const LoadedKernel &kernel, KernelFunction &code, const char *symbol);

/// Returns the code of `version`, loading it on first use; null if it cannot be had. Lock-free after that. Thread-safe.
KernelFunction *codeOf(const Current &current, const LoadedKernel &kernel, KernelVersion &version);

/// Returns the code of `kernel` that usually runs. Thread-safe.
KernelFunction &usualCode(const Current &current, LoadedKernel &kernel);

/// Returns all code of `kernel`: the general one, and that of versions. Thread-safe.
std::vector<KernelFunction *> allCode(const Current &current, LoadedKernel &kernel);

/// Returns `codes`, which are of `kernel`, and the alternatives to them. Thread-safe.
std::vector<KernelFunction *> withAlternatives(const Current &current, const LoadedKernel &kernel,
                                               std::vector<KernelFunction *> codes);

/// Sets `kernel` to the kernel whose host stub is `stub` in the device of `current`, loading its module on first use.
/// cudaErrorInvalidDeviceFunction if no image has such a kernel; cudaErrorNoKernelImageForDevice if its image has
/// no code for this device. Lock-free after the first use on a device. Thread-safe.
Result findKernel(const Current &current, const void *stub, LoadedKernel *&kernel);

/// Returns what findKernel finds if it is loaded in `device` already, else null. Never locks, calls no driver.
LoadedKernel *findLoadedKernel(int device, const void *stub);

/// Lets output of the host come before that of any kernels that are loaded, as launches of these do. Thread-safe.
void writeOutputBeforeAny();

/// A module variable in one device.
struct LoadedVariable {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const CufortEntry *entry = nullptr;
  /// If it is a descriptor, the version that the device has of it, which launches look at.
  std::atomic<int32_t> *strides = nullptr;
  /// If launches look at it, what they update: then it is not copied by itself.
  FollowedDescriptors *followed = nullptr;
};

/// Copies `descriptor` to `variable` in the device of `current`.
CUresult pushDescriptor(const Current &current, const LoadedVariable &variable, const DeviceDescriptor &descriptor);

/// Sets `variable` to the device variable whose host shadow is at `host`, in the device of `current`.
/// cudaErrorInvalidSymbol if no image has such a variable. Thread-safe.
Result findVariable(const Current &current, const void *host, LoadedVariable &variable);

/// Returns the host address by which kernel or variable `name` is known, or null. The name is the Fortran name or the
/// device symbol, case-insensitively; `length` bytes, trailing blanks ignored. For routines that take a name
/// (cudaFuncSetCacheConfig) or a c_ptr that was assigned a string (cudaGetSymbolAddress). Thread-safe.
const void *findHostAddress(const char *name, size_t length, CufortEntryKind kind);

/// Returns the entry whose host address is `host`, or null. Thread-safe.
const CufortEntry *findEntry(const void *host);

} // namespace cufort::rt
