// Libraries of the CUDA toolkit that the runtime uses where a machine has them. No program is linked with one for it.
#pragma once

#include <initializer_list>

namespace cufort::rt {

/// Returns the handle, as of dlopen, of a library of the toolkit, or null if there is none. `names` are its file names,
/// the best first. `variable` names the environment variable that holds the path of the library to use, or `none`.
/// Without it a library that the program has loaded already is preferred to one on the loader's path, and that to those
/// in the folders of the toolkit that CUDA_HOME and its like name. Looks anew at each call.
void *openCudaLibrary(const char *variable, std::initializer_list<const char *> names);

/// Returns the address of `symbol` in `library`, a handle of openCudaLibrary, or null, which the debug log tells.
void *findInLibrary(void *library, const char *symbol);

/// Sets `function` to `symbol` of `library`. Returns false if the library lacks it.
template <typename Function>
bool resolve(void *library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(findInLibrary(library, symbol));
  return function != nullptr;
}

} // namespace cufort::rt
