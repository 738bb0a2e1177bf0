// Opens the CUDA driver at run time, so that the same executable starts on a machine without one.
#include "runtime/CudaDriver/DriverTable.h"
#include <dlfcn.h>
#include <mutex>

namespace cufort::rt {

namespace {

/// Points a null `function` at one that has its type and returns CUDA_ERROR_NOT_SUPPORTED.
template <typename... Args>
void fillIn(CUresult (*&function)(Args...)) {
  if (!function)
    function = [](Args...) { return CUDA_ERROR_NOT_SUPPORTED; };
}

template <typename Function>
bool resolve(void *library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

/// Returns the first required symbol that `library` lacks, or null after filling `table`.
const char *resolveAll(void *library, DriverTable &table) {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...)                                                                      \
  if (!resolve(library, symbol, table.name))                                                                           \
    return symbol;
#define CUFORT_DRIVER_OPTIONAL(name, symbol, ...) resolve(library, symbol, table.name);
#include "runtime/CudaDriver/DriverFunctions.def"
  return nullptr;
}

std::string errorText(const DriverTable &table, CUresult result) {
  const char *text = nullptr;
  if (table.getErrorString(result, &text) != CUDA_SUCCESS || !text)
    return "error " + std::to_string(int(result));
  return text;
}

/// Fills `table`; returns the reason if it cannot be used.
std::string load(DriverTable &table) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char *reason = dlerror();
    return std::string("no CUDA driver: ") + (reason ? reason : "libcuda.so.1 cannot be opened");
  }
  if (const char *missing = resolveAll(library, table))
    return std::string("the CUDA driver is too old: it lacks ") + missing;
  completeTable(table);
  if (CUresult result = table.init(0); result != CUDA_SUCCESS)
    return "the CUDA driver does not start: " + errorText(table, result);
  int count = 0;
  if (CUresult result = table.deviceGetCount(&count); result != CUDA_SUCCESS)
    return "the CUDA driver cannot list devices: " + errorText(table, result);
  return count > 0 ? "" : "the CUDA driver sees no device";
}

} // namespace

void completeTable(DriverTable &table) {
#define CUFORT_DRIVER_FUNCTION(name, symbol, ...) fillIn(table.name);
#include "runtime/CudaDriver/DriverFunctions.def"
}

const DriverTable *loadCudaDriver(std::string &why) {
  static std::once_flag once;
  static DriverTable table;
  static std::string *reason; // never destroyed: exit handlers may still ask
  std::call_once(once, [] { reason = new std::string(load(table)); });
  why = *reason;
  return why.empty() ? &table : nullptr;
}

} // namespace cufort::rt
