// The thread's last error and the texts of errors (guide 4.4).
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Stream/ErrorState.h"
#include <algorithm>
#include <cstring>

namespace cufort::rt {

extern "C" {

int cufort_cudaGetLastError() { return takeLastError(); }

int cufort_cudaPeekAtLastError() { return peekLastError(); }

int cudaforErrorTextLength(int code) { return static_cast<int>(std::strlen(cudaErrorText(code))); }

void cudaforCopyErrorText(int code, FortranDescriptor *text) {
  const char *message = cudaErrorText(code);
  size_t length = std::min(std::strlen(message), text->elementBytes);
  std::memset(text->base, ' ', text->elementBytes);
  std::memcpy(text->base, message, length);
}

} // extern "C"

} // namespace cufort::rt
