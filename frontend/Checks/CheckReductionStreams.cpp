// The streams of array functions, as calls of Parse/ReductionStreams.h have them, which have made sums of them.

#include "frontend/Checks/CheckReductionStreams.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/ReductionStreams.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

class StreamChecker : public TreeVisitor {
public:
  explicit StreamChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::CallStmt &statement) {
    const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(statement.call.t).u);
    const auto &arguments = std::get<std::list<parser::ActualArgSpec>>(statement.call.t);
    if (!name || name->source != cufort::frontend::waitForStream || arguments.empty())
      return;
    const auto &argument = std::get<parser::ActualArg>(arguments.front().t);
    const auto *expr = std::get_if<common::Indirection<parser::Expr>>(&argument.u);
    const auto *sum = expr ? std::get_if<parser::Expr::Add>(&expr->value().u) : nullptr;
    if (sum)
      check(std::get<0>(sum->t).value());
  }

private:
  void check(const parser::Expr &stream) {
    const semantics::SomeExpr *value = semantics::GetExpr(context, stream);
    auto type = value ? value->GetType() : std::nullopt;
    if (type && type->category() != common::TypeCategory::Integer)
      context.Say(stream.source,
                  "The stream of an array function must be an integer of kind cuda_stream_kind, not %s"_err_en_US,
                  type->AsFortran());
    else if (value && value->Rank() > 0)
      context.Say(stream.source,
                  "The stream of an array function must be a scalar value, but is a rank-%d array"_err_en_US,
                  value->Rank());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkReductionStreams(semantics::SemanticsContext &context, const parser::Program &program) {
  StreamChecker checker{context};
  parser::Walk(program, checker);
}
