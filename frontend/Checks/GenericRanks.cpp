// Called by its own name, a procedure takes arrays of any rank, and elements of arrays, for dummy arguments of explicit
// shape and assumed size. By a generic name it takes those of the dummy argument's rank.

#include "frontend/Checks/GenericRanks.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/expression.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CallArguments.h"
#include "frontend/Checks/NearestProcedure.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dummyOf, cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

struct GenericCall {
  parser::ProvenanceRange place;
  const semantics::GenericDetails &generic;
  const std::list<parser::ActualArgSpec> &arguments;
};

struct GenericCallFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit GenericCallFinder(const parser::AllCookedSources &sources) : sources(sources) {}

  void Post(const parser::FunctionReference &reference) { add(reference.source, reference.v); }
  void Post(const parser::CallStmt &statement) { add(statement.source, statement.call); }

  void add(parser::CharBlock source, const parser::Call &call) {
    const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    const auto *generic =
        name && name->symbol ? name->symbol->GetUltimate().detailsIf<semantics::GenericDetails>() : nullptr;
    if (auto place = sources.GetProvenanceRange(source); place && generic)
      found.push_back({*place, *generic, std::get<std::list<parser::ActualArgSpec>>(call.t)});
  }

  const parser::AllCookedSources &sources;
  std::vector<GenericCall> found;
};

const parser::Expr *expressionOf(const parser::ActualArgSpec &argument) {
  const auto *expression = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u);
  return expression ? &expression->value() : nullptr;
}

/// The rank that an actual argument for `dummy` has to have.
std::optional<int> rankFor(const semantics::Symbol &dummy) {
  const auto *object = dummy.detailsIf<semantics::ObjectEntityDetails>();
  if (!object || object->ignoreTKR().test(common::IgnoreTKR::Rank) || semantics::IsAssumedRank(dummy))
    return std::nullopt;
  return dummy.Rank();
}

void addReasons(parser::Message &message, const GenericCall &call, const semantics::Symbol &specific) {
  const auto *procedure = specific.GetUltimate().detailsIf<semantics::SubprogramDetails>();
  if (!procedure || semantics::IsElementalProcedure(specific.GetUltimate()))
    return;
  bool isMentioned = false;
  size_t position = 0;
  for (const parser::ActualArgSpec &argument : call.arguments) {
    const semantics::Symbol *dummy = dummyOf(*procedure, argument, position++);
    const parser::Expr *expression = expressionOf(argument);
    const semantics::SomeExpr *value = expression ? semantics::GetExpr(*expression) : nullptr;
    std::optional<int> rank = dummy ? rankFor(*dummy) : std::nullopt;
    if (!value || !rank || value->Rank() == *rank)
      continue;
    if (!isMentioned)
      message.Attach(specific.name(), "Specific procedure '%s' does not match the actual arguments because"_en_US,
                     specific.name());
    isMentioned = true;
    message.Attach(
        expression->source,
        "Rank of dummy argument '%s' is %d, but actual argument has rank %d, which only calls by the name '%s' itself may have"_en_US,
        dummy->name(), *rank, value->Rank(), specific.name());
  }
}

bool isAboutSpecific(const parser::Message &message, const semantics::Symbol &specific) {
  std::string start = "Specific procedure '" + specific.name().ToString() + "'";
  for (auto attachment = message.attachment(); attachment; attachment = attachment->attachment())
    if (StringRef(attachment->ToString()).starts_with(start))
      return true;
  return false;
}

} // namespace

void cufort::frontend::addReasonsOfRank(semantics::SemanticsContext &context, const parser::Program &program) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  GenericCallFinder finder(sources);
  for (parser::Message &message : context.messages().messages()) {
    if (!message.IsFatal() || !isAboutGenericName(message))
      continue;
    if (finder.found.empty())
      parser::Walk(program, finder);
    auto place = message.GetProvenanceRange(sources);
    for (const GenericCall &call : finder.found)
      if (place && call.place == *place)
        for (const semantics::Symbol &specific : call.generic.specificProcs())
          if (!isAboutSpecific(message, specific))
            addReasons(message, call, specific);
  }
}
