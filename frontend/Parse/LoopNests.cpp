// An assignment may move into the loop behind it if the loop's bounds do not depend on it, and if making it again
// gives the same: it does not read what it, or one after it, sets. Loops among other statements are run by each thread.

#include "frontend/Parse/LoopNests.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <set>

/// Of Flang's library, without a header that is installed.
namespace Fortran::parser {
bool CanonicalizeDo(Program &program);
}

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

using Names = std::set<std::string>;
using Position = parser::Block::iterator;

struct NameCollector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Name &name) { names.insert(name.ToString()); }

  Names names;
};

template <typename T>
Names namesIn(const T &tree) {
  NameCollector collector;
  parser::Walk(tree, collector);
  return std::move(collector.names);
}

bool overlap(const Names &a, const Names &b) {
  for (const std::string &name : a)
    if (b.count(name))
      return true;
  return false;
}

/// The number in the directive, or null if there is none, or no literal.
parser::IntLiteralConstant *numberOfLoops(parser::CUFKernelDoConstruct &kernel) {
  auto &directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t);
  auto &count = std::get<std::optional<parser::ScalarIntConstantExpr>>(directive.t);
  return count ? parser::Unwrap<parser::IntLiteralConstant>(*count) : nullptr;
}

/// The number of loops that the directive names, 1 if it is no literal.
int countLoops(parser::CUFKernelDoConstruct &kernel) {
  const parser::IntLiteralConstant *literal = numberOfLoops(kernel);
  int loops = 1;
  if (literal)
    llvm::StringRef(std::get<parser::CharBlock>(literal->t).ToString()).getAsInteger(10, loops);
  return loops;
}

/// The assignment to a whole scalar, or to what looks like one, that is all of `part`; else null. An array name would
/// be an array assignment, which Flang refuses here in any case.
const parser::AssignmentStmt *scalarAssignment(const parser::ExecutionPartConstruct &part) {
  const auto *executable = std::get_if<parser::ExecutableConstruct>(&part.u);
  const auto *statement = executable ? std::get_if<parser::Statement<parser::ActionStmt>>(&executable->u) : nullptr;
  if (!statement || statement->label)
    return nullptr;
  const auto *assignment = std::get_if<common::Indirection<parser::AssignmentStmt>>(&statement->statement.u);
  if (!assignment)
    return nullptr;
  const auto &left = std::get<parser::Variable>(assignment->value().t);
  return parser::Unwrap<parser::Name>(left) ? &assignment->value() : nullptr;
}

parser::DoConstruct *asLoop(parser::ExecutionPartConstruct &part) {
  auto *executable = std::get_if<parser::ExecutableConstruct>(&part.u);
  auto *loop = executable ? std::get_if<common::Indirection<parser::DoConstruct>>(&executable->u) : nullptr;
  return loop ? &loop->value() : nullptr;
}

bool isDirective(const parser::ExecutionPartConstruct &part) {
  const auto *executable = std::get_if<parser::ExecutableConstruct>(&part.u);
  return executable && std::holds_alternative<common::Indirection<parser::CompilerDirective>>(executable->u);
}

/// Finds the labels that statements branch to, or read.
struct LabelCollector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Label &label) { labels.insert(label); }
  template <typename T>
  bool Pre(const parser::Statement<T> &statement) {
    parser::Walk(statement.statement, *this);
    return false; // its own label
  }
  std::set<parser::Label> labels;
};

/// Erases CONTINUE behind the loop that `block` ends with, as `do 10` around `do 20` has it, if nobody branches there.
void eraseContinueBehindLoop(parser::Block &block) {
  while (block.size() > 1) {
    const auto *executable = std::get_if<parser::ExecutableConstruct>(&block.back().u);
    const auto *last = executable ? std::get_if<parser::Statement<parser::ActionStmt>>(&executable->u) : nullptr;
    if (!last || !std::holds_alternative<parser::ContinueStmt>(last->statement.u))
      return;
    LabelCollector branches;
    parser::Walk(block, branches);
    if (!asLoop(*std::prev(block.end(), 2)) || (last->label && branches.labels.count(*last->label)))
      return;
    block.pop_back();
  }
}

