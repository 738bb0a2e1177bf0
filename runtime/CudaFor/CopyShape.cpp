#include "runtime/CudaFor/CopyShape.h"

namespace cufort::rt {

std::vector<StridedArray> leadingSections(const StridedArray &array, size_t count) {
  std::vector<StridedArray> sections;
  StridedArray rest = array;
  // Elements in what one step along the dimension being cut leaves behind.
  size_t slab = array.elements();
  while (rest.rank > 0 && count > 0) {
    int last = rest.rank - 1;
    slab /= static_cast<size_t>(rest.extent[last]);
    size_t whole = count / slab;
    if (whole > 0) {
      StridedArray section = rest;
      section.extent[last] = static_cast<int64_t>(whole);
      sections.push_back(section);
      rest.base += static_cast<int64_t>(whole) * rest.stride[last];
      count -= whole * slab;
    }
    --rest.rank;
  }
  if (array.rank == 0 && count > 0)
    sections.push_back(array);
  return sections;
}

} // namespace cufort::rt
