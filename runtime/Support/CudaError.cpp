#include "runtime/Support/CudaError.h"
#include "runtime/Support/Result.h"
#include <algorithm>
#include <iterator>

namespace cufort::rt {

namespace {

struct ErrorEntry {
  int code;
  const char *name;
  const char *text;
};

constexpr ErrorEntry errors[] = {
#define CUFORT_CUDA_ERROR(name, value, text) {value, #name, text},
#include "runtime/Support/CudaErrors.def"
#undef CUFORT_CUDA_ERROR
};

constexpr const char *unrecognized = "unrecognized error code";

const ErrorEntry *findError(int code) {
  const ErrorEntry *entry = std::lower_bound(std::begin(errors), std::end(errors), code,
                                             [](const ErrorEntry &error, int wanted) { return error.code < wanted; });
  return entry != std::end(errors) && entry->code == code ? entry : nullptr;
}

} // namespace

cudaError_t toCudaError(CUresult result) {
  // Since CUDA 10.1 the runtime API numbers an error as the driver does, where it has it at all.
  return findError(result) ? static_cast<cudaError_t>(result) : cudaErrorUnknown;
}

const char *cudaErrorName(int code) {
  const ErrorEntry *entry = findError(code);
  return entry ? entry->name : unrecognized;
}

const char *cudaErrorText(int code) {
  const ErrorEntry *entry = findError(code);
  return entry ? entry->text : unrecognized;
}

bool isStickyError(int code) {
  switch (code) {
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorTensorMemoryLeak:
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorContained:
  case cudaErrorExternalDevice:
    return true;
  default:
    return false;
  }
}

std::string Result::message() const {
  std::string text = cudaErrorName(errorCode);
  text += " (" + std::to_string(int(errorCode)) + "): ";
  text += cudaErrorText(errorCode);
  if (!detailText.empty())
    text += ": " + detailText;
  return text;
}

} // namespace cufort::rt
