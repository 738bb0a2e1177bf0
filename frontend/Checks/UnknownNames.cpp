#include "frontend/Checks/UnknownNames.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/CudaforModule.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// The name that `text` calls unknown; empty if it says something else.
StringRef unknownName(StringRef text) {
  if (text.consume_front("No explicit type declared for '") ||
      (text.ends_with("' not found") && text.consume_front("Derived type '")) ||
      (text.ends_with("' was forward-referenced but not defined") && text.consume_front("The derived type '")))
    return text.split('\'').first;
  return "";
}

bool looksLikeCudafor(StringRef name) {
  return name.starts_with("cuda") || name == "dim3" || name == "c_devptr" || name == "c_devloc";
}

/// The innermost scope within `scope` that has `place`, or `scope` itself.
const semantics::Scope &scopeAround(const semantics::Scope &scope, parser::ProvenanceRange place,
                                    const parser::AllCookedSources &sources) {
  for (const semantics::Scope &inner : scope.children()) {
    auto range = inner.sourceRange().empty() ? std::nullopt : sources.GetProvenanceRange(inner.sourceRange());
    if (range && range->Contains(place))
      return scopeAround(inner, place, sources);
  }
  return scope;
}

/// Module cudafor, if `symbol` comes from there, directly or by other modules; else null.
const semantics::Scope *cudaforOf(const semantics::Symbol &symbol) {
  const semantics::Symbol *at = &symbol;
  while (const auto *use = at->detailsIf<semantics::UseDetails>()) {
    at = &use->symbol();
    if (cufort::frontend::moduleOf(*at) == "cudafor")
      return &at->owner();
  }
  return nullptr;
}

/// Module cudafor, if `scope` or a host of it uses it; else null.
const semantics::Scope *usedCudafor(const semantics::Scope &scope) {
  for (const semantics::Scope *at = &scope; !at->IsTopLevel(); at = &at->parent())
    for (const auto &[name, symbol] : *at)
      if (const semantics::Scope *module = cudaforOf(*symbol))
        return module;
  return nullptr;
}

/// The name in `module` that `name` may be a misspelling of; empty if none is near.
std::string similarName(const semantics::Scope &module, StringRef name) {
  std::string nearest;
  unsigned least = name.size() < 10 ? 2 : 3; // changed letters; what has that many is another name
  for (const auto &[known, symbol] : module) {
    StringRef candidate(known.begin(), known.size());
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, least);
    if (distance < least && !symbol->attrs().test(semantics::Attr::PRIVATE)) {
      least = distance;
      nearest = candidate.str();
    }
  }
  return nearest;
}

std::string adviceFor(StringRef name, const semantics::Scope *cudafor) {
  if (!cudafor)
    return "; is 'use cudafor' missing?";
  if (cudafor->find(parser::CharBlock(name.data(), name.size())) != cudafor->end())
    return "; add it to the list of 'use cudafor, only:'";
  std::string similar = similarName(*cudafor, name);
  return similar.empty() ? "; module cudafor has no such name" : "; did you mean '" + similar + "'?";
}

} // namespace

void cufort::frontend::explainUnknownNames(semantics::SemanticsContext &context) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  for (parser::Message &message : context.messages().messages()) {
    std::string text = message.ToString();
    StringRef name = unknownName(text);
    auto range = looksLikeCudafor(name) ? message.GetProvenanceRange(sources) : std::nullopt;
    if (!range)
      continue;
    const semantics::Scope &scope = scopeAround(context.globalScope(), *range, sources);
    message = parser::Message(*range, "%s"_err_en_US, text + adviceFor(name, usedCudafor(scope)));
  }
}
