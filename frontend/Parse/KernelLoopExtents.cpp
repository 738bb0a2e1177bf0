// The parser takes a parenthesis behind `<<<` for the beginning of a list. Brackets have as many characters: what they
// enclose is an array constructor, which the parse tree can make parentheses of.

#include "frontend/Parse/KernelLoopExtents.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/StatementText.h"
#include <set>

using namespace Fortran;
using cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

/// The places of brackets that were parentheses.
std::set<const char *> hiddenParentheses;

/// The source is ours; only its interface is constant.
void overwrite(const char *place, char c) { *const_cast<char *>(place) = c; }

/// Hides the parentheses at the beginning of `item`, unless they enclose all of it.
void hideParentheses(StringRef item) {
  item = item.trim(' ');
  if (!item.starts_with("("))
    return;
  size_t close = cufort::frontend::endOfItem(item, 1);
  if (close + 1 >= item.size() || item[close] != ')')
    return;
  overwrite(item.data(), '[');
  overwrite(item.data() + close, ']');
  hiddenParentheses.insert(item.data());
}

struct ParenthesesRestorer : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::Expr &expr) {
    auto *constructor = std::get_if<parser::ArrayConstructor>(&expr.u);
    auto *values = constructor ? &std::get<std::list<parser::AcValue>>(constructor->v.t) : nullptr;
    if (!values || values->size() != 1)
      return;
    auto *inner = std::get_if<common::Indirection<parser::Expr>>(&values->front().u);
    if (!inner || !isHidden(inner->value().source))
      return;
    common::Indirection<parser::Expr> value = std::move(*inner);
    expr.u = parser::Expr::Parentheses(std::move(value));
  }

private:
  /// True if `source` stands in brackets that were parentheses.
  static bool isHidden(parser::CharBlock source) {
    auto next = hiddenParentheses.lower_bound(source.begin());
    if (next == hiddenParentheses.begin())
      return false;
    const char *bracket = *std::prev(next);
    return StringRef(bracket + 1, source.begin() - bracket - 1).trim(" (").empty();
  }
};

} // namespace

void cufort::frontend::hideKernelLoopExtents(const parser::CookedSource &source) {
  hiddenParentheses.clear();
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    llvm::SmallVector<StringRef> items = itemsOfKernelLoops(line);
    for (StringRef item : llvm::ArrayRef(items).take_front(2))
      hideParentheses(item);
  }
}

void cufort::frontend::restoreKernelLoopExtents(parser::Program &program) {
  ParenthesesRestorer restorer;
  parser::Walk(program, restorer);
}
