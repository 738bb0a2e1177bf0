// Where the data of a symbol lie.
#pragma once

#include "flang/Evaluate/tools.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

namespace cufort::frontend {

std::optional<Fortran::common::CUDADataAttr> dataAttribute(const Fortran::semantics::SomeExpr &variable);

/// The attribute of the data object `symbol`, or nothing. A name of ASSOCIATE has that of what it stands for.
inline std::optional<Fortran::common::CUDADataAttr> dataAttribute(const Fortran::semantics::Symbol &symbol) {
  if (const auto *name = symbol.detailsIf<Fortran::semantics::AssocEntityDetails>())
    return name->expr() ? dataAttribute(*name->expr()) : std::nullopt;
  const auto *object = symbol.detailsIf<Fortran::semantics::ObjectEntityDetails>();
  return object ? object->cudaDataAttr() : std::nullopt;
}

/// The attribute of the memory where `variable` is, or nothing. It is that of the last component that has one, unless a
/// pointer or an allocatable component without one leads elsewhere. What a function returns is a variable if it is a
/// pointer.
inline std::optional<Fortran::common::CUDADataAttr> dataAttribute(const Fortran::semantics::SomeExpr &variable) {
  using namespace Fortran;
  if (const evaluate::ProcedureRef *call = evaluate::UnwrapProcedureRef(variable)) {
    const semantics::Symbol *function = call->proc().GetSymbol();
    const semantics::Symbol *result = function ? semantics::FindFunctionResult(*function) : nullptr;
    return result && semantics::IsPointer(*result) ? dataAttribute(*result) : std::nullopt;
  }
  auto reference = evaluate::ExtractDataRef(variable, /*intoSubstring=*/true, /*intoComplexPart=*/true);
  if (!reference)
    return std::nullopt;
  evaluate::SymbolVector path = evaluate::GetSymbolVector(*reference);
  for (auto part = path.rbegin(); part != path.rend(); ++part) {
    const semantics::Symbol &symbol = (*part)->GetUltimate();
    if (auto attribute = dataAttribute(symbol))
      return attribute;
    if (semantics::IsAllocatableOrPointer(symbol))
      return std::nullopt;
  }
  return std::nullopt;
}

/// True if the host cannot read what `symbol` holds: device and constant data; managed and unified data it can.
inline bool isHiddenFromHost(const Fortran::semantics::Symbol &symbol) {
  using Fortran::common::CUDADataAttr;
  auto attribute = dataAttribute(symbol.GetUltimate());
  return attribute == CUDADataAttr::Device || attribute == CUDADataAttr::Constant;
}

/// True for the scope of a kernel, and for the constructs in it.
inline bool isInKernel(const Fortran::semantics::Scope &scope) {
  using Fortran::common::CUDASubprogramAttrs;
  for (const Fortran::semantics::Scope *at = &scope; !at->IsTopLevel(); at = &at->parent()) {
    const auto *procedure = at->symbol() ? at->symbol()->detailsIf<Fortran::semantics::SubprogramDetails>() : nullptr;
    if (!procedure)
      continue;
    auto attributes = procedure->cudaSubprogramAttrs();
    return attributes == CUDASubprogramAttrs::Global || attributes == CUDASubprogramAttrs::Grid_Global;
  }
  return false;
}

/// True for a variable, of a module or elsewhere, that the device has, and for a dummy argument of a kernel.
inline bool isOfDevice(const Fortran::semantics::Symbol &symbol) {
  using Fortran::common::CUDADataAttr;
  const Fortran::semantics::Symbol &ultimate = symbol.GetUltimate();
  auto attribute = dataAttribute(ultimate);
  const auto *object = ultimate.detailsIf<Fortran::semantics::ObjectEntityDetails>();
  return (attribute && attribute != CUDADataAttr::Pinned) ||
         (object && object->isDummy() && isInKernel(ultimate.owner()));
}

/// True for the scope of a procedure that runs on the device only, and for the constructs in it.
inline bool isDeviceOnly(const Fortran::semantics::Scope &scope) {
  using Fortran::common::CUDASubprogramAttrs;
  for (const Fortran::semantics::Scope *at = &scope; !at->IsTopLevel(); at = &at->parent()) {
    const auto *procedure = at->symbol() ? at->symbol()->detailsIf<Fortran::semantics::SubprogramDetails>() : nullptr;
    if (!procedure)
      continue;
    auto attributes = procedure->cudaSubprogramAttrs();
    return attributes && attributes != CUDASubprogramAttrs::Host && attributes != CUDASubprogramAttrs::HostDevice;
  }
  return false;
}

} // namespace cufort::frontend