/// The loop at the end of `block`, if nothing comes before but directives and assignments to scalars that may move into
/// it; else null.
parser::DoConstruct *loopBehindAssignments(parser::Block &block) {
  if (block.empty())
    return nullptr;
  parser::DoConstruct *loop = asLoop(block.back());
  if (!loop)
    return nullptr;
  Names set;
  for (auto part = block.rbegin(); ++part != block.rend();) {
    if (isDirective(*part))
      continue;
    const parser::AssignmentStmt *assignment = scalarAssignment(*part);
    if (!assignment)
      return nullptr;
    set.merge(namesIn(std::get<parser::Variable>(assignment->t)));
    // All that is set here or below.
    if (overlap(namesIn(std::get<parser::Expr>(assignment->t)), set))
      return nullptr;
  }
  const auto &start = std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->t).statement;
  return overlap(namesIn(start), set) ? nullptr : loop;
}

/// Finds the first loop of a block, and what the statements around it set.
struct InnerLoops : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  bool Pre(const parser::DoConstruct &construct) {
    if (!loop)
      loop = &construct;
    return false;
  }
  void Post(const parser::AssignmentStmt &assignment) { set.merge(namesIn(std::get<parser::Variable>(assignment.t))); }

  const parser::DoConstruct *loop = nullptr;
  Names set;
};

/// True if `block` has a loop among other statements, on which its bounds do not depend.
bool hasLoopAmongStatements(const parser::Block &block) {
  InnerLoops inner;
  parser::Walk(block, inner);
  if (!inner.loop || !inner.loop->IsDoNormal())
    return false;
  const auto &start = std::get<parser::Statement<parser::NonLabelDoStmt>>(inner.loop->t).statement;
  return !overlap(namesIn(start), inner.set);
}

/// Counts the loops DO VARIABLE = ... of a block that are around each other, at most.
struct LoopCounter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  bool Pre(const parser::DoConstruct &loop) {
    around += loop.IsDoNormal();
    most = std::max(most, around);
    return true;
  }
  void Post(const parser::DoConstruct &loop) { around -= loop.IsDoNormal(); }

  int around = 0, most = 0;
};

int depthOf(const parser::Block &block) {
  LoopCounter counter;
  parser::Walk(block, counter);
  return counter.most;
}

/// Lets `kernel` map its `loops` outermost loops only; false if there are too many.
bool mapFewerLoops(parser::CUFKernelDoConstruct &kernel, size_t loops, parser::Messages &messages) {
  // Whoever reads one reads on to its end.
  static const char numbers[][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  parser::IntLiteralConstant *literal = numberOfLoops(kernel);
  if (!literal || loops >= std::size(numbers))
    return false;
  parser::CharBlock &number = std::get<parser::CharBlock>(literal->t);
  if (loops == 1)
    messages.Say(
        number,
        "Statements stand between the loops: this kernel maps its outermost loop only, and each thread runs the others"_warn_en_US);
  else
    messages.Say(
        number,
        "Statements stand between the loops: this kernel maps its %jd outermost loops only, and each thread runs the others"_warn_en_US,
        static_cast<intmax_t>(loops));
  number = parser::CharBlock(numbers[loops], 1);
  return true;
}

/// Says that the statements between the loops of `kernel` move into the innermost one.
void reportMoved(parser::CUFKernelDoConstruct &kernel, parser::Messages &messages) {
  messages.Say(
      std::get<parser::CharBlock>(numberOfLoops(kernel)->t),
      "Statements stand between the loops: this kernel maps them all, and each thread runs these statements in every iteration of the innermost one"_warn_en_US);
}

void tighten(parser::CUFKernelDoConstruct &kernel, parser::DoConstruct &outermost, parser::Messages &messages) {
  std::vector<parser::Block *> bodies = {&std::get<parser::Block>(outermost.t)};
  const int wanted = countLoops(kernel);
  // Flang says so.
  if (wanted > 1 + depthOf(*bodies.front()))
    return;
  while (static_cast<int>(bodies.size()) < countLoops(kernel)) {
    eraseContinueBehindLoop(*bodies.back());
    if (parser::DoConstruct *next = loopBehindAssignments(*bodies.back())) {
      // Advice for a loop that the host, or one thread, runs.
      bodies.back()->remove_if(isDirective);
      bodies.push_back(&std::get<parser::Block>(next->t));
    } else if (!hasLoopAmongStatements(*bodies.back()) || !mapFewerLoops(kernel, bodies.size(), messages))
      return;
  }
  parser::Block &innermost = *bodies.back();
  bodies.pop_back();
  bool hasMoved = llvm::any_of(bodies, [](const parser::Block *body) { return body->size() > 1; });
  if (hasMoved && countLoops(kernel) == wanted)
    reportMoved(kernel, messages);
  // From the inside out, so that the assignments keep their order.
  for (auto body = bodies.rbegin(); body != bodies.rend(); ++body)
    innermost.splice(innermost.begin(), **body, (*body)->begin(), std::prev((*body)->end()));
}

/// Says so if one of the loops that `kernel` maps is DO CONCURRENT; false if that is so. What a named constant in the
/// directive stands for is not known yet: any loop of the nest may be mapped.
bool haveCounters(parser::CUFKernelDoConstruct &kernel, parser::DoConstruct &outermost, parser::Messages &messages) {
  auto &directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t);
  bool isNumber = !std::get<std::optional<parser::ScalarIntConstantExpr>>(directive.t) || numberOfLoops(kernel);
  parser::DoConstruct *loop = &outermost;
  for (int level = 0; loop && (!isNumber || level < countLoops(kernel)); ++level) {
    if (loop->IsDoConcurrent()) {
      messages.Say(
          std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->t).source,
          "A CUF kernel cannot have DO CONCURRENT among its loops: write DO VARIABLE = first, last [, step] for each index, and IF for a mask"_err_en_US);
      return false;
    }
    parser::Block &body = std::get<parser::Block>(loop->t);
    loop = body.empty() ? nullptr : asLoop(body.front());
  }
  return true;
}

