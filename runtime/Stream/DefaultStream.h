// Which stream a statement uses that names none (cudaforSetDefaultStream; guide 3.2.3, 4.4).
#pragma once

#include "runtime/CudaDriver/DriverTypes.h"
#include <cstdint>

namespace cufort::rt {

/// Returns the stream handle that the driver takes for a Fortran stream number: 0 (the legacy default stream), 1
/// (cudaStreamLegacy), 2 (cudaStreamPerThread), or a value from cudaStreamCreate.
inline CUstream toStream(int64_t stream) { return reinterpret_cast<CUstream>(static_cast<uintptr_t>(stream)); }

/// Makes `stream` the default stream of the calling thread; 0 takes that back.
void setThreadDefaultStream(int64_t stream);

/// Returns the calling thread's default stream, or 0.
int64_t threadDefaultStream();

/// Binds the variable that holds the device address `address` to `stream`: the whole allocation that it lies in, or
/// the variable that begins there. 0 unbinds. Ends with the allocation. Thread-safe.
void setVariableDefaultStream(const void *address, int64_t stream);

/// Returns the stream bound to the variable at device address `address`, else the thread's default stream, else 0.
int64_t defaultStreamFor(const void *address);

/// True, with `stream` set, if a stream is bound to the variable at `address`. Thread-safe.
bool variableDefaultStream(const void *address, int64_t &stream);

/// Says that an allocation has been given a stream other than by setVariableDefaultStream, so that it is looked for.
void noteVariableBinding();

/// True if a stream is or was bound to any variable. Thread-safe.
bool mayVariablesHaveStreams();

/// Forgets that streams were bound to variables, of which none is allocated any more. For unit tests.
void clearVariableDefaultStreams();

} // namespace cufort::rt
