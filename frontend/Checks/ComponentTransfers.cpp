// Host expressions that read components on the device, or sections of device arrays.
//
// Where an assignment on the host calculates with a device array, Flang's lowering copies the array to the host first.
// It looks the array up by its symbol, which a component does not have an address for, and copies all of it, of which a
// section may be a small part. The linker lets lowering call `hasImplicitTransfer` (--wrap, see CMakeLists.txt): such
// an expression is lowered like one of host data, and the pass that repairs host statements copies what it reads.

#include "flang/Evaluate/tools.h"
#include "flang/Evaluate/traverse.h"
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

namespace {

/// Looks for sections of device arrays of numbers or logicals.
struct SectionFinder : evaluate::AnyTraverse<SectionFinder> {
  using Base = evaluate::AnyTraverse<SectionFinder>;
  using Base::operator();
  SectionFinder() : Base(*this) {}
  bool operator()(const evaluate::ArrayRef &reference) const {
    const semantics::Symbol &array = reference.GetLastSymbol();
    const semantics::DeclTypeSpec *type = array.GetType();
    if (!evaluate::IsCUDADeviceSymbol(array) || !type || !type->AsIntrinsic() ||
        type->category() == semantics::DeclTypeSpec::Character)
      return false;
    auto isTriplet = [](const evaluate::Subscript &subscript) {
      return std::holds_alternative<evaluate::Triplet>(subscript.u);
    };
    auto isArray = [](const evaluate::Subscript &subscript) {
      return subscript.Rank() > 0 && !std::holds_alternative<evaluate::Triplet>(subscript.u);
    };
    return llvm::any_of(reference.subscript(), isTriplet) && llvm::none_of(reference.subscript(), isArray);
  }
};

} // namespace

bool hasImplicitTransfer(const evaluate::Expr<evaluate::SomeType> &expression) {
  return flangHasImplicitTransfer(expression) &&
         llvm::none_of(evaluate::CollectCudaSymbols(expression), isDeviceComponent) && !SectionFinder()(expression);
}
