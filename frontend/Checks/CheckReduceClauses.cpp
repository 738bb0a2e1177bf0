// REDUCE clauses of CUF kernels (CUDA Fortran guide 2.11.3): each thread combines its values as the statements say, and
// those of all threads are combined as the clause says.

#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::isIntrinsic, cufort::frontend::TreeVisitor;
using Operation = parser::ReductionOperator::Operator;
using E = parser::Expr;

namespace {

/// How messages name an operation, and which functions do it.
struct Notation {
  Operation operation;
  const char *text;
  std::vector<llvm::StringRef> functions;
};

const Notation notations[] = {{Operation::Plus, "+", {}},
                              {Operation::Multiply, "*", {}},
                              {Operation::Max, "MAX", {"max", "max0", "amax1", "dmax1"}},
                              {Operation::Min, "MIN", {"min", "min0", "amin1", "dmin1"}},
                              {Operation::Iand, "IAND", {"iand"}},
                              {Operation::Ior, "IOR", {"ior"}},
                              {Operation::Ieor, "IEOR", {"ieor"}},
                              {Operation::And, ".AND.", {}},
                              {Operation::Or, ".OR.", {}},
                              {Operation::Eqv, ".EQV.", {}},
                              {Operation::Neqv, ".NEQV.", {}}};

const char *textOf(Operation operation) {
  return llvm::find_if(notations, [&](const Notation &notation) { return notation.operation == operation; })->text;
}

/// An operation and what it combines.
struct Combination {
  Operation operation;
  std::vector<const parser::Expr *> operands;
};

Combination ofBoth(Operation operation, const E::IntrinsicBinary &binary) {
  return {operation, {&std::get<0>(binary.t).value(), &std::get<1>(binary.t).value()}};
}

std::optional<Combination> ofCall(const parser::Call &call) {
  const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
  auto fits = [&](const Notation &notation) {
    return llvm::any_of(notation.functions, [&](llvm::StringRef function) { return isIntrinsic(*name, function); });
  };
  const Notation *found = name ? llvm::find_if(notations, fits) : std::end(notations);
  if (found == std::end(notations))
    return std::nullopt;
  Combination combination{found->operation, {}};
  for (const parser::ActualArgSpec &argument : std::get<std::list<parser::ActualArgSpec>>(call.t))
    if (const auto *expr = std::get_if<common::Indirection<parser::Expr>>(&std::get<parser::ActualArg>(argument.t).u))
      combination.operands.push_back(&expr->value());
  return combination;
}

std::optional<Combination> combinationOf(const parser::Expr &expr) {
  using Result = std::optional<Combination>;
  return common::visit(common::visitors{[](const E::Add &x) -> Result { return ofBoth(Operation::Plus, x); },
                                        // What is subtracted from may be a sum.
                                        [](const E::Subtract &x) -> Result {
                                          return Combination{Operation::Plus, {&std::get<0>(x.t).value()}};
                                        },
                                        [](const E::Multiply &x) -> Result { return ofBoth(Operation::Multiply, x); },
                                        [](const E::Parentheses &x) -> Result { return combinationOf(x.v.value()); },
                                        [](const E::AND &x) -> Result { return ofBoth(Operation::And, x); },
                                        [](const E::OR &x) -> Result { return ofBoth(Operation::Or, x); },
                                        [](const E::EQV &x) -> Result { return ofBoth(Operation::Eqv, x); },
                                        [](const E::NEQV &x) -> Result { return ofBoth(Operation::Neqv, x); },
                                        [](const common::Indirection<parser::FunctionReference> &call) -> Result {
                                          return ofCall(call.value().v);
                                        },
                                        [](const auto &) -> Result { return std::nullopt; }},
                       expr.u);
}

bool isVariable(const parser::Expr &expr, const semantics::Symbol &variable) {
  const parser::Name *name = parser::Unwrap<parser::Name>(expr);
  return name && name->symbol && &name->symbol->GetUltimate() == &variable;
}

/// The operation by which `expr` combines `variable` with something else, if it is certain.
std::optional<Operation> operationOn(const semantics::Symbol &variable, const parser::Expr &expr) {
  auto combination = combinationOf(expr);
  if (!combination)
    return std::nullopt;
  for (const parser::Expr *operand : combination->operands)
    if (isVariable(*operand, variable) || operationOn(variable, *operand) == combination->operation)
      return combination->operation;
  return std::nullopt;
}

class ReduceClauseChecker : public TreeVisitor {
public:
  explicit ReduceClauseChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &kernel) {
    for (const auto &reduction :
         std::get<std::list<parser::CUFReduction>>(std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t).t))
      for (const auto &variable : std::get<std::list<parser::Scalar<parser::Variable>>>(reduction.t))
        if (const auto *name = parser::Unwrap<parser::Name>(variable); name && name->symbol)
          addClause(*name, std::get<parser::CUFReduction::Operator>(reduction.t).v);
    return true;
  }
  void Post(const parser::CUFKernelDoConstruct &) { clauses.clear(); }

  void Post(const parser::LoopControl::Bounds &loop) {
    const parser::Name &variable = loop.name.thing;
    auto clause = variable.symbol ? clauses.find(&variable.symbol->GetUltimate()) : clauses.end();
    if (clause != clauses.end())
      context.Say(clause->second.name,
                  "'%s' is the variable of a loop, which has no value for REDUCE to combine"_err_en_US,
                  clause->second.name);
  }

  void Post(const parser::AssignmentStmt &statement) {
    const auto *name = parser::Unwrap<parser::Name>(std::get<parser::Variable>(statement.t));
    auto clause = name && name->symbol ? clauses.find(&name->symbol->GetUltimate()) : clauses.end();
    if (clause == clauses.end())
      return;
    const auto &value = std::get<parser::Expr>(statement.t);
    auto operation = operationOn(*clause->first, value);
    if (operation && *operation != clause->second.operation)
      context.Say(
          value.source,
          "The REDUCE clause combines the values of '%s' by %s, and this statement by %s: they must agree"_err_en_US,
          name->source, textOf(clause->second.operation), textOf(*operation));
  }

private:
  struct Clause {
    parser::CharBlock name; ///< where it names the variable
    Operation operation;
  };

  void addClause(const parser::Name &name, Operation operation) {
    if (!clauses.try_emplace(&name.symbol->GetUltimate(), Clause{name.source, operation}).second)
      context.Say(name.source, "'%s' is in the REDUCE clauses of this kernel already"_err_en_US, name.source);
  }

  semantics::SemanticsContext &context;
  std::map<const semantics::Symbol *, Clause> clauses; ///< around the place that is visited, by their variables
};

} // namespace

void cufort::frontend::checkReduceClauses(semantics::SemanticsContext &context, const parser::Program &program) {
  ReduceClauseChecker checker(context);
  parser::Walk(program, checker);
}
