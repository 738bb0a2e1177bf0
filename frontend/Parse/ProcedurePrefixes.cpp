#include "frontend/Parse/ProcedurePrefixes.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// Moves the attributes of all prefixes in `prefixes` to the first one that has any, each of them once.
void join(std::list<parser::PrefixSpec> &prefixes) {
  std::list<common::CUDASubprogramAttrs> *first = nullptr;
  for (auto prefix = prefixes.begin(); prefix != prefixes.end();) {
    auto *attributes = std::get_if<parser::PrefixSpec::Attributes>(&prefix->u);
    if (!attributes || !first) {
      if (attributes)
        first = &attributes->v;
      ++prefix;
      continue;
    }
    for (common::CUDASubprogramAttrs attribute : attributes->v)
      if (llvm::find(*first, attribute) == first->end())
        first->push_back(attribute);
    prefix = prefixes.erase(prefix);
  }
}

struct PrefixJoiner : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::FunctionStmt &statement) { join(std::get<std::list<parser::PrefixSpec>>(statement.t)); }
  void Post(parser::SubroutineStmt &statement) { join(std::get<std::list<parser::PrefixSpec>>(statement.t)); }
};

} // namespace

void cufort::frontend::joinAttributes(parser::Program &program) {
  PrefixJoiner joiner;
  parser::Walk(program, joiner);
}
