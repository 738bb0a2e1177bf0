// Flang takes the first two procedures that are equally near for ambiguous before it has seen a third one that is
// nearer. Which of two is nearer depends on whether the arguments are managed or unified, if there are unified dummy
// arguments, so that no order of the procedures suits all calls.

#include "frontend/Checks/NearerProcedures.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "llvm/ADT/StringExtras.h"

using namespace Fortran;
using common::CUDADataAttr;
using evaluate::characteristics::DummyDataObject, evaluate::characteristics::Procedure;
using DataAttribute = std::optional<CUDADataAttr>;

namespace {

constexpr int unreachable = 1000;

/// The generic name with which the call begins that is being analysed, or null.
const semantics::GenericDetails *genericOfCall(semantics::SemanticsContext &context) {
  parser::CharBlock call = context.foldingContext().messages().at();
  llvm::StringRef text(call.begin(), call.size());
  if (text.consume_front("call"))
    text = text.ltrim(' ');
  llvm::StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  if (name.empty() || !text.drop_front(name.size()).ltrim(' ').starts_with("("))
    return nullptr;
  const semantics::Symbol *symbol = context.FindScope(call).FindSymbol(parser::CharBlock(name.data(), name.size()));
  return symbol ? symbol->GetUltimate().detailsIf<semantics::GenericDetails>() : nullptr;
}

class Distances {
public:
  Distances(const evaluate::ActualArguments &arguments, const common::LanguageFeatureControl &features)
      : arguments(arguments), inUnified(features.IsEnabled(common::LanguageFeature::CudaUnified)),
        inManaged(features.IsEnabled(common::LanguageFeature::CudaManaged)) {}

  int of(const Procedure &procedure) const {
    int sum = 0;
    for (size_t i = 0; i < arguments.size() && i < procedure.dummyArguments.size(); ++i)
      if (const auto *dummy = std::get_if<DummyDataObject>(&procedure.dummyArguments[i].u); dummy && arguments[i])
        sum += between(dummy->cudaDataAttr, attributeOf(*arguments[i]));
    return sum;
  }

private:
  static DataAttribute attributeOf(const evaluate::ActualArgument &argument) {
    const auto *expression = argument.UnwrapExpr();
    const semantics::Symbol *variable = expression ? evaluate::GetLastSymbol(*expression) : nullptr;
    return variable ? cufort::frontend::dataAttribute(semantics::ResolveAssociations(*variable)) : std::nullopt;
  }

  int between(DataAttribute dummy, DataAttribute actual) const {
    bool isHost = !actual || *actual == CUDADataAttr::Pinned;
    bool isUnified = isHost ? inUnified : *actual == CUDADataAttr::Unified;
    bool isManaged = isHost ? inManaged && !inUnified : *actual == CUDADataAttr::Managed;
    if (!isUnified && !isManaged) {
      bool fits = isHost ? !dummy : dummy == CUDADataAttr::Device;
      return fits ? 0 : unreachable;
    }
    if (!dummy || *dummy == CUDADataAttr::Device)
      return dummy ? 2 : 3;
    bool isSame = isUnified ? *dummy == CUDADataAttr::Unified : *dummy == CUDADataAttr::Managed;
    return isSame ? 0 : 1;
  }

  const evaluate::ActualArguments &arguments;
  bool inUnified, inManaged; ///< what host data is in
};

bool hasUnifiedDummy(const semantics::Symbol &procedure) {
  const auto *details = procedure.GetUltimate().detailsIf<semantics::SubprogramDetails>();
  return details && llvm::any_of(details->dummyArgs(), [](const semantics::Symbol *dummy) {
           return dummy && cufort::frontend::dataAttribute(*dummy) == CUDADataAttr::Unified;
         });
}

} // namespace

bool cufort::frontend::hasNearerProcedure(
    const Procedure &procedure, const evaluate::ActualArguments &arguments, semantics::SemanticsContext &context,
    llvm::function_ref<bool(const Procedure &, evaluate::ActualArguments &)> matches) {
  if (llvm::any_of(arguments, [](const auto &argument) { return argument && argument->keyword(); }))
    return false;
  const semantics::GenericDetails *generic = genericOfCall(context);
  if (!generic || !llvm::any_of(generic->specificProcs(), [](const auto &each) { return hasUnifiedDummy(*each); }))
    return false;
  Distances distances(arguments, context.languageFeatures());
  int distance = distances.of(procedure);
  return llvm::any_of(generic->specificProcs(), [&](const auto &specific) {
    auto other = Procedure::Characterize(*specific, context.foldingContext());
    if (!other || other->IsElemental() != procedure.IsElemental() || distances.of(*other) >= distance)
      return false;
    evaluate::ActualArguments copy(arguments);
    return matches(*other, copy);
  });
}
