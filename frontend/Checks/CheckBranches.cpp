// Ways into the loops of CUF kernels. Flang warns of branches into constructs, and lowers them; what becomes of the
// loops is entered at their beginning only.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/StatementVisitor.h"
#include <map>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor;

namespace {

class BranchChecker : public StatementVisitor {
public:
  explicit BranchChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  template <typename T>
  bool Pre(const parser::Statement<T> &statement) {
    if (kernels && statement.label && !units.empty())
      units.back().inKernels[*statement.label] = statement.source;
    return StatementVisitor::Pre(statement);
  }

  bool Pre(const parser::CUFKernelDoConstruct &) { return ++kernels; }
  void Post(const parser::CUFKernelDoConstruct &) { --kernels; }

  // Labels are those of a program unit.
  bool Pre(const parser::MainProgram &) { return begin(); }
  void Post(const parser::MainProgram &) { end(); }
  bool Pre(const parser::FunctionSubprogram &) { return begin(); }
  void Post(const parser::FunctionSubprogram &) { end(); }
  bool Pre(const parser::SubroutineSubprogram &) { return begin(); }
  void Post(const parser::SubroutineSubprogram &) { end(); }
  bool Pre(const parser::SeparateModuleSubprogram &) { return begin(); }
  void Post(const parser::SeparateModuleSubprogram &) { end(); }

  void Post(const parser::GotoStmt &statement) { note(statement.v); }
  void Post(const parser::ComputedGotoStmt &statement) {
    for (parser::Label label : std::get<std::list<parser::Label>>(statement.t))
      note(label);
  }
  void Post(const parser::ArithmeticIfStmt &statement) {
    note(std::get<1>(statement.t));
    note(std::get<2>(statement.t));
    note(std::get<3>(statement.t));
  }
  void Post(const parser::AltReturnSpec &label) { note(label.v); }
  void Post(const parser::ErrLabel &label) { note(label.v); }
  void Post(const parser::EndLabel &label) { note(label.v); }
  void Post(const parser::EorLabel &label) { note(label.v); }

private:
  struct Unit {
    std::map<parser::Label, parser::CharBlock> inKernels;
    std::vector<std::pair<parser::Label, parser::CharBlock>> branches; ///< of the host
  };

  bool begin() {
    units.emplace_back();
    return true;
  }

  void end() {
    for (auto [label, branch] : units.back().branches)
      if (auto target = units.back().inKernels.find(label); target != units.back().inKernels.end())
        context
            .Say(
                branch,
                "This branch leads into a CUF kernel, whose loops begin with their first iteration: label a statement before the directive, or behind the loops"_err_en_US)
            .Attach(target->second, "The label %u is in a CUF kernel"_en_US, static_cast<unsigned>(label));
    units.pop_back();
  }

  /// Flang looks for branches out of a kernel.
  void note(parser::Label label) {
    if (!kernels && !units.empty())
      units.back().branches.emplace_back(label, source);
  }

  semantics::SemanticsContext &context;
  std::vector<Unit> units; ///< around the place that is visited
  int kernels = 0;
};

} // namespace

void cufort::frontend::checkBranches(semantics::SemanticsContext &context, const parser::Program &program) {
  BranchChecker checker{context};
  parser::Walk(program, checker);
}
