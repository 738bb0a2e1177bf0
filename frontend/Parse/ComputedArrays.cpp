#include "frontend/Parse/ComputedArrays.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CheckComputedArrays.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/DefinedAssignments.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

/// The subroutine that does what `assignment` does, for allocatable arrays; null if `assignment` is not of the module.
const semantics::Symbol *allocatingSubroutine(const semantics::Symbol &assignment) {
  const semantics::Symbol &ultimate = assignment.GetUltimate();
  const semantics::Scope &module = ultimate.owner();
  if (!cufort::frontend::isOfCutensorex(ultimate))
    return nullptr;
  std::string name = "allocating_" + ultimate.name().ToString();
  for (const auto &[source, symbol] : module)
    if (source.ToString() == name)
      return &*symbol;
  return nullptr;
}

struct SubroutineCaller : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::ActionStmt &action) {
    const evaluate::ProcedureRef *call = cufort::frontend::definedAssignment(action);
    if (!call || !call->arguments().front() || !cufort::frontend::isWholeAllocatable(*call->arguments().front()))
      return;
    if (const semantics::Symbol *subroutine = allocatingSubroutine(*call->proc().GetSymbol()))
      cufort::frontend::makeCall(action, *subroutine);
  }
};

} // namespace

void cufort::frontend::allocateForComputedArrays(parser::Program &program) {
  SubroutineCaller caller;
  parser::Walk(program, caller);
}
