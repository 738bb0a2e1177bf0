// ALLOCATE and DEALLOCATE of host variables, without STAT=, that have failed.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Stream/ErrorState.h"

void cufortAllocationError(int32_t failure, const char *variable, const char *file, int32_t line) {
  std::string name = std::string("'") + variable + "'";
  switch (failure) {
  case CufortAlreadyAllocated:
    cufort::rt::failProgram(file, line, "allocate: " + name + " is already allocated");
  case CufortNotAllocated:
    cufort::rt::failProgram(file, line, "deallocate: " + name + " is not allocated or associated");
  default:
    cufort::rt::failProgram(file, line, "allocate: out of memory for " + name);
  }
}
