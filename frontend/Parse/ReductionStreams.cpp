// The value of such a function is the host's, so the program waits for the function in any case, and for what the
// stream had to do before. Waiting first makes no difference but that work of other streams does not overlap with the
// function.
//
// A stream without a keyword stands last. Whether `sum(a, b, c)` has one, the types say: then Flang finds an argument
// too many, and the source is read once more.

#include "frontend/Parse/ReductionStreams.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::ArgumentPlaces, cufort::frontend::waitForStream;
using cufort::frontend::TreeVisitor, cufort::frontend::makeCall, cufort::frontend::actionOf;

namespace {

constexpr llvm::StringLiteral functions[] = {"sum", "maxval", "minval", "maxloc", "minloc"};

using Arguments = std::list<parser::ActualArgSpec>;

/// The arguments of `reference`, or null if it calls another function.
template <typename Reference>
auto *argumentsOf(Reference &reference) {
  auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u);
  bool isMeant = name && llvm::is_contained(functions, llvm::StringRef(name->ToString()));
  return isMeant ? &std::get<Arguments>(reference.v.t) : nullptr;
}

bool hasKeyword(const parser::ActualArgSpec &argument) {
  return std::get<std::optional<parser::Keyword>>(argument.t).has_value();
}

const parser::Expr *exprOf(const parser::ActualArgSpec &argument) {
  const auto *expr = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
  return expr ? &expr->value() : nullptr;
}

std::optional<size_t> placeOf(const parser::Expr &expr, const parser::AllCookedSources &sources) {
  auto range = sources.GetProvenanceRange(expr.source);
  return range ? std::make_optional(range->start().offset()) : std::nullopt;
}

/// Moves the values of `stream=`, and the arguments at `places`, out of the references that it meets.
struct StreamTaker : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  StreamTaker(const ArgumentPlaces &places, const parser::AllCookedSources &sources)
      : places(places), sources(sources) {}

  void Post(parser::FunctionReference &reference) {
    Arguments *arguments = argumentsOf(reference);
    if (!arguments)
      return;
    auto stream = llvm::find_if(*arguments, [&](const auto &argument) { return isStream(argument); });
    if (stream == arguments->end())
      return;
    auto &value = std::get<parser::ActualArg>(stream->t).u;
    streams.push_back(std::move(std::get<common::Indirection<parser::Expr>>(value).value()));
    arguments->erase(stream);
  }
  std::vector<parser::Expr> streams;

private:
  bool isStream(const parser::ActualArgSpec &argument) const {
    const parser::Expr *value = exprOf(argument);
    if (!value || hasKeyword(argument))
      return value && std::get<std::optional<parser::Keyword>>(argument.t)->v.ToString() == "stream";
    auto place = placeOf(*value, sources);
    return place && places.count(*place);
  }

  const ArgumentPlaces &places;
  const parser::AllCookedSources &sources;
};

/// The label of the statement with which `construct` begins, if that is one that may have such functions; else null.
std::optional<parser::Label> *labelOf(parser::ExecutionPartConstruct &construct) {
  if (auto *action = actionOf(construct))
    return &action->label;
  if (auto *branch = parser::Unwrap<parser::IfConstruct>(construct))
    return &std::get<parser::Statement<parser::IfThenStmt>>(branch->t).label;
  if (auto *choice = parser::Unwrap<parser::CaseConstruct>(construct))
    return &std::get<parser::Statement<parser::SelectCaseStmt>>(choice->t).label;
  if (auto *loop = parser::Unwrap<parser::DoConstruct>(construct))
    return &std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->t).label;
  return nullptr;
}

