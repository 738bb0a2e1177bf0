#include "runtime/Context/StayLoaded.h"
#include <dlfcn.h>
#include <link.h>

void cufort::rt::keepLoaded(const void *address) {
  Dl_info info;
  void *library = nullptr;
  if (!dladdr1(address, &info, &library, RTLD_DL_LINKMAP) || !library)
    return;
  // The program has no name there.
  const char *path = static_cast<link_map *>(library)->l_name;
  if (path && *path)
    dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
