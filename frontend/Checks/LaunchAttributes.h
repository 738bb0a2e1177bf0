// The prefixes LAUNCH_BOUNDS and CLUSTER_DIMS of kernels.
#pragma once

#include <memory>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Handles the two prefixes in Flang's place, which has no location for its errors about them and ends the compiler,
/// and wants two operands at least where CUDA Fortran wants one.
class LaunchAttributes {
public:
  LaunchAttributes();
  ~LaunchAttributes();

  /// Takes the prefixes out of `program`. Its names are not resolved yet.
  void takeFrom(Fortran::parser::Program &program);

  /// Gives the symbols of the kernels the values of what was taken, and `context` an error for what is wrong with
  /// it. The program has been analysed without errors.
  void giveTo(Fortran::semantics::SemanticsContext &context);

private:
  struct Taken;
  std::unique_ptr<Taken> taken;
};

} // namespace cufort::frontend
