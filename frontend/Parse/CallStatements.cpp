#include "frontend/Parse/CallStatements.h"
#include <cstring>

using namespace Fortran;

parser::Expr cufort::frontend::asLongInteger(parser::Expr &&value) {
  static const char zero[] = "0";
  parser::CharBlock source = value.source;
  parser::Expr right(parser::LiteralConstant(
      parser::IntLiteralConstant(parser::CharBlock(zero, 1), parser::KindParam(std::uint64_t(8)))));
  right.source = source;
  parser::Expr sum(parser::Expr::Add(common::Indirection<parser::Expr>(std::move(value)),
                                     common::Indirection<parser::Expr>(std::move(right))));
  sum.source = source;
  return sum;
}

parser::CallStmt cufort::frontend::makeCallStatement(const char *subroutine, std::optional<parser::Expr> argument,
                                                     parser::CharBlock source) {
  parser::Name name{parser::CharBlock(subroutine, std::strlen(subroutine)), nullptr};
  std::list<parser::ActualArgSpec> arguments;
  if (argument)
    arguments.emplace_back(
        std::make_tuple(std::optional<parser::Keyword>(), parser::ActualArg(asLongInteger(std::move(*argument)))));
  parser::CallStmt call(parser::ProcedureDesignator(std::move(name)), std::nullopt, std::move(arguments));
  call.source = source;
  return call;
}

parser::ExecutionPartConstruct cufort::frontend::makeCall(const char *subroutine, std::optional<parser::Expr> argument,
                                                          parser::CharBlock source) {
  parser::CallStmt call = makeCallStatement(subroutine, std::move(argument), source);
  parser::Statement<parser::ActionStmt> statement(
      std::nullopt, parser::ActionStmt(common::Indirection<parser::CallStmt>(std::move(call))));
  statement.source = source;
  return parser::ExecutionPartConstruct(parser::ExecutableConstruct(std::move(statement)));
}

parser::Statement<parser::ActionStmt> *cufort::frontend::actionOf(parser::ExecutionPartConstruct &construct) {
  auto *executable = std::get_if<parser::ExecutableConstruct>(&construct.u);
  return executable ? std::get_if<parser::Statement<parser::ActionStmt>>(&executable->u) : nullptr;
}
