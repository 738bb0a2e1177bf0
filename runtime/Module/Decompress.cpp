#include "runtime/Module/Decompress.h"
#include <zstd.h>

extern "C" const char *cufortDecompress(void *out, size_t size, const void *stored, size_t storedSize) {
  size_t written = ZSTD_decompress(out, size, stored, storedSize);
  if (ZSTD_isError(written))
    return ZSTD_getErrorName(written);
  return written == size ? nullptr : "it has not the size that it should have";
}
