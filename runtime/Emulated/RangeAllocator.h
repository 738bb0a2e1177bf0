// Which parts of a range of numbers are in use. What it knows lies nowhere near what the numbers are addresses of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace cufort::rt::emulated {

/// Hands out parts of begin <= number < end. Parts that were given back are used again as late as possible. Not
/// thread-safe.
class RangeAllocator {
public:
  RangeAllocator() = default;
  RangeAllocator(uintptr_t begin, uintptr_t end);

  /// Takes `size` numbers (at least 1), of which the first is a multiple of `alignment`, a power of two. Returns the
  /// first, or 0 if there is no such part.
  uintptr_t take(size_t size, size_t alignment);
  /// Gives back a part that was taken.
  void give(uintptr_t first, size_t size);

private:
  using Parts = std::map<uintptr_t, uintptr_t>; ///< first number to end
  uintptr_t takeFrom(Parts::iterator part, uintptr_t from, size_t size, size_t alignment);

  Parts unused;
  uintptr_t cursor = 0; ///< where the last part that was taken ended
};

} // namespace cufort::rt::emulated
