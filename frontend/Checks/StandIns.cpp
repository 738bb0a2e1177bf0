#include "frontend/Checks/StandIns.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using namespace cufort::frontend;
using DataAttribute = std::optional<common::CUDADataAttr>;
using semantics::SomeExpr;

/// A new symbol that says what matching asks for: name, type, rank and attributes. It belongs to the scope of `model`
/// without being found there by its name.
static const semantics::Symbol &makeVariable(const semantics::Symbol &model, semantics::Attr kind,
                                             DataAttribute attribute) {
  semantics::ObjectEntityDetails details;
  if (const semantics::DeclTypeSpec *type = model.GetType())
    details.set_type(*type);
  semantics::ArraySpec shape;
  for (int i = 0; i < model.Rank(); ++i)
    shape.push_back(semantics::ShapeSpec::MakeDeferred());
  details.set_shape(shape);
  if (attribute)
    details.set_cudaDataAttr(*attribute);
  return const_cast<semantics::Scope &>(model.owner())
      .MakeSymbol(model.name(), semantics::Attrs{kind}, std::move(details));
}

/// The name of ASSOCIATE that `symbol` is, if it stands for something else than a whole variable; else null.
static const semantics::AssocEntityDetails *nameOfPart(const semantics::Symbol &symbol) {
  const auto *name = semantics::ResolveAssociations(symbol).detailsIf<semantics::AssocEntityDetails>();
  return name && !name->IsAssumedSize() && !name->IsAssumedRank() ? name : nullptr;
}

std::optional<SomeExpr> cufort::frontend::standInFor(const SomeExpr &argument) {
  if (const evaluate::ProcedureRef *call = evaluate::UnwrapProcedureRef(argument)) {
    DataAttribute attribute = dataAttribute(argument);
    if (!attribute)
      return std::nullopt;
    const semantics::Symbol &result = *semantics::FindFunctionResult(*call->proc().GetSymbol());
    return evaluate::AsGenericExpr(makeVariable(result, semantics::Attr::POINTER, *attribute));
  }
  auto reference = evaluate::ExtractDataRef(argument);
  if (!reference)
    return std::nullopt;
  auto *array = std::get_if<evaluate::ArrayRef>(&reference->u);
  const auto *whole = std::get_if<semantics::SymbolRef>(&reference->u);
  const semantics::SymbolRef *name = array ? array->base().UnwrapSymbolRef() : whole;
  if (!name || !nameOfPart(**name))
    return std::nullopt;
  const semantics::Symbol &variable = semantics::ResolveAssociations(**name);
  DataAttribute attribute = dataAttribute(variable);
  if (!attribute)
    return std::nullopt;
  const semantics::Symbol &standIn = makeVariable(variable, semantics::Attr::TARGET, *attribute);
  if (!array)
    return evaluate::AsGenericExpr(standIn);
  array->base() = evaluate::NamedEntity(standIn);
  return evaluate::AsGenericExpr(std::move(*reference));
}

std::optional<SomeExpr> cufort::frontend::standInForPinned(const SomeExpr &argument) {
  const semantics::Symbol *variable = evaluate::GetLastSymbol(argument);
  if (!variable || dataAttribute(semantics::ResolveAssociations(*variable)) != common::CUDADataAttr::Pinned)
    return std::nullopt;
  return evaluate::Parenthesize(SomeExpr(argument));
}
