#include "frontend/Parse/GenericProcedures.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

struct KindChanger : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::ProcedureStmt &statement) {
    std::get<parser::ProcedureStmt::Kind>(statement.t) = parser::ProcedureStmt::Kind::Procedure;
  }
};

} // namespace

void cufort::frontend::takeAnySpecificProcedure(parser::Program &program) {
  KindChanger changer;
  parser::Walk(program, changer);
}
