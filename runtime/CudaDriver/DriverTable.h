// A device as the runtime sees it: one function pointer per driver function. The GPU's driver, the emulated device and
// the fake device of the unit tests each fill one such table, so nothing above it knows which one it runs on.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <string>

namespace cufort::rt {

/// Function pointers named as in DriverFunctions.def. No pointer of a table that loadCudaDriver, emulatedDriver or
/// completeTable returns is null: what a device lacks returns CUDA_ERROR_NOT_SUPPORTED.
struct DriverTable {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...) CUresult (*name)(__VA_ARGS__) = nullptr;
#include "runtime/CudaDriver/DriverFunctions.def"
  /// True: modules are loaded from a `const CufortImage *` itself, not from PTX or a cubin.
  bool loadsWholeImage = false;
};

/// Makes every null pointer of `table` one that returns CUDA_ERROR_NOT_SUPPORTED.
void completeTable(DriverTable &table);

/// Returns the functions of libcuda.so.1 after cuInit(0), or null with the reason in `why` if there is no driver, it
/// is too old, or it sees no device. Tries once per process; later calls return the same answer. Thread-safe.
const DriverTable *loadCudaDriver(std::string &why);

} // namespace cufort::rt
