// Where the data of a symbol lie.
#pragma once

#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"

namespace cufort::frontend {

/// The attribute of the data object `symbol`, or nothing.
inline std::optional<Fortran::common::CUDADataAttr> dataAttribute(const Fortran::semantics::Symbol &symbol) {
  const auto *object = symbol.detailsIf<Fortran::semantics::ObjectEntityDetails>();
  return object ? object->cudaDataAttr() : std::nullopt;
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
    const auto *procedure =
        at->symbol() ? at->symbol()->detailsIf<Fortran::semantics::SubprogramDetails>() : nullptr;
    if (!procedure)
      continue;
    auto attributes = procedure->cudaSubprogramAttrs();
    return attributes && attributes != CUDASubprogramAttrs::Host && attributes != CUDASubprogramAttrs::HostDevice;
  }
  return false;
}

} // namespace cufort::frontend
