// Names of intrinsic procedures in the parse tree.
#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// True if `name` is that of the intrinsic procedure `what`, and not of a procedure of the program.
inline bool isIntrinsic(const Fortran::parser::Name &name, llvm::StringRef what) {
  llvm::StringRef source(name.source.begin(), name.source.size());
  return source == what && name.symbol &&
         name.symbol->GetUltimate().attrs().test(Fortran::semantics::Attr::INTRINSIC);
}

/// A symbol for the intrinsic procedure `name`, a string constant, to take the place of another one in the tree.
inline Fortran::semantics::Symbol &intrinsicSymbol(Fortran::semantics::SemanticsContext &context,
                                                   llvm::StringLiteral name) {
  using namespace Fortran::semantics;
  return context.globalScope().MakeSymbol(Fortran::parser::CharBlock(name.data(), name.size()),
                                          Attrs{Attr::INTRINSIC}, ProcEntityDetails{});
}

} // namespace cufort::frontend