/// DO WHILE as DO with `if (.not. condition) exit` at its beginning, before which each round can wait. Returns the body
/// of the loop, or null if `construct` is no DO WHILE.
parser::Block *leaveInBody(parser::ExecutionPartConstruct &construct) {
  auto *loop = parser::Unwrap<parser::DoConstruct>(construct);
  if (!loop)
    return nullptr;
  auto &start = std::get<parser::Statement<parser::NonLabelDoStmt>>(loop->t).statement;
  auto &control = std::get<std::optional<parser::LoopControl>>(start.t);
  auto *condition = control ? std::get_if<parser::ScalarLogicalExpr>(&control->u) : nullptr;
  if (!condition)
    return nullptr;
  parser::Expr ends = std::move(condition->thing.thing.value());
  control.reset();
  parser::CharBlock source = ends.source;
  parser::Expr negated{parser::Expr::NOT{common::Indirection<parser::Expr>{std::move(ends)}}};
  negated.source = source;
  parser::UnlabeledStatement<parser::ActionStmt> leave{parser::ActionStmt{parser::ExitStmt{std::nullopt}}};
  leave.source = source;
  parser::IfStmt branch{
      parser::ScalarLogicalExpr{parser::LogicalExpr{common::Indirection<parser::Expr>{std::move(negated)}}},
      std::move(leave)};
  parser::Statement<parser::ActionStmt> statement{
      std::nullopt, parser::ActionStmt{common::Indirection<parser::IfStmt>{std::move(branch)}}};
  statement.source = source;
  auto &body = std::get<parser::Block>(loop->t);
  body.emplace_front(parser::ExecutableConstruct{std::move(statement)});
  return &body;
}

/// Inner blocks come first, so that what is left in a construct belongs to its own statements.
struct WaitInserter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  WaitInserter(const ArgumentPlaces &places, const parser::AllCookedSources &sources)
      : places(places), sources(sources) {}
  void Post(parser::Block &block) {
    for (auto position = block.begin(); position != block.end(); ++position) {
      StreamTaker taker(places, sources);
      parser::Walk(*position, taker);
      if (taker.streams.empty())
        continue;
      parser::Block *body = leaveInBody(*position);
      for (parser::Expr &stream : taker.streams) {
        auto *action = actionOf(*position);
        parser::CharBlock source = action ? action->source : stream.source;
        auto call = makeCall(waitForStream, std::move(stream), source);
        if (body) {
          body->push_front(std::move(call));
          continue;
        }
        auto wait = block.insert(position, std::move(call));
        // Who branches to the statement waits, too.
        if (auto *label = labelOf(*position))
          actionOf(*wait)->label = std::exchange(*label, std::nullopt);
      }
    }
  }

private:
  const ArgumentPlaces &places;
  const parser::AllCookedSources &sources;
};

/// Finds the last arguments of references about which there is one of `errors`.
struct StreamFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  StreamFinder(const parser::AllCookedSources &sources, std::vector<parser::ProvenanceRange> errors)
      : sources(sources), errors(std::move(errors)) {}

  void Post(const parser::FunctionReference &reference) {
    const Arguments *arguments = argumentsOf(reference);
    auto range = arguments ? sources.GetProvenanceRange(reference.source) : std::nullopt;
    if (!range || arguments->size() < fewestArguments || hasKeyword(arguments->back()))
      return;
    const parser::Expr *last = exprOf(arguments->back());
    if (!llvm::is_contained(errors, *range) || !last || !isScalarInteger(*last))
      return;
    if (auto place = placeOf(*last, sources))
      found.insert(*place);
  }
  ArgumentPlaces found;

private:
  static constexpr size_t fewestArguments = 3; ///< the array, the mask and the stream

  static bool isScalarInteger(const parser::Expr &expr) {
    const semantics::SomeExpr *value = expr.typedExpr && expr.typedExpr->v ? &*expr.typedExpr->v : nullptr;
    auto type = value ? value->GetType() : std::nullopt;
    return type && type->category() == common::TypeCategory::Integer && value->Rank() == 0;
  }

  const parser::AllCookedSources &sources;
  std::vector<parser::ProvenanceRange> errors;
};

} // namespace

bool cufort::frontend::findStreamArguments(semantics::SemanticsContext &context, const parser::Program &program,
                                           ArgumentPlaces &streams) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  std::vector<parser::ProvenanceRange> errors;
  for (const parser::Message &message : context.messages().messages())
    if (llvm::StringRef(message.ToString()).starts_with_insensitive("too many actual arguments for intrinsic '"))
      if (auto range = message.GetProvenanceRange(sources))
        errors.push_back(*range);
  StreamFinder finder(sources, std::move(errors));
  parser::Walk(program, finder);
  size_t known = streams.size();
  streams.insert(finder.found.begin(), finder.found.end());
  return streams.size() > known;
}

void cufort::frontend::waitBeforeReductions(parser::Program &program, const ArgumentPlaces &streams,
                                            const parser::AllCookedSources &sources) {
  WaitInserter inserter(streams, sources);
  parser::Walk(program, inserter);
}
