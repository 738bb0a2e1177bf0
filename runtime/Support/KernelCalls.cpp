// Kernels that the host calls without a launch, by another name: where the compiler sees the kernel's name it says so.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Stream/ErrorState.h"

void cufortKernelCalled(const char *kernel) {
  cufort::rt::failProgram(nullptr, 0,
                          std::string("'") + kernel +
                              "' is a kernel, and was called as a procedure of the host, by a dummy procedure or a "
                              "procedure pointer: only CALL " +
                              kernel + "<<<grid, block>>>(arguments) runs it");
}
