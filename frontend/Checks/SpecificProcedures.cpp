#include "frontend/Checks/SpecificProcedures.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/DeviceData.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using common::CUDADataAttr;

const semantics::SubprogramDetails *cufort::frontend::procedureOf(const semantics::Symbol &specific) {
  const semantics::Symbol &symbol = specific.GetUltimate();
  if (const auto *binding = symbol.detailsIf<semantics::ProcBindingDetails>())
    return procedureOf(binding->symbol());
  // A procedure may have the name of a generic.
  if (const auto *generic = symbol.detailsIf<semantics::GenericDetails>())
    return generic->specific() ? procedureOf(*generic->specific()) : nullptr;
  return symbol.detailsIf<semantics::SubprogramDetails>();
}

namespace {

class Order {
public:
  explicit Order(const common::LanguageFeatureControl &features)
      : unifiedFirst(features.IsEnabled(common::LanguageFeature::CudaUnified)) {}

  void sortAll(semantics::Scope &scope) const {
    for (const auto &[name, symbol] : scope)
      if (auto *generic = symbol->detailsIf<semantics::GenericDetails>())
        sort(*generic);
    for (semantics::Scope &child : scope.children())
      sortAll(child);
  }

private:
  /// What an argument in managed or unified memory costs that meets `dummy`. Other arguments, if they match at all,
  /// cost the same in each procedure.
  int cost(const semantics::Symbol &dummy) const {
    auto attribute = cufort::frontend::dataAttribute(dummy);
    if (attribute == CUDADataAttr::Managed)
      return unifiedFirst ? 1 : 0;
    if (attribute == CUDADataAttr::Unified)
      return unifiedFirst ? 0 : 1;
    return attribute == CUDADataAttr::Device ? 2 : 3;
  }

  int cost(const semantics::SubprogramDetails &procedure) const {
    int sum = 0;
    for (const semantics::Symbol *dummy : procedure.dummyArgs())
      sum += dummy ? cost(*dummy) : 0;
    return sum;
  }

  void sort(semantics::GenericDetails &generic) const {
    auto &procedures = const_cast<semantics::SymbolVector &>(generic.specificProcs());
    auto &names = const_cast<std::vector<semantics::SourceName> &>(generic.bindingNames());
    std::vector<std::pair<int, size_t>> order;
    for (size_t i = 0; i < procedures.size(); ++i) {
      const semantics::SubprogramDetails *procedure = cufort::frontend::procedureOf(procedures[i]);
      if (!procedure)
        return;
      order.emplace_back(cost(*procedure), i);
    }
    if (llvm::is_sorted(order) || names.size() != procedures.size())
      return;
    llvm::sort(order);
    semantics::SymbolVector sortedProcedures;
    std::vector<semantics::SourceName> sortedNames;
    for (auto [cost, i] : order) {
      sortedProcedures.push_back(procedures[i]);
      sortedNames.push_back(names[i]);
    }
    procedures = std::move(sortedProcedures);
    names = std::move(sortedNames);
  }

  bool unifiedFirst; ///< for host data in unified memory
};

} // namespace

void cufort::frontend::orderSpecificProcedures(semantics::SemanticsContext &context) {
  Order(context.languageFeatures()).sortAll(context.globalScope());
}
