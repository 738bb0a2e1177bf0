// How one part of the runtime tells another that something failed.
#pragma once

#include "runtime/Support/CudaError.h"
#include <string>
#include <utility>

namespace cufort::rt {

/// Success, or a CUDA error code with what failed. Costs no allocation on success.
class [[nodiscard]] Result {
public:
  /// Success.
  Result() = default;
  /// `code` for `operation`, which must be a string that lives forever ("cuMemAlloc"). A code of cudaSuccess is
  /// success.
  Result(cudaError_t code, const char *operation) : errorCode(code), failedOperation(operation) {}
  /// The same, with more to say than the error's own text: the log of a compiler, a list of architectures.
  Result(cudaError_t code, const char *operation, std::string detail)
      : errorCode(code), failedOperation(operation), detailText(std::move(detail)) {}
  /// The outcome of the driver function `operation`.
  Result(CUresult result, const char *operation) : errorCode(toCudaError(result)), failedOperation(operation) {}

  bool ok() const { return errorCode == cudaSuccess; }
  explicit operator bool() const { return ok(); }
  cudaError_t code() const { return errorCode; }
  const char *operation() const { return failedOperation; }
  const std::string &detail() const { return detailText; }

  /// Returns e.g. "cudaErrorMemoryAllocation (2): out of memory", with the detail behind it if there is one.
  std::string message() const;

private:
  cudaError_t errorCode = cudaSuccess;
  const char *failedOperation = "";
  std::string detailText;
};

} // namespace cufort::rt
