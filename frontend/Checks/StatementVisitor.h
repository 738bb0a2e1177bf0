// The base of visitors that report whole statements.
#pragma once

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"

namespace cufort::frontend {

/// Knows which statement is being visited.
struct StatementVisitor : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  template <typename T>
  bool Pre(const Fortran::parser::Statement<T> &statement) {
    source = statement.source;
    return true;
  }
  template <typename T>
  bool Pre(const Fortran::parser::UnlabeledStatement<T> &statement) {
    source = statement.source;
    return true;
  }

  Fortran::parser::CharBlock source; ///< of the statement
};

/// Returns what a visitor finds in `program`: its member `found`.
template <typename Finder>
auto findIn(const Fortran::parser::Program &program) {
  Finder finder;
  Fortran::parser::Walk(program, finder);
  return std::move(finder.found);
}

} // namespace cufort::frontend
