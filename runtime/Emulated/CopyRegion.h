// A box of bytes in host memory, device memory or a CUDA array, as the 2-D and 3-D copy functions name it.
#pragma once

#include "runtime/Emulated/EmulatedContext.h"

namespace cufort::rt::emulated {

/// One side of a copy. Row y of slice z begins at base + y * pitch + z * slice.
struct CopyRegion {
  char *base = nullptr;
  size_t pitch = 0, slice = 0;
};

/// What a copy descriptor says about one side.
struct CopySide {
  CUmemorytype type;
  void *host;
  CUdeviceptr device;
  CUarray array;
  size_t xInBytes, y, z;
  size_t pitch, height; ///< of linear memory; 0: as dense as the copied box
};

/// The extent of what is copied.
struct CopyExtent {
  size_t widthInBytes, height, depth;
};

/// Sets `region` to what `side` describes: CUDA_ERROR_INVALID_VALUE if it reaches beyond what is allocated, or a pitch
/// is too small.
CUresult resolveRegion(const CopySide &side, const CopyExtent &extent, CopyRegion &region);

/// Copies; the two must not overlap.
void copyRegion(const CopyRegion &destination, const CopyRegion &source, const CopyExtent &extent);

} // namespace cufort::rt::emulated
