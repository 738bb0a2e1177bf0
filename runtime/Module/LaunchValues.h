// What the host calculates for a version of a kernel when it launches (CufortStep in runtime/ABI/RuntimeABI.h).
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include <cstddef>

namespace cufort::rt {

/// The steps of a record and the parameters that get their results. All of it is in the program.
struct LaunchCalculation {
  const CufortStep *steps = nullptr;
  unsigned stepCount = 0;
  const CufortValue *values = nullptr;
  unsigned valueCount = 0, kernelParameters = 0, versionParameters = 0;

  /// True if steps use what earlier steps and the kernel's parameters are, and every parameter that only the version
  /// has gets a value.
  bool isSound() const;
};

/// The parameters of one launch.
class LaunchParameters {
public:
  /// `params` has one pointer for each parameter of the kernel, as cuLaunchKernel takes them.
  explicit LaunchParameters(void **params) : params(params) {}

  /// Takes the steps of `calculation`.
  void calculate(const LaunchCalculation &calculation);

  void *const *ofKernel() const { return params; }
  uint64_t result(unsigned step) const { return results[step]; }

  /// Returns the parameters for the version that `calculation` is of, which was the last to be calculated. They last as
  /// long as this.
  void **forVersion(const LaunchCalculation &calculation);

private:
  void **params;
  uint64_t results[CufortMaxSteps];
  void *changed[CufortMaxVersionParameters];
};

} // namespace cufort::rt