/// Erases what begins at `part` and is directives in front of a loop: advice for a loop that the host runs.
void eraseAdvice(parser::Block &block, Position part) {
  Position loop = std::find_if_not(part, block.end(), isDirective);
  if (loop != block.end() && asLoop(*loop))
    block.erase(part, loop);
}

/// Branches to `loop`, which is that of the directive `kernel`, lead in front of the directive.
void moveLabel(parser::DoConstruct &loop, parser::Block &block, Position kernel) {
  auto &start = std::get<parser::Statement<parser::NonLabelDoStmt>>(loop.t);
  if (!start.label)
    return;
  parser::Statement<parser::ActionStmt> target{start.label, parser::ActionStmt{parser::ContinueStmt{}}};
  target.source = start.source;
  start.label.reset();
  block.insert(kernel, parser::ExecutionPartConstruct{parser::ExecutableConstruct{std::move(target)}});
}

/// Finds a loop with a label behind a directive.
struct LabelledLoopFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::Block &block) {
    bool isBehindDirective = false;
    for (const parser::ExecutionPartConstruct &part : block) {
      found |= isBehindDirective && parser::Unwrap<parser::LabelDoStmt>(part);
      isBehindDirective =
          parser::Unwrap<parser::CUFKernelDoConstruct>(part) || (isBehindDirective && isDirective(part));
    }
  }
  bool found = false;
};

/// Finds the directives; the parser leaves the loop beside its directive.
struct KernelFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit KernelFinder(parser::Messages &messages) : messages(messages) {}

  void Post(parser::Block &block) {
    for (auto part = block.begin(); part != block.end(); ++part) {
      auto *kernel = parser::Unwrap<parser::CUFKernelDoConstruct>(*part);
      if (!kernel)
        continue;
      auto &embedded = std::get<std::optional<parser::DoConstruct>>(kernel->t);
      if (!embedded)
        eraseAdvice(block, std::next(part));
      auto next = std::next(part);
      parser::DoConstruct *loop = embedded ? &*embedded : next != block.end() ? asLoop(*next) : nullptr;
      if (!loop)
        continue;
      moveLabel(*loop, block, part);
      tighten(*kernel, *loop, messages);
      areCounted &= haveCounters(*kernel, *loop, messages);
    }
  }

  parser::Messages &messages;
  bool areCounted = true;
};

} // namespace

bool cufort::frontend::tightenKernelLoops(parser::Program &program, parser::Messages &messages) {
  LabelledLoopFinder labelled;
  parser::Walk(program, labelled);
  // Flang does it later. Statements are no construct before.
  if (labelled.found)
    parser::CanonicalizeDo(program);
  KernelFinder finder(messages);
  parser::Walk(program, finder);
  return finder.areCounted;
}
