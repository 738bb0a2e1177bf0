// Flang takes the first two procedures that are equally near for ambiguous before it has seen a third one that is
// nearer. Which of two is nearer depends on whether the arguments are managed or unified, so that no order of the
// procedures suits all calls.

#include "frontend/Checks/NearerProcedures.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CalledGenerics.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/SpecificProcedures.h"

using namespace Fortran;
using common::CUDADataAttr;
using evaluate::ActualArgument, evaluate::ActualArguments;
using evaluate::characteristics::DummyArgument, evaluate::characteristics::DummyDataObject;
using evaluate::characteristics::Procedure;
using DataAttribute = std::optional<CUDADataAttr>;

const DummyDataObject *cufort::frontend::dummyFor(const Procedure &procedure, const ActualArguments &arguments,
                                                  size_t index) {
  auto keyword = arguments[index]->keyword();
  for (size_t i = 0; i < procedure.dummyArguments.size(); ++i) {
    const DummyArgument &dummy = procedure.dummyArguments[i];
    if (keyword ? keyword->ToString() == dummy.name : i == index)
      return std::get_if<DummyDataObject>(&dummy.u);
  }
  return nullptr;
}

namespace {

constexpr int unreachable = 1000;

class Distances {
public:
  Distances(const ActualArguments &arguments, const common::LanguageFeatureControl &features)
      : arguments(arguments), inUnified(features.IsEnabled(common::LanguageFeature::CudaUnified)),
        inManaged(features.IsEnabled(common::LanguageFeature::CudaManaged)) {}

  int of(const Procedure &procedure) const {
    int sum = 0;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (const auto *dummy = arguments[i] ? cufort::frontend::dummyFor(procedure, arguments, i) : nullptr)
        sum += between(dummy->cudaDataAttr, attributeOf(*arguments[i]));
    return sum;
  }

private:
  static DataAttribute attributeOf(const ActualArgument &argument) {
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

  const ActualArguments &arguments;
  bool inUnified, inManaged; ///< what host data is in
};

/// The position of the argument that the object before % is, if `procedure` is of a type and has one.
std::optional<size_t> passedPosition(const Procedure &procedure) {
  for (size_t i = 0; i < procedure.dummyArguments.size(); ++i)
    if (procedure.dummyArguments[i].pass)
      return i;
  return std::nullopt;
}

/// The `arguments` of a call with `procedure` as the call would have them with `other`; nothing if it cannot be called
/// in the same way.
std::optional<ActualArguments> argumentsFor(const Procedure &other, const Procedure &procedure,
                                            const ActualArguments &arguments) {
  ActualArguments adjusted(arguments);
  auto passed = llvm::find_if(
      adjusted, [](const std::optional<ActualArgument> &argument) { return argument && argument->isPassedObject(); });
  auto position = passedPosition(other);
  if (passed == adjusted.end())
    // Of an operator of a type, all are passed to either operand.
    return position == passedPosition(procedure) ? std::make_optional(std::move(adjusted)) : std::nullopt;
  ActualArgument object{*passed->value().UnwrapExpr()};
  object.set_isPassedObject();
  adjusted.erase(passed);
  if (!position)
    return adjusted;
  auto hasKeyword = [](const std::optional<ActualArgument> &argument) { return argument && argument->keyword(); };
  size_t withoutKeyword = llvm::find_if(adjusted, hasKeyword) - adjusted.begin();
  if (*position > withoutKeyword)
    object.set_keyword(parser::CharBlock(other.dummyArguments[*position].name));
  adjusted.emplace(*position > withoutKeyword ? adjusted.end() : adjusted.begin() + *position, std::move(object));
  return adjusted;
}

class NearerProcedure {
public:
  using Matches = llvm::function_ref<bool(const Procedure &, ActualArguments &)>;

  NearerProcedure(const Procedure &procedure, const ActualArguments &arguments, semantics::SemanticsContext &context,
                  Matches matches)
      : procedure(procedure), arguments(arguments), context(context), matches(matches),
        distance(distanceOf(procedure, arguments)) {}

  bool isOneOf(const semantics::GenericDetails &generic) const {
    return llvm::any_of(generic.specificProcs(), [&](const semantics::Symbol &specific) { return isNearer(specific); });
  }

private:
  int distanceOf(const Procedure &other, const ActualArguments &adjusted) const {
    return Distances(adjusted, context.languageFeatures()).of(other);
  }

  bool isNearer(const semantics::Symbol &specific) const {
    // Others have no interface yet.
    if (!cufort::frontend::procedureOf(specific))
      return false;
    auto other = Procedure::Characterize(semantics::BypassGeneric(specific), context.foldingContext());
    if (!other || other->IsElemental() != procedure.IsElemental())
      return false;
    auto adjusted = argumentsFor(*other, procedure, arguments);
    return adjusted && distanceOf(*other, *adjusted) < distance && matches(*other, *adjusted);
  }

  const Procedure &procedure;
  const ActualArguments &arguments;
  semantics::SemanticsContext &context;
  Matches matches;
  int distance; ///< of `procedure`
};

} // namespace

bool cufort::frontend::hasNearerProcedure(const Procedure &procedure, const ActualArguments &arguments,
                                          semantics::SemanticsContext &context, NearerProcedure::Matches matches) {
  const semantics::Symbol *tried = triedProcedure();
  if (!tried)
    return false;
  auto generics = genericsOfCall(*tried, context);
  if (generics.empty())
    return false;
  NearerProcedure nearer(procedure, arguments, context, matches);
  return llvm::all_of(generics, [&](const auto *generic) { return nearer.isOneOf(*generic); });
}
