#include "frontend/Checks/AddressArguments.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CallArguments.h"
#include "frontend/Checks/IntrinsicNames.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor, cufort::frontend::dummyOf, cufort::frontend::intrinsicSymbol;

namespace {

/// The name of the derived type of `symbol`, as Flang's own modules have it; empty for other types.
std::string typeName(const semantics::Symbol &symbol) {
  const semantics::DeclTypeSpec *type = symbol.GetUltimate().GetType();
  const semantics::DerivedTypeSpec *derived = type ? type->AsDerived() : nullptr;
  return derived ? derived->typeSymbol().GetUltimate().name().ToString() : "";
}

/// True if anything may be passed for `dummy`, which is the value of an address.
bool takesAnyAddress(const semantics::Symbol &dummy) {
  const auto *object = dummy.detailsIf<semantics::ObjectEntityDetails>();
  std::string type = typeName(dummy);
  return object && !object->ignoreTKR().empty() && dummy.attrs().test(semantics::Attr::VALUE) &&
         (type == "__builtin_c_ptr" || type == "__builtin_c_funptr");
}

/// The name of the variable or procedure that `expression` is, or of the array or component of which it is a part; null
/// if it is something else. The parser takes elements of arrays for references to functions.
const parser::Name *nameOf(const parser::Expr &expression) {
  if (const auto *reference = std::get_if<common::Indirection<parser::FunctionReference>>(&expression.u)) {
    const auto &callee = std::get<parser::ProcedureDesignator>(reference->value().v.t);
    const auto *name = std::get_if<parser::Name>(&callee.u);
    return name && name->symbol && !semantics::IsProcedure(name->symbol->GetUltimate()) ? name : nullptr;
  }
  const auto *designator = std::get_if<common::Indirection<parser::Designator>>(&expression.u);
  const auto *data = designator ? std::get_if<parser::DataRef>(&designator->value().u) : nullptr;
  return data ? &parser::GetLastName(*data) : nullptr;
}

struct ArgumentFinder : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ArgumentFinder(semantics::SemanticsContext &context) : context(context) {}

  void Post(parser::Call &call) {
    const auto *callee = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(call.t).u);
    const auto *procedure =
        callee && callee->symbol ? callee->symbol->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
    if (!procedure)
      return;
    size_t position = 0;
    for (parser::ActualArgSpec &argument : std::get<std::list<parser::ActualArgSpec>>(call.t)) {
      const semantics::Symbol *dummy = dummyOf(*procedure, argument, position++);
      if (dummy && takesAnyAddress(*dummy))
        takeAddress(std::get<parser::ActualArg>(argument.t));
    }
  }

private:
  /// Nothing happens to what is no variable or procedure, or an address itself.
  void takeAddress(parser::ActualArg &actual) {
    auto *expression = std::get_if<common::Indirection<parser::Expr>>(&actual.u);
    const parser::Name *name = expression ? nameOf(expression->value()) : nullptr;
    if (!name || !name->symbol || !typeName(*name->symbol).empty())
      return;
    bool isProcedure = semantics::IsProcedure(name->symbol->GetUltimate());
    semantics::Symbol *locate = isProcedure ? funlocSymbol() : &intrinsicSymbol(context, "__builtin_c_loc");
    if (!locate)
      return;
    parser::CharBlock source = expression->value().source;
    parser::Name function{source, locate};
    std::list<parser::ActualArgSpec> arguments;
    arguments.emplace_back(std::make_tuple(std::optional<parser::Keyword>(), std::move(actual)));
    parser::FunctionReference reference(
        parser::Call(parser::ProcedureDesignator(std::move(function)), std::move(arguments)));
    reference.source = source;
    parser::Expr address{common::Indirection<parser::FunctionReference>(std::move(reference))};
    address.source = source;
    actual = parser::ActualArg(common::Indirection<parser::Expr>(std::move(address)));
  }

  /// C_FUNLOC is a function of Flang's own module; null if that has not been read.
  semantics::Symbol *funlocSymbol() {
    constexpr llvm::StringLiteral name = "__builtin_c_funloc";
    semantics::Scope *module = context.GetBuiltinModule("__fortran_builtins");
    if (!module)
      return nullptr;
    auto found = module->find(parser::CharBlock(name.data(), name.size()));
    return found == module->end() ? nullptr : &*found->second;
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::takeAddresses(semantics::SemanticsContext &context, parser::Program &program) {
  ArgumentFinder finder(context);
  parser::Walk(program, finder);
}
