// Intrinsic functions that lowering cannot do for some of their arguments: it would stop without naming a place.

#include "flang/Evaluate/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// Not for real(2).
constexpr llvm::StringLiteral unknownToHalf[] = {"norm2"};

class IntrinsicChecker : public TreeVisitor {
public:
  explicit IntrinsicChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::Expr &source) {
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(source.u))
      return;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    const evaluate::ProcedureRef *reference = expr ? evaluate::UnwrapProcedureRef(*expr) : nullptr;
    const evaluate::SpecificIntrinsic *intrinsic = reference ? reference->proc().GetSpecificIntrinsic() : nullptr;
    if (!intrinsic || reference->arguments().empty() || !reference->arguments()[0])
      return;
    if (intrinsic->name == "spread")
      checkSpread(reference->arguments(), source.source);
    auto type = reference->arguments()[0]->GetType();
    bool isHalf = type && type->category() == common::TypeCategory::Real && type->kind() == 2;
    if (isHalf && llvm::is_contained(unknownToHalf, intrinsic->name))
      context.Say(source.source, "The intrinsic '%s' is not available for real(2): convert to real(4)"_err_en_US,
                  intrinsic->name);
  }

private:
  /// Flang checks DIM= of other functions.
  void checkSpread(const evaluate::ActualArguments &arguments, parser::CharBlock source) {
    constexpr size_t dimIndex = 1;
    const semantics::SomeExpr *dim =
        arguments.size() > dimIndex && arguments[dimIndex] ? arguments[dimIndex]->UnwrapExpr() : nullptr;
    auto value = dim ? evaluate::ToInt64(*dim) : std::nullopt;
    int rank = arguments[0]->Rank() + 1;
    if (!value || (*value >= 1 && *value <= rank))
      return;
    parser::CharBlock place = arguments[dimIndex]->sourceLocation().value_or(source);
    if (*value < 1)
      context.Say(place, "The value of DIM= (%jd) may not be less than 1"_err_en_US, static_cast<intmax_t>(*value));
    else
      context.Say(place, "The value of DIM= (%jd) may not be greater than %d"_err_en_US, static_cast<intmax_t>(*value),
                  rank);
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkIntrinsics(semantics::SemanticsContext &context, const parser::Program &program) {
  IntrinsicChecker checker{context};
  parser::Walk(program, checker);
}
