// Other compilers take `call cudaDeviceSynchronize()`. Flang refuses it when it resolves the name, so that the source
// is read once more.

#include "frontend/Parse/DiscardedResults.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/DeclaredTypes.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementPlaces;
using cufort::frontend::TreeVisitor;

namespace {

/// The subroutine of the runtime that ignores its argument.
const char discardResult[] = "cufort_discard_result";

std::optional<size_t> placeOf(const parser::CallStmt &call, const parser::AllCookedSources &sources) {
  auto range = sources.GetProvenanceRange(call.source);
  return range ? std::make_optional(range->start().offset()) : std::nullopt;
}

const parser::Name *nameOf(const parser::CallStmt &call) {
  return std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.call.t).u);
}

bool isIntegerFunction(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  if (const auto *generic = ultimate.detailsIf<semantics::GenericDetails>())
    return !generic->specificProcs().empty() &&
           llvm::all_of(generic->specificProcs(), [](const auto &specific) { return isIntegerFunction(*specific); });
  const semantics::Symbol *result = semantics::IsFunction(ultimate) ? semantics::FindFunctionResult(ultimate) : nullptr;
  return cufort::frontend::isOfType(result, common::TypeCategory::Integer);
}

struct StatementFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  StatementFinder(semantics::SemanticsContext &context, StatementPlaces &places) : context(context), places(places) {}

  void Post(const parser::CallStmt &call) {
    const parser::Name *name = call.chevrons ? nullptr : nameOf(call);
    const semantics::Symbol *symbol = name ? name->symbol : nullptr;
    if (!symbol || !cufort::frontend::isOfCudafor(*symbol) || !isIntegerFunction(*symbol) ||
        semantics::FindCUDADeviceContext(&context.FindScope(call.source)))
      return;
    if (auto place = placeOf(call, context.allCookedSources()))
      places.insert(*place);
  }

  semantics::SemanticsContext &context;
  StatementPlaces &places;
};

struct StatementRewriter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  StatementRewriter(const StatementPlaces &places, const parser::AllCookedSources &sources, parser::Messages &messages)
      : places(places), sources(sources), messages(messages) {}

  void Post(parser::CallStmt &call) {
    auto place = placeOf(call, sources);
    if (!place || !places.count(*place))
      return;
    parser::CharBlock name = nameOf(call)->source;
    messages.Say(name, "the routines of module cudafor are functions: CALL discards the result of this one"_warn_en_US);
    parser::CharBlock source = call.source;
    parser::FunctionReference reference(std::move(call.call));
    reference.source = parser::CharBlock(name.begin(), source.end());
    parser::Expr result{common::Indirection<parser::FunctionReference>(std::move(reference))};
    result.source = parser::CharBlock(name.begin(), source.end());
    call = cufort::frontend::makeCallStatement(discardResult, std::move(result), source);
  }

  const StatementPlaces &places;
  const parser::AllCookedSources &sources;
  parser::Messages &messages;
};

} // namespace

bool cufort::frontend::findDiscardedResults(semantics::SemanticsContext &context, const parser::Program &program,
                                            StatementPlaces &places) {
  size_t known = places.size();
  StatementFinder finder(context, places);
  parser::Walk(program, finder);
  return places.size() > known;
}

void cufort::frontend::discardResults(parser::Program &program, const StatementPlaces &places,
                                      const parser::AllCookedSources &sources, parser::Messages &messages) {
  if (places.empty())
    return;
  StatementRewriter rewriter(places, sources, messages);
  parser::Walk(program, rewriter);
}
