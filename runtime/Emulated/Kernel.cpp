#include "runtime/Emulated/Kernel.h"
#include <link.h>

namespace cufort::rt::emulated {

namespace {
struct Search {
  uintptr_t address;
  CodeRange found;
};
} // namespace

static int visitObject(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    CodeRange range{begin, begin + segment.p_memsz};
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && range.contains(search.address)) {
      search.found = range;
      return 1;
    }
  }
  return 0;
}

CodeRange codeAround(const void *function) {
  Search search{reinterpret_cast<uintptr_t>(function), {}};
  dl_iterate_phdr(visitObject, &search);
  return search.found;
}

} // namespace cufort::rt::emulated
