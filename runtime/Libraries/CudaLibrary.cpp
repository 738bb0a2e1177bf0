#include "runtime/Libraries/CudaLibrary.h"
#include "runtime/Support/Environment.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace cufort::rt {

namespace {

void *open(const std::string &path, int flags = 0) {
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | flags);
  if (library)
    debugLog("library %s", path.c_str());
  return library;
}

void *openOneOf(const std::string &folder, std::initializer_list<const char *> names, int flags = 0) {
  for (const char *name : names)
    if (void *library = open(folder + name, flags))
      return library;
  return nullptr;
}

} // namespace

void *openCudaLibrary(const char *variable, std::initializer_list<const char *> names) {
  if (const char *path = std::getenv(variable); path && *path)
    return std::strcmp(path, "none") ? open(path) : nullptr;
  if (void *library = openOneOf("", names, RTLD_NOLOAD))
    return library;
  if (void *library = openOneOf("", names))
    return library;
  for (const char *home : {"NVHPC_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(home); folder && *folder)
      for (const char *inside : {"/lib64/", "/lib/"})
        if (void *library = openOneOf(std::string(folder) + inside, names))
          return library;
  return openOneOf("/usr/local/cuda/lib64/", names);
}

void *findInLibrary(void *library, const char *symbol) {
  void *address = dlsym(library, symbol);
  if (!address)
    debugLog("a library of the CUDA toolkit lacks %s", symbol);
  return address;
}

} // namespace cufort::rt
