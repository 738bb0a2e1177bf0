// Addresses as the instructions of PTX take them.
#pragma once

namespace cufort::device {

/// Of shared memory: 32 bits.
inline unsigned sharedAddress(const void *address) {
  return static_cast<unsigned>(
      reinterpret_cast<unsigned long>((__attribute__((address_space(3))) const char *)address));
}

/// Of global memory: not generic.
inline unsigned long globalAddress(const void *address) {
  return reinterpret_cast<unsigned long>((__attribute__((address_space(1))) const char *)address);
}

} // namespace cufort::device
