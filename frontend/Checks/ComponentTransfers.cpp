// Host expressions that read components on the device.
//
// Where an assignment on the host calculates with a device array, Flang's lowering copies the array to the host first.
// It looks the array up by its symbol, which a component does not have an address for. The linker lets lowering call
// `hasImplicitTransfer` (--wrap, see CMakeLists.txt): such an expression is lowered like one of host data, and the pass
// that repairs host statements copies what it reads.

#include "flang/Evaluate/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;

#define HAS_IMPLICIT_TRANSFER                                                                                          \
  "_ZN7Fortran8evaluate23HasCUDAImplicitTransferERKNS0_4ExprINS0_8SomeTypeEEE"

/// evaluate::HasCUDAImplicitTransfer.
bool flangHasImplicitTransfer(const evaluate::Expr<evaluate::SomeType> &expression) asm("__real_" HAS_IMPLICIT_TRANSFER);

/// What Flang's lowering calls in its place.
bool hasImplicitTransfer(const evaluate::Expr<evaluate::SomeType> &expression) asm("__wrap_" HAS_IMPLICIT_TRANSFER);

static bool isDeviceComponent(const semantics::Symbol &symbol) {
  return symbol.owner().IsDerivedType() && evaluate::IsCUDADeviceSymbol(symbol);
}

bool hasImplicitTransfer(const evaluate::Expr<evaluate::SomeType> &expression) {
  return flangHasImplicitTransfer(expression) &&
         llvm::none_of(evaluate::CollectCudaSymbols(expression), isDeviceComponent);
}
