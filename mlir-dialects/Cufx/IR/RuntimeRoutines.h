// The routines of module cudafor that device code can call, too.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::cufx {

/// True if `label`, the binding label of a routine of cudafor, is one of those that the device library has as well.
inline bool isRuntimeRoutineOfDevice(llvm::StringRef label) {
  static constexpr llvm::StringRef routines[] = {"DeviceGetCacheConfig",
                                                 "DeviceGetLimit",
                                                 "EventCreateWithFlags",
                                                 "EventDestroy",
                                                 "EventRecord",
                                                 "FreeAddress",
                                                 "FreeArray",
                                                 "GetDevice",
                                                 "GetDeviceCount",
                                                 "GetDeviceProperties",
                                                 "MallocAddress",
                                                 "MallocArray",
                                                 "Memcpy",
                                                 "Memcpy2D",
                                                 "Memcpy2DAsync",
                                                 "Memcpy2DAsyncDirected",
                                                 "MemcpyAsync",
                                                 "MemcpyAsyncDirected",
                                                 "StreamCreateWithFlags",
                                                 "StreamDestroy",
                                                 "StreamWaitEvent"};
  return label.consume_front("cufort_cuda") && llvm::is_contained(routines, label);
}

} // namespace cufort::cufx
