#include "frontend/Checks/OperatorErrors.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute, cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

bool isOperand(const parser::Expr &expr) {
  const semantics::SomeExpr *value = expr.typedExpr && expr.typedExpr->v ? &*expr.typedExpr->v : nullptr;
  auto type = value ? value->GetType() : std::nullopt;
  if (!type || type->category() != common::TypeCategory::Derived)
    return false;
  auto attribute = dataAttribute(*value);
  return attribute == common::CUDADataAttr::Device || attribute == common::CUDADataAttr::Constant;
}

/// Finds the expressions of host code that are variables of derived types on the device.
struct OperandFinder : TreeVisitor {
  explicit OperandFinder(const semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::Expr &expr) {
    if (isOperand(expr) && !semantics::FindCUDADeviceContext(&context.FindScope(expr.source)))
      found.push_back(expr.source);
  }

  const semantics::SemanticsContext &context;
  std::vector<parser::CharBlock> found;
};

bool isAboutOperands(StringRef text) {
  return text.starts_with("Operands of ") || text.starts_with("Operand of ") ||
         text.starts_with("No intrinsic or user-defined ") || text.starts_with("No user-defined or intrinsic ") ||
         text.starts_with("No operator ");
}

} // namespace

void cufort::frontend::explainOperatorErrors(semantics::SemanticsContext &context, const parser::Program &program) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  std::optional<OperandFinder> finder;
  for (parser::Message &message : context.messages().messages()) {
    auto place =
        message.IsFatal() && isAboutOperands(message.ToString()) ? message.GetProvenanceRange(sources) : std::nullopt;
    if (!place)
      continue;
    if (!finder)
      parser::Walk(program, finder.emplace(context));
    for (parser::CharBlock operand : finder->found)
      if (auto range = sources.GetProvenanceRange(operand); range && place->Contains(*range)) {
        message = parser::Message(
            *range,
            "'%s' is device data, which no procedure of the host takes here: assign it to a host variable first"_err_en_US,
            operand);
        break;
      }
  }
}
