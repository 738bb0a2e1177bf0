// Error codes of the CUDA runtime API, which are what CUDA Fortran programs see, and how driver results map to them.
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"

namespace cufort::rt {

/// Error codes of the CUDA 13 runtime API.
enum cudaError_t : int {
#define CUFORT_CUDA_ERROR(name, value, text) name = value,
#include "runtime/Support/CudaErrors.def"
#undef CUFORT_CUDA_ERROR
};

/// Returns the runtime API's code for a driver result; cudaErrorUnknown for a result that it has no code for.
cudaError_t toCudaError(CUresult result);

/// Returns the enumerator's name, such as "cudaErrorInvalidValue", or "unrecognized error code". Never null.
const char *cudaErrorName(int code);

/// Returns the text that cudaGetErrorString gives, or "unrecognized error code". Never null.
const char *cudaErrorText(int code);

/// True for errors after which the context is unusable until cudaDeviceReset or the end of the process: reading them
/// does not clear them (CUDA runtime API, cudaGetLastError).
bool isStickyError(int code);

} // namespace cufort::rt
