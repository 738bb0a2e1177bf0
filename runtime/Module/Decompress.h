// The only code that uses zstd. It is linked with zstd into one object that exports nothing else, so that a program
// may link a zstd of its own.
#pragma once

#include <stddef.h>

/// Decompresses the zstd frame of `storedSize` bytes at `stored` into `size` bytes at `out`. Returns null, or what is
/// wrong: a damaged frame, or one that has not exactly `size` bytes.
extern "C" const char *cufortDecompress(void *out, size_t size, const void *stored, size_t storedSize);
