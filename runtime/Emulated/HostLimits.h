// What this machine is, and how much of it the process may use: affinity mask and control groups included, so that a
// container with two cores of sixty-four is a device with two multiprocessors.
#pragma once

#include <cstddef>

namespace cufort::rt::emulated {

/// Returns the number of cores that this process may use, at least 1.
unsigned usableCores();

/// Returns the bytes of memory that this process may use, page cache of other processes included.
size_t usableMemory();

/// Returns how many mappings of memory the system allows a process.
long mappingLimit();

/// Returns the cores' nominal clock rate in kHz, or 1000000 if the machine does not say.
int clockRateKHz();

/// Returns whether the cores have all instructions of the level x86-64-v3.
bool hasWideVectors();

} // namespace cufort::rt::emulated
