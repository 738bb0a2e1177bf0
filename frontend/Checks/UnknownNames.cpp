#include "frontend/Checks/UnknownNames.h"
#include "flang/Parser/message.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/NearestName.h"
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using llvm::StringRef;

namespace {

/// The name that `text` calls undeclared; empty if it says something else.
StringRef undeclaredName(StringRef text) {
  return text.consume_front("No explicit type declared for '") ? text.split('\'').first : "";
}

/// The name that `text` takes for a variable without a declaration, and not of a derived type; empty if it says
/// something else.
StringRef implicitName(StringRef text) {
  return text.consume_front("'") && text.consume_back("' is not an object of derived type; it is implicitly typed")
             ? text
             : "";
}

/// The name of what `text` says that device code cannot call it; empty if it says something else.
StringRef uncallableName(StringRef text) {
  return text.consume_front("'") && text.consume_back("' may not be called in device code") ? text : "";
}

/// The name that `text` calls unknown; empty if it says something else.
StringRef unknownName(StringRef text) {
  if (StringRef name = undeclaredName(text); !name.empty())
    return name;
  if ((text.ends_with("' not found") && text.consume_front("Derived type '")) ||
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
  llvm::SmallVector<StringRef> candidates;
  for (const auto &[known, symbol] : module)
    if (!symbol->attrs().test(semantics::Attr::PRIVATE))
      candidates.emplace_back(known.begin(), known.size());
  return cufort::frontend::nearestName(name, candidates).str();
}

std::string adviceFor(StringRef name, const semantics::Scope *cudafor) {
  if (!cudafor)
    return "; is 'use cudafor' missing?";
  if (cudafor->find(parser::CharBlock(name.data(), name.size())) != cudafor->end())
    return "; add it to the list of 'use cudafor, only:'";
  if (name.starts_with("cudastream"))
    return "; streams are integer(kind=cuda_stream_kind)";
  if (name.starts_with("cudaerror"))
    return "; the results of cudafor's routines are integers";
  std::string similar = similarName(*cudafor, name);
  return similar.empty() ? "; module cudafor has no such name" : "; did you mean '" + similar + "'?";
}

/// True for a procedure of which the source has nothing but calls.
bool isImplicitProcedure(const semantics::Symbol *symbol) {
  const auto *procedure = symbol ? symbol->GetUltimate().detailsIf<semantics::ProcEntityDetails>() : nullptr;
  return procedure && !procedure->procInterface() && !semantics::IsDummy(*symbol) && !semantics::IsPointer(*symbol) &&
         (!symbol->attrs().test(semantics::Attr::EXTERNAL) ||
          symbol->GetUltimate().implicitAttrs().test(semantics::Attr::EXTERNAL));
}

/// Names what device code has, in module cudadevice or predefined, instead of the unknown name in `message`, if that
/// stands in device code.
void explainDeviceName(parser::Message &message, semantics::SemanticsContext &context) {
  constexpr size_t leastLength = 5; // shorter names are similar to too many others
  std::string text = message.ToString();
  StringRef uncallable = uncallableName(text), undeclared = undeclaredName(text);
  if (undeclared.empty())
    undeclared = implicitName(text);
  StringRef name = undeclared.empty() ? uncallable : undeclared;
  auto range = message.GetProvenanceRange(context.allCookedSources());
  if (name.empty() || !range)
    return;
  const semantics::Scope &scope = scopeAround(context.globalScope(), *range, context.allCookedSources());
  const semantics::Symbol *symbol = scope.FindSymbol(parser::CharBlock(name.data(), name.size()));
  bool isUnknown = undeclared.empty() ? isImplicitProcedure(symbol) : semantics::IsCUDADeviceContext(&scope);
  bool hasSimilar = isUnknown && name.size() >= leastLength;
  std::string similar = hasSimilar ? similarName(context.GetCUDADeviceScope(), name) : "";
  if (similar.empty() && hasSimilar && uncallable.empty())
    similar = similarName(context.GetCUDABuiltinsScope(), name);
  // Without IMPLICIT NONE, an array that is not declared is a function. Subroutines have no type.
  if (similar.empty() && isUnknown && undeclared.empty() && symbol->GetType())
    message = parser::Message(
        symbol->name(),
        "there is no array or device function '%s' here: declare the array, or give the function the device attribute and use its module"_err_en_US,
        name.str());
  if (similar.empty())
    return;
  std::string start = undeclared.empty() ? "There is no device procedure '" + name.str() + "'" : text;
  if (name == similar) {
    start += undeclared.empty() ? " here" : "";
    message = parser::Message(*range, "%s; is 'use cudadevice' missing?"_err_en_US, start);
    return;
  }
  message = parser::Message(*range, "%s; did you mean '%s'?"_err_en_US, start, similar);
}

/// The module of ours that device code has `name` from, other than cudadevice; empty if there is none.
std::string missingModule(StringRef name, semantics::SemanticsContext &context) {
  for (const char *module : {"libm", "cooperative_groups", "wmma"}) {
    const semantics::Scope *names = context.GetBuiltinModule(module);
    parser::CharBlock source(name.data(), name.size());
    auto found = names ? names->find(source) : semantics::Scope::const_iterator{};
    if (names && found != names->end() && !found->second->attrs().test(semantics::Attr::PRIVATE))
      return module;
  }
  return "";
}

/// Names the module that a name of device code comes from which `message` calls unknown.
void explainModuleName(parser::Message &message, semantics::SemanticsContext &context) {
  std::string text = message.ToString();
  StringRef uncallable = uncallableName(text), name = uncallable.empty() ? unknownName(text) : uncallable;
  auto range = message.GetProvenanceRange(context.allCookedSources());
  if (name.empty() || !range)
    return;
  const semantics::Scope &scope = scopeAround(context.globalScope(), *range, context.allCookedSources());
  parser::CharBlock source(name.data(), name.size());
  if (!semantics::IsCUDADeviceContext(&scope) ||
      (!uncallable.empty() && !isImplicitProcedure(scope.FindSymbol(source))))
    return;
  std::string module = missingModule(name, context);
  if (module.empty())
    return;
  std::string start = uncallable.empty() ? text : "There is no device procedure '" + name.str() + "' here";
  message = parser::Message(*range, "%s; is 'use %s' missing?"_err_en_US, start, module);
}

/// The component that is meant in `message`, which may be about an unknown one.
void explainComponent(parser::Message &message, semantics::SemanticsContext &context) {
  constexpr size_t leastLength = 3;
  std::string text = message.ToString();
  StringRef rest = text;
  if (!rest.consume_front("Component '") || !rest.contains("' not found in derived type '"))
    return;
  StringRef name = rest.split('\'').first, type = rest.split("derived type '").second.split('\'').first;
  auto range = message.GetProvenanceRange(context.allCookedSources());
  if (!range || name.size() < leastLength)
    return;
  const semantics::Scope &scope = scopeAround(context.globalScope(), *range, context.allCookedSources());
  const semantics::Symbol *symbol = scope.FindSymbol(parser::CharBlock(type.data(), type.size()));
  const semantics::Scope *components = symbol ? symbol->GetUltimate().scope() : nullptr;
  std::string similar = components && components->IsDerivedType() ? similarName(*components, name) : "";
  if (similar.empty())
    return;
  parser::Message better(*range, "%s; did you mean '%s'?"_err_en_US, text, similar);
  message = std::move(better);
}

/// Warns of each procedure without a declaration whose name is nearly that of one of module cudafor's, which `scope`
/// and the scopes within it use: without IMPLICIT NONE the link says that it is undefined, and not where.
void warnOfMisspelt(const semantics::Scope &scope, semantics::SemanticsContext &context) {
  for (const semantics::Scope &inner : scope.children())
    if (!inner.IsModuleFile())
      warnOfMisspelt(inner, context);
  if (scope.IsTopLevel() || scope.IsDerivedType())
    return;
  for (const auto &[source, symbol] : scope) {
    StringRef name(source.begin(), source.size());
    bool isLikely = name.starts_with("cuda") && !symbol->has<semantics::UseDetails>() && isImplicitProcedure(&*symbol);
    const semantics::Scope *cudafor = isLikely ? usedCudafor(scope) : nullptr;
    std::string similar = cudafor ? similarName(*cudafor, name) : "";
    if (!similar.empty())
      context.Say(symbol->name(), "Module cudafor has no '%s'; did you mean '%s'?"_warn_en_US, name.str(), similar);
  }
}

/// Removes all errors but the first about each undeclared name of a scope.
void dropRepetitions(semantics::SemanticsContext &context) {
  std::set<std::pair<const semantics::Scope *, std::string>> said;
  context.messages().messages().remove_if([&](const parser::Message &message) {
    std::string text = message.ToString();
    auto range = undeclaredName(text).empty() ? std::nullopt : message.GetProvenanceRange(context.allCookedSources());
    if (!range)
      return false;
    const semantics::Scope &scope = scopeAround(context.globalScope(), *range, context.allCookedSources());
    return !said.emplace(&scope, text).second;
  });
}

} // namespace

void cufort::frontend::explainUnknownNames(semantics::SemanticsContext &context) {
  const parser::AllCookedSources &sources = context.allCookedSources();
  dropRepetitions(context);
  for (parser::Message &message : context.messages().messages()) {
    std::string text = message.ToString();
    explainModuleName(message, context);
    explainDeviceName(message, context);
    explainComponent(message, context);
    StringRef name = unknownName(text);
    auto range = looksLikeCudafor(name) ? message.GetProvenanceRange(sources) : std::nullopt;
    if (!range)
      continue;
    const semantics::Scope &scope = scopeAround(context.globalScope(), *range, sources);
    message = parser::Message(*range, "%s"_err_en_US, text + adviceFor(name, usedCudafor(scope)));
  }
  warnOfMisspelt(context.globalScope(), context);
}
