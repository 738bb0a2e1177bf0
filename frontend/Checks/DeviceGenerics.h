// Generic names, operators and assignments in device code.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// While it lives, an expression in device code of `program`, which are device procedures and CUF kernels, matches the
/// dummy argument of a device procedure when the semantics of `context` choose a specific procedure. For calls of
/// specific procedures Flang knows that an expression of device code is device data, but not where a generic name, an
/// operator or an assignment is resolved.
class DeviceGenerics {
public:
  DeviceGenerics(Fortran::semantics::SemanticsContext &context, const Fortran::parser::Program &program);
  ~DeviceGenerics();

  /// Lets messages that no procedure matches say which variables are not in managed memory.
  static void explain(Fortran::semantics::SemanticsContext &context);
  DeviceGenerics(const DeviceGenerics &) = delete;
  DeviceGenerics &operator=(const DeviceGenerics &) = delete;
};

} // namespace cufort::frontend
