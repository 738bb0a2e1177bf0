#include "frontend/Parse/KernelsBeforeEntries.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

using Position = parser::Block::iterator;

parser::ScalarLogicalExpr trueAt(parser::CharBlock source) {
  parser::Expr value{parser::LiteralConstant{parser::LogicalLiteralConstant{true, std::optional<parser::KindParam>()}}};
  value.source = source;
  return parser::ScalarLogicalExpr{parser::LogicalExpr{common::Indirection<parser::Expr>{std::move(value)}}};
}

template <typename T>
parser::Statement<T> statementAt(parser::CharBlock source, T &&statement) {
  parser::Statement<T> result{std::nullopt, std::move(statement)};
  result.source = source;
  return result;
}

/// Puts what `kernel` is the directive of into IF (.TRUE.). The parser leaves the loop beside the directive.
void wrap(parser::Block &block, Position kernel) {
  auto &construct = *parser::Unwrap<parser::CUFKernelDoConstruct>(*kernel);
  parser::CharBlock source = std::get<parser::CUFKernelDoConstruct::Directive>(construct.t).source;
  Position end = std::next(kernel);
  if (!std::get<std::optional<parser::DoConstruct>>(construct.t) && end != block.end())
    ++end;
  parser::Block body;
  body.splice(body.end(), block, kernel, end);
  parser::IfConstruct branch{statementAt(source, parser::IfThenStmt{std::optional<parser::Name>(), trueAt(source)}),
                             std::move(body), std::list<parser::IfConstruct::ElseIfBlock>(),
                             std::optional<parser::IfConstruct::ElseBlock>(),
                             statementAt(source, parser::EndIfStmt{std::nullopt})};
  block.insert(end, parser::ExecutionPartConstruct{
                        parser::ExecutableConstruct{common::Indirection<parser::IfConstruct>{std::move(branch)}}});
}

bool isEntry(const parser::ExecutionPartConstruct &part) {
  return std::holds_alternative<parser::Statement<common::Indirection<parser::EntryStmt>>>(part.u);
}

struct EntryFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::ExecutionPart &part) {
    auto last = std::find_if(part.v.rbegin(), part.v.rend(), isEntry);
    if (last == part.v.rend())
      return;
    const parser::ExecutionPartConstruct *end = &*last;
    for (Position each = part.v.begin(); &*each != end;) {
      Position next = std::next(each);
      if (auto *kernel = parser::Unwrap<parser::CUFKernelDoConstruct>(*each)) {
        if (!std::get<std::optional<parser::DoConstruct>>(kernel->t) && &*next != end)
          ++next;
        wrap(part.v, each);
      }
      each = next;
    }
  }
};

} // namespace

void cufort::frontend::wrapKernelsBeforeEntries(parser::Program &program) {
  EntryFinder finder;
  parser::Walk(program, finder);
}
