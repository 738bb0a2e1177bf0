// An iteration of the parallel loops of a CUF kernel is one thread's work: a branch may go anywhere within it, or to
// its end, but neither to another iteration nor out of the loops.

#include "frontend/Checks/KernelLoopBranches.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/MappedLoops.h"
#include "frontend/Checks/StatementVisitor.h"
#include <set>

using namespace Fortran;
using cufort::frontend::StatementVisitor;
using cufort::frontend::TreeVisitor;

namespace {

using OptionalName = std::optional<parser::Name>;

/// Collects the labels of the statements of a block.
struct LabelCollector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  template <typename T>
  bool Pre(const parser::Statement<T> &statement) {
    if (statement.label)
      labels.insert(*statement.label);
    return true;
  }

  std::set<parser::Label> labels;
};

/// Visits the body of the parallel loops and keeps the branches that stay in it.
class BodyVisitor : public StatementVisitor {
public:
  BodyVisitor(const parser::Block &body, OptionalName innermostLoop, std::vector<parser::CharBlock> &allowed)
      : innermostLoop(std::move(innermostLoop)), allowed(allowed) {
    LabelCollector collector;
    parser::Walk(body, collector);
    labels = std::move(collector.labels);
  }

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::DoConstruct &) {
    ++innerLoops;
    return true;
  }
  void Post(const parser::DoConstruct &) { --innerLoops; }
  void Post(const parser::NonLabelDoStmt &statement) { noteName(std::get<OptionalName>(statement.t)); }
  void Post(const parser::IfThenStmt &statement) { noteName(std::get<OptionalName>(statement.t)); }
  void Post(const parser::SelectCaseStmt &statement) { noteName(std::get<OptionalName>(statement.t)); }
  void Post(const parser::BlockStmt &statement) { noteName(statement.v); }
  void Post(const parser::AssociateStmt &statement) { noteName(std::get<OptionalName>(statement.t)); }

  void Post(const parser::CycleStmt &statement) {
    bool endsIteration = innermostLoop && statement.v && statement.v->source == innermostLoop->source;
    keepIf(!statement.v || endsIteration || innerNames.count(statement.v->ToString()));
  }
  void Post(const parser::ExitStmt &statement) {
    keepIf(statement.v ? innerNames.count(statement.v->ToString()) > 0 : innerLoops > 0);
  }
  void Post(const parser::GotoStmt &statement) { keepIf(labels.count(statement.v) > 0); }

private:
  void noteName(const OptionalName &name) {
    if (name)
      innerNames.insert(name->ToString());
  }
  void keepIf(bool staysInIteration) {
    if (staysInIteration)
      allowed.push_back(source);
  }

  OptionalName innermostLoop;
  std::vector<parser::CharBlock> &allowed;
  std::set<parser::Label> labels;
  std::set<std::string> innerNames; ///< of constructs that began in the body; no other construct has such a name
  int innerLoops = 0;
};

class KernelVisitor : public TreeVisitor {
public:
  explicit KernelVisitor(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::CUFKernelDoConstruct &kernel) {
    const auto &loops = std::get<std::optional<parser::DoConstruct>>(kernel.t);
    if (!loops)
      return;
    const auto &directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t);
    const parser::DoConstruct *loop = &*loops;
    for (int64_t level = cufort::frontend::countMappedLoops(context, directive); level > 1 && loop; --level)
      loop = onlyLoopIn(std::get<parser::Block>(loop->t));
    if (!loop)
      return;
    const auto &start = std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->t).statement;
    const auto &body = std::get<parser::Block>(loop->t);
    OptionalName name;
    if (const auto &loopName = std::get<OptionalName>(start.t))
      name = parser::Name{loopName->source, nullptr};
    BodyVisitor visitor(body, std::move(name), allowed);
    parser::Walk(body, visitor);
  }

  std::vector<parser::CharBlock> allowed;

private:
  /// The next loop of a nest, or null if the nest ends here, which Flang has reported.
  static const parser::DoConstruct *onlyLoopIn(const parser::Block &block) {
    for (const parser::ExecutionPartConstruct &part : block)
      if (const auto *loop = parser::Unwrap<parser::DoConstruct>(part))
        return loop;
    return nullptr;
  }

  semantics::SemanticsContext &context;
};

} // namespace

std::vector<parser::CharBlock> cufort::frontend::findBranchesWithinIterations(semantics::SemanticsContext &context,
                                                                              const parser::Program &program) {
  KernelVisitor visitor(context);
  parser::Walk(program, visitor);
  return std::move(visitor.allowed);
}
