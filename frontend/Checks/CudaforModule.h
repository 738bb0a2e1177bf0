// What belongs to module cudafor, whose parts are modules of their own.
#pragma once

#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// The name of the module in which `symbol` stands; empty if it stands elsewhere.
inline llvm::StringRef moduleOf(const Fortran::semantics::Symbol &symbol) {
  const Fortran::semantics::Scope &owner = symbol.owner();
  if (!owner.IsModule() || !owner.symbol())
    return "";
  Fortran::parser::CharBlock name = owner.symbol()->name();
  return llvm::StringRef(name.begin(), name.size());
}

/// True for what module cudafor declares.
inline bool isOfCudafor(const Fortran::semantics::Symbol &symbol) {
  llvm::StringRef module = moduleOf(symbol.GetUltimate());
  return module == "cudafor" || module.starts_with("cufort_cudafor");
}

/// True for what the modules declare that sort and calculate on the device.
inline bool isOfDeviceLibrary(const Fortran::semantics::Symbol &symbol) {
  llvm::StringRef module = moduleOf(symbol.GetUltimate());
  return module == "sort" || module == "cutensorex" || module == "curandex";
}

} // namespace cufort::frontend
