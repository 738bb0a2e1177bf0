// Intrinsic types of data in expressions whose names have been resolved, but that have not been analysed.
#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/type.h"

namespace cufort::frontend {

/// True if `symbol` is declared with the intrinsic type `category`.
inline bool isOfType(const Fortran::semantics::Symbol *symbol, Fortran::common::TypeCategory category) {
  const Fortran::semantics::DeclTypeSpec *type = symbol ? symbol->GetUltimate().GetType() : nullptr;
  const Fortran::semantics::IntrinsicTypeSpec *intrinsic = type ? type->AsIntrinsic() : nullptr;
  return intrinsic && intrinsic->category() == category;
}

/// The variable, component or function whose type `data`, a data reference or a function reference, has; null if it is
/// not known. An array element is a function reference, too, until the expression has been analysed.
template <typename Data>
const Fortran::semantics::Symbol *typedSymbol(const Data &data) {
  return Fortran::parser::GetLastName(data).symbol;
}

} // namespace cufort::frontend
