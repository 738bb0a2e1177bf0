// The procedure gets the first statement and the declarations of its interface, under the place of its own first
// statement: a scope is where its statements are. Only generic interfaces keep the procedure, by its name.

#include "frontend/Parse/JoinedProcedures.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;

namespace {

using Separate = parser::SeparateModuleSubprogram;
using Function = parser::InterfaceBody::Function;
using Subroutine = parser::InterfaceBody::Subroutine;
using Prefixes = std::list<parser::PrefixSpec>;

/// Lets all statements be at `source`.
struct StatementMover : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit StatementMover(parser::CharBlock source) : source(source) {}

  template <typename T>
  bool Pre(parser::Statement<T> &statement) {
    statement.source = source;
    return true;
  }

  parser::CharBlock source;
};

template <typename Body>
const parser::Name &nameOf(const Body &body) {
  return std::get<parser::Name>(std::get<0>(body.t).statement.t);
}

const parser::Name &nameOf(const parser::InterfaceBody &body) {
  return common::visit([](const auto &procedure) -> const parser::Name & { return nameOf(procedure); }, body.u);
}

const parser::Name &nameOf(const Separate &procedure) {
  return std::get<parser::Statement<parser::MpSubprogramStmt>>(procedure.t).statement.v;
}

bool isImplicit(const parser::ImplicitPartStmt &statement) {
  return std::holds_alternative<parser::Statement<common::Indirection<parser::ImplicitStmt>>>(statement.u);
}

/// Appends what `body` declares to `declarations`, of its interface.
void append(parser::SpecificationPart &declarations, parser::SpecificationPart &body) {
  auto &implicit = std::get<parser::ImplicitPart>(declarations.t).v;
  auto &bodyImplicit = std::get<parser::ImplicitPart>(body.t).v;
  if (std::any_of(implicit.begin(), implicit.end(), isImplicit))
    bodyImplicit.remove_if(isImplicit);
  implicit.splice(implicit.end(), bodyImplicit);
  std::get<0>(declarations.t).splice(std::get<0>(declarations.t).end(), std::get<0>(body.t));
  std::get<1>(declarations.t).splice(std::get<1>(declarations.t).end(), std::get<1>(body.t));
  std::get<2>(declarations.t).splice(std::get<2>(declarations.t).end(), std::get<2>(body.t));
  std::get<3>(declarations.t).splice(std::get<3>(declarations.t).end(), std::get<3>(body.t));
  // A procedure of the module knows its names without IMPORT.
  std::get<4>(declarations.t).clear();
  std::get<6>(declarations.t).splice(std::get<6>(declarations.t).end(), std::get<6>(body.t));
}

/// The procedure of type `Whole` whose interface is `body` and whose rest is `separate`.
template <typename Whole, typename End, typename Body>
parser::ModuleSubprogram join(Body &body, Separate &separate) {
  auto &[first, interface, end] = body.t;
  auto &[procedureStmt, declarations, execution, internals, procedureEnd] = separate.t;
  StatementMover mover(procedureStmt.source);
  parser::Walk(first, mover);
  parser::Walk(interface, mover);
  std::get<Prefixes>(first.statement.t).remove_if([](const parser::PrefixSpec &prefix) {
    return std::holds_alternative<parser::PrefixSpec::Module>(prefix.u);
  });
  append(interface.value(), declarations);
  parser::Statement<End> newEnd(std::move(procedureEnd.label), End(std::move(procedureEnd.statement.v)));
  newEnd.source = procedureEnd.source;
  return parser::ModuleSubprogram(common::Indirection<Whole>(Whole(std::make_tuple(
      std::move(first), std::move(interface.value()), std::move(execution), std::move(internals), std::move(newEnd)))));
}

parser::ModuleSubprogram join(parser::InterfaceBody &interface, Separate &separate) {
  if (auto *function = std::get_if<Function>(&interface.u))
    return join<parser::FunctionSubprogram, parser::EndFunctionStmt>(*function, separate);
  return join<parser::SubroutineSubprogram, parser::EndSubroutineStmt>(std::get<Subroutine>(interface.u), separate);
}

/// `module procedure name` in an interface block.
parser::InterfaceSpecification mention(const parser::Name &name) {
  parser::Statement<parser::ProcedureStmt> statement(
      std::nullopt,
      parser::ProcedureStmt(std::make_tuple(parser::ProcedureStmt::Kind::ModuleProcedure, std::list{name})));
  statement.source = name.source;
  return parser::InterfaceSpecification(std::move(statement));
}

bool isGeneric(const parser::InterfaceBlock &block) {
  const auto &first = std::get<parser::Statement<parser::InterfaceStmt>>(block.t).statement;
  const auto *generic = std::get_if<std::optional<parser::GenericSpec>>(&first.u);
  return generic && generic->has_value();
}

struct ProcedureJoiner : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::Module &module) { joinIn(module); }
  void Post(parser::Submodule &submodule) { joinIn(submodule); }

private:
  template <typename Unit>
  void joinIn(Unit &unit) {
    auto &procedures = std::get<std::optional<parser::ModuleSubprogramPart>>(unit.t);
    if (!procedures)
      return;
    for (parser::ModuleSubprogram &procedure : std::get<std::list<parser::ModuleSubprogram>>(procedures->t))
      if (auto *separate = std::get_if<common::Indirection<Separate>>(&procedure.u))
        if (auto joined = joinIn(std::get<parser::SpecificationPart>(unit.t), separate->value()))
          procedure = std::move(*joined);
  }

  std::optional<parser::ModuleSubprogram> joinIn(parser::SpecificationPart &declarations, Separate &separate) {
    for (auto &declaration : std::get<std::list<parser::DeclarationConstruct>>(declarations.t)) {
      auto *construct = std::get_if<parser::SpecificationConstruct>(&declaration.u);
      auto *block = construct ? std::get_if<common::Indirection<parser::InterfaceBlock>>(&construct->u) : nullptr;
      if (auto joined = block ? joinIn(block->value(), separate) : std::nullopt)
        return joined;
    }
    return std::nullopt;
  }

  std::optional<parser::ModuleSubprogram> joinIn(parser::InterfaceBlock &block, Separate &separate) {
    auto &interfaces = std::get<std::list<parser::InterfaceSpecification>>(block.t);
    for (auto at = interfaces.begin(); at != interfaces.end(); ++at) {
      auto *interface = std::get_if<parser::InterfaceBody>(&at->u);
      if (!interface || nameOf(*interface).source != nameOf(separate).source)
        continue;
      parser::Name name = nameOf(*interface);
      parser::ModuleSubprogram joined = join(*interface, separate);
      if (isGeneric(block))
        *at = mention(name);
      else
        interfaces.erase(at);
      return joined;
    }
    return std::nullopt;
  }
};

} // namespace

void cufort::frontend::joinSeparateProcedures(parser::Program &program) {
  ProcedureJoiner joiner;
  parser::Walk(program, joiner);
}
