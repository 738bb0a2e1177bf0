// Where host code may calculate with device data, because a kernel does it, or with copies of it.
#pragma once

#include "flang/Parser/char-block.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class Scope;
}

namespace cufort::frontend {

/// True for the intrinsic functions that host code may apply to device arrays everywhere: reductions and inquiries.
bool isReduction(llvm::StringRef intrinsic);

/// True for the intrinsic functions that kernels can apply to each element, or to the order of the elements.
bool isArrayFunction(llvm::StringRef intrinsic);

/// True if `scope`, or a scope around it, uses module cutensorex.
bool hasArrayFunctionsIn(const Fortran::semantics::Scope &scope);

/// The places where host code may apply array functions to device data: assignments to device data and arguments of
/// reductions, which kernels calculate.
std::vector<Fortran::parser::CharBlock> findDeviceCalculations(const Fortran::parser::Program &program);

/// The scalars on the device, and the elements and substrings, that host code may apply any intrinsic function to: they
/// are copied.
std::vector<Fortran::parser::CharBlock> findDeviceScalars(const Fortran::parser::Program &program);

/// The assignments to host data that have to copy one array from the device at most. What reductions read, and single
/// elements, do not count.
std::vector<Fortran::parser::CharBlock> findAssignmentsWithOneCopy(const Fortran::parser::Program &program);

} // namespace cufort::frontend
