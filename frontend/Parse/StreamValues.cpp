#include "frontend/Parse/StreamValues.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"

using namespace Fortran;
using cufort::frontend::asLongInteger;
using cufort::frontend::TreeVisitor;

namespace {

struct StreamVisitor : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::CallStmt &call) {
    if (call.chevrons)
      takeValue(std::get<3>(call.chevrons->t));
  }
  void Post(parser::AllocOpt::Stream &stream) {
    parser::Expr &expression = stream.v.value().thing.thing.value();
    expression = asLongInteger(std::move(expression));
  }
  void Post(parser::CUFKernelDoConstruct::LaunchConfiguration &launch) { takeValue(std::get<2>(launch.t)); }

  static void takeValue(std::optional<parser::ScalarIntExpr> &stream) {
    if (!stream || !std::holds_alternative<common::Indirection<parser::Designator>>(stream->thing.thing.value().u))
      return;
    parser::Expr &expression = stream->thing.thing.value();
    parser::CharBlock source = expression.source;
    expression = parser::Expr(parser::Expr::Parentheses(common::Indirection<parser::Expr>(std::move(expression))));
    expression.source = source;
  }
};

} // namespace

void cufort::frontend::takeValuesOfStreams(parser::Program &program) {
  StreamVisitor visitor;
  parser::Walk(program, visitor);
}
