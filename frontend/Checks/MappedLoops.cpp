#include "frontend/Checks/MappedLoops.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;

int64_t cufort::frontend::countMappedLoops(semantics::SemanticsContext &context,
                                           const parser::CUFKernelDoConstruct::Directive &directive) {
  const auto &count = std::get<std::optional<parser::ScalarIntConstantExpr>>(directive.t);
  const semantics::SomeExpr *expr = count ? semantics::GetExpr(context, *count) : nullptr;
  return expr ? evaluate::ToInt64(*expr).value_or(1) : 1;
}
