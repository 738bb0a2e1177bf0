// The addresses that cudaMalloc has given to device code. cudaFree knows by them what it may free: the heap takes any
// address for one of its own.
#pragma once

namespace cufort::device {

void noteHeapAddress(char *address);

/// False if `address` is none of them, or has been forgotten.
bool forgetHeapAddress(char *address);

} // namespace cufort::device
