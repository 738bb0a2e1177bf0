// Statements that are added to a program before its names are resolved.
#pragma once

#include "flang/Parser/parse-tree.h"

namespace cufort::frontend {

/// `value + 0_8`, for an integer of any kind.
Fortran::parser::Expr asLongInteger(Fortran::parser::Expr &&value);

/// `call subroutine(argument + 0_8)`, or without arguments: a routine of the runtime library, as a program without an
/// interface calls it. `subroutine` must live as long as the program; messages name `source`.
Fortran::parser::CallStmt makeCallStatement(const char *subroutine, std::optional<Fortran::parser::Expr> argument,
                                            Fortran::parser::CharBlock source);

/// The same with what is around a statement.
Fortran::parser::ExecutionPartConstruct makeCall(const char *subroutine, std::optional<Fortran::parser::Expr> argument,
                                                 Fortran::parser::CharBlock source);

/// The action statement that `construct` is, else null.
Fortran::parser::Statement<Fortran::parser::ActionStmt> *actionOf(Fortran::parser::ExecutionPartConstruct &construct);

} // namespace cufort::frontend
