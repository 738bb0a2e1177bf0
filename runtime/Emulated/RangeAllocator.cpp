#include "runtime/Emulated/RangeAllocator.h"
#include <iterator>

namespace cufort::rt::emulated {

RangeAllocator::RangeAllocator(uintptr_t begin, uintptr_t end) {
  if (begin < end)
    unused[begin] = end;
}

uintptr_t RangeAllocator::takeFrom(Parts::iterator part, uintptr_t from, size_t size, size_t alignment) {
  auto [begin, end] = *part;
  uintptr_t first = (from + alignment - 1) & ~uintptr_t(alignment - 1);
  if (first < from || first >= end || end - first < size)
    return 0;
  unused.erase(part);
  if (begin < first)
    unused[begin] = first;
  if (first + size < end)
    unused[first + size] = end;
  cursor = first + size;
  return first;
}

uintptr_t RangeAllocator::take(size_t size, size_t alignment) {
  auto start = unused.upper_bound(cursor);
  if (start != unused.begin() && std::prev(start)->second > cursor)
    if (uintptr_t first = takeFrom(std::prev(start), cursor, size, alignment))
      return first;
  for (auto part = start; part != unused.end(); ++part)
    if (uintptr_t first = takeFrom(part, part->first, size, alignment))
      return first;
  for (auto part = unused.begin(); part != start; ++part)
    if (uintptr_t first = takeFrom(part, part->first, size, alignment))
      return first;
  return 0;
}

void RangeAllocator::give(uintptr_t first, size_t size) {
  uintptr_t end = first + size;
  auto next = unused.lower_bound(first);
  if (next != unused.end() && next->first == end) {
    end = next->second;
    next = unused.erase(next);
  }
  if (next != unused.begin() && std::prev(next)->second == first)
    std::prev(next)->second = end;
  else
    unused[first] = end;
}

} // namespace cufort::rt::emulated
