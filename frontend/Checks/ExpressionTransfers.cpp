// Host expressions that read device memory.
//
// Where an assignment on the host calculates with a device array, Flang's lowering copies the array to the host first:
// all of it, found by its symbol, in one of three ways, and also where a kernel could calculate. The linker lets
// lowering call the functions below (--wrap, see CMakeLists.txt), after which such an expression is lowered like one of
// host data: the pass that repairs host statements decides who evaluates it, and copies what the host reads.

#include "flang/Evaluate/tools.h"
#include "flang/Lower/CUDA.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

/// In the place of evaluate::HasCUDAImplicitTransfer.
bool hasImplicitTransfer(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType> &) asm(
    "__wrap__ZN7Fortran8evaluate23HasCUDAImplicitTransferERKNS0_4ExprINS0_8SomeTypeEEE");

bool hasImplicitTransfer(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType> &) { return false; }

/// In the place of lower::isTransferWithConversion.
hlfir::ElementalOp isTransferWithConversion(mlir::Value) asm(
    "__wrap__ZN7Fortran5lower24isTransferWithConversionEN4mlir5ValueE");

hlfir::ElementalOp isTransferWithConversion(mlir::Value) { return {}; }
