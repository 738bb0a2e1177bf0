#include "runtime/Module/StrideNumbers.h"
#include "runtime/ABI/RuntimeABI.h"
#include <map>
#include <mutex>
#include <vector>

namespace cufort::rt {

namespace {

/// Strides that are known at a time. A program whose arrays always have new shapes does not fill memory with them.
constexpr size_t mostKnown = 4096;

struct Numbers {
  std::mutex mutex;
  std::map<std::vector<int64_t>, int32_t> known;
  int32_t last = 0;
};

Numbers &numbers() {
  // Never destroyed: arrays may be allocated while the program ends.
  static auto *all = new Numbers;
  return *all;
}

} // namespace

int32_t strideNumber(const FortranDescriptor &array) {
  if (!hasPlainStrides(array, static_cast<int64_t>(array.elementBytes)))
    return 0;
  std::vector<int64_t> strides;
  for (int i = 0; i < array.rank; ++i)
    strides.push_back(array.dim[i].byteStride);
  Numbers &all = numbers();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto found = all.known.find(strides);
  if (found == all.known.end()) {
    if (all.last == INT32_MAX)
      return 0;
    // Numbers are not used again: arrays that still have one keep it, and differ from new ones.
    if (all.known.size() == mostKnown)
      all.known.clear();
    found = all.known.emplace(std::move(strides), ++all.last).first;
  }
  return found->second | CUFORT_PLAIN_STRIDES;
}

} // namespace cufort::rt
