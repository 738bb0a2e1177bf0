// Which dummy argument an actual argument belongs to.
#pragma once

#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/symbol.h"

namespace cufort::frontend {

/// The dummy argument of `procedure` that belongs to `argument`, the one at `position`; null if it is not known.
inline const Fortran::semantics::Symbol *dummyOf(const Fortran::semantics::SubprogramDetails &procedure,
                                                 const Fortran::parser::ActualArgSpec &argument, size_t position) {
  const auto &keyword = std::get<std::optional<Fortran::parser::Keyword>>(argument.t);
  if (!keyword)
    return position < procedure.dummyArgs().size() ? procedure.dummyArgs()[position] : nullptr;
  for (const Fortran::semantics::Symbol *dummy : procedure.dummyArgs())
    if (dummy && dummy->name() == keyword->v.source)
      return dummy;
  return nullptr;
}

} // namespace cufort::frontend
