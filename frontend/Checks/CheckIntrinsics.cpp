// Intrinsic functions that lowering cannot do for some types of their arguments: it would stop without naming a place.

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
    auto type = reference->arguments()[0]->GetType();
    bool isHalf = type && type->category() == common::TypeCategory::Real && type->kind() == 2;
    if (isHalf && llvm::is_contained(unknownToHalf, intrinsic->name))
      context.Say(source.source, "The intrinsic '%s' is not available for real(2): convert to real(4)"_err_en_US,
                  intrinsic->name);
  }

private:
  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkIntrinsics(semantics::SemanticsContext &context, const parser::Program &program) {
  IntrinsicChecker checker{context};
  parser::Walk(program, checker);
}
