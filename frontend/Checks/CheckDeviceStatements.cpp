// Statements for input and output, ENTRY, and labels for alternate returns, that device code cannot have even where
// nothing uses them (CUDA Fortran guide 3.6.11). Statements that do something become calls of Fortran's runtime
// library, which CheckDeviceCode.cpp reports.

#include "flang/Semantics/semantics.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isDeviceOnly;
using cufort::frontend::StatementVisitor;

namespace {

class StatementChecker : public StatementVisitor {
public:
  explicit StatementChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::FormatStmt &) { report("FORMAT"); }
  void Post(const parser::NamelistStmt &) { report("NAMELIST"); }
  /// Among the declarations; Flang reports those that come later.
  void Post(const parser::EntryStmt &) { report("ENTRY"); }
  void Post(const parser::SubroutineStmt &statement) {
    for (const parser::DummyArg &dummy : std::get<std::list<parser::DummyArg>>(statement.t))
      if (std::holds_alternative<parser::Star>(dummy.u))
        report("An alternate return");
  }

private:
  void report(const char *statement) {
    if (isDeviceOnly(context.FindScope(source)))
      context.Say(source, "%s is not possible in device code"_err_en_US, statement);
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkDeviceStatements(semantics::SemanticsContext &context, const parser::Program &program) {
  StatementChecker checker{context};
  parser::Walk(program, checker);
}
