#include "codegen/DeviceLibrary/HeapAddresses.h"

namespace {

/// An address is in one of `window` places from that on which it itself determines.
constexpr unsigned places = 4096, window = 32;

char *addresses[places] = {};
/// Whether there has been an address without a place: others may be such, too, from then on.
bool isIncomplete = false;

char *&placeOf(char *address, unsigned number) {
  // Products by an odd number with bits in all places spread neighbours (Fibonacci hashing).
  unsigned long spread = reinterpret_cast<unsigned long>(address) * 0x9E3779B97F4A7C15UL;
  return addresses[(unsigned(spread >> 52) + number) % places];
}

bool exchange(char *&place, char *from, char *to) {
  return __atomic_compare_exchange_n(&place, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

} // namespace

/// What DEALLOCATE has freed may still be there, and is the new address then.
void cufort::device::noteHeapAddress(char *address) {
  for (unsigned i = 0; i < window; ++i)
    if (__atomic_load_n(&placeOf(address, i), __ATOMIC_RELAXED) == address)
      return;
  for (unsigned i = 0; i < window; ++i)
    if (exchange(placeOf(address, i), nullptr, address))
      return;
  __atomic_store_n(&isIncomplete, true, __ATOMIC_RELAXED);
}

bool cufort::device::forgetHeapAddress(char *address) {
  for (unsigned i = 0; i < window; ++i)
    if (exchange(placeOf(address, i), address, nullptr))
      return true;
  return __atomic_load_n(&isIncomplete, __ATOMIC_RELAXED);
}
