#include "frontend/Parse/VoteConditions.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/IntegerConditions.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// The functions of module cudadevice that say something about several threads in an integer.
constexpr llvm::StringLiteral votes[] = {"ballot",          "ballot_sync",    "any_sync",         "all_sync",
                                         "syncthreads_and", "syncthreads_or", "syncthreads_count"};

bool isVote(const parser::Expr &expression) {
  auto *reference = std::get_if<common::Indirection<parser::FunctionReference>>(&expression.u);
  if (!reference)
    return false;
  const auto &callee = std::get<parser::ProcedureDesignator>(reference->value().v.t);
  auto *name = std::get_if<parser::Name>(&callee.u);
  return name && llvm::is_contained(votes, llvm::StringRef(name->ToString()));
}

struct VoteComparer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::ScalarLogicalExpr &condition) {
    parser::Expr &expression = condition.thing.thing.value();
    if (isVote(expression))
      expression = cufort::frontend::isNotZero(std::move(expression));
  }
};

} // namespace

void cufort::frontend::compareVotes(parser::Program &program) {
  VoteComparer comparer;
  parser::Walk(program, comparer);
}
