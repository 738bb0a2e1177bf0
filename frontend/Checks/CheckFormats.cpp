// The formats of input and output statements. Flang takes values of all types: old programs kept formats in numeric
// arrays. Its code generator does not, and a number here is a forgotten `*,`.

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// A string, or the variable of an ASSIGN statement.
bool isFormat(const semantics::SomeExpr &value) {
  auto type = value.GetType();
  if (!type || type->category() == common::TypeCategory::Character)
    return true;
  return type->category() == common::TypeCategory::Integer && value.Rank() == 0 && evaluate::IsVariable(value);
}

struct FormatChecker : TreeVisitor {
  explicit FormatChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::Format &format) {
    const auto *source = std::get_if<parser::Expr>(&format.u);
    const semantics::SomeExpr *value = source ? semantics::GetExpr(context, *source) : nullptr;
    if (value && !isFormat(*value))
      context.Say(source->source,
                  "A format is a string, a label or '*': is '*,' missing before what is read or written?"_err_en_US);
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkFormats(semantics::SemanticsContext &context, const parser::Program &program) {
  FormatChecker checker{context};
  parser::Walk(program, checker);
}
