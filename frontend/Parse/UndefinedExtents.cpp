#include "frontend/Parse/UndefinedExtents.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include <set>
#include <vector>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

using Names = std::set<parser::CharBlock>;

/// The declarations of a procedure, without those of its types and interfaces.
struct Declarations : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  bool Pre(parser::DerivedTypeDef &) { return false; }
  bool Pre(parser::InterfaceBlock &) { return false; }
  bool Pre(parser::TypeDeclarationStmt &statement) {
    statements.push_back(&statement);
    return false;
  }
  // Their variables may have values when the procedure begins.
  void Post(const parser::CommonBlockObject &object) { defined.insert(std::get<parser::Name>(object.t).source); }
  bool Pre(const parser::EquivalenceStmt &) {
    mayShareMemory = true;
    return false;
  }

  std::vector<parser::TypeDeclarationStmt *> statements;
  Names defined;
  bool mayShareMemory = false;
};

parser::CharBlock nameOf(const parser::EntityDecl &entity) { return std::get<parser::ObjectName>(entity.t).source; }

/// The variables of which nothing but a type is declared.
Names plainVariables(const Declarations &declarations) {
  Names names;
  for (const parser::TypeDeclarationStmt *statement : declarations.statements) {
    if (!std::get<std::list<parser::AttrSpec>>(statement->t).empty())
      continue;
    for (const parser::EntityDecl &entity : std::get<std::list<parser::EntityDecl>>(statement->t))
      if (!std::get<std::optional<parser::ArraySpec>>(entity.t) &&
          !std::get<std::optional<parser::Initialization>>(entity.t) && !declarations.defined.count(nameOf(entity)))
        names.insert(nameOf(entity));
  }
  return names;
}

class ExtentReplacer : public TreeVisitor {
public:
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ExtentReplacer(parser::Messages &messages) : messages(messages) {}

  void Post(parser::SubroutineSubprogram &procedure) {
    const auto &statement = std::get<parser::Statement<parser::SubroutineStmt>>(procedure.t).statement;
    addDummies(std::get<std::list<parser::DummyArg>>(statement.t));
    replaceIn(std::get<parser::SpecificationPart>(procedure.t));
    dummies.clear();
  }
  void Post(parser::FunctionSubprogram &procedure) {
    const auto &statement = std::get<parser::Statement<parser::FunctionStmt>>(procedure.t).statement;
    for (const parser::Name &name : std::get<std::list<parser::Name>>(statement.t))
      dummies.insert(name.source);
    replaceIn(std::get<parser::SpecificationPart>(procedure.t));
    dummies.clear();
  }
  // Of the procedure in which it stands, which is left later.
  void Post(const parser::EntryStmt &statement) { addDummies(std::get<std::list<parser::DummyArg>>(statement.t)); }

private:
  void addDummies(const std::list<parser::DummyArg> &arguments) {
    for (const parser::DummyArg &argument : arguments)
      if (const auto *name = std::get_if<parser::Name>(&argument.u))
        dummies.insert(name->source);
  }

  void replaceIn(parser::SpecificationPart &part) {
    Declarations declarations;
    parser::Walk(part, declarations);
    if (declarations.mayShareMemory)
      return;
    locals = plainVariables(declarations);
    for (const parser::CharBlock &dummy : dummies)
      locals.erase(dummy);
    if (!locals.empty())
      for (parser::TypeDeclarationStmt *statement : declarations.statements)
        replaceIn(*statement);
  }

  void replaceIn(parser::TypeDeclarationStmt &statement) {
    auto &entities = std::get<std::list<parser::EntityDecl>>(statement.t);
    bool areDummies = true;
    for (parser::EntityDecl &entity : entities) {
      bool isDummy = dummies.count(nameOf(entity));
      areDummies &= isDummy;
      if (auto &shape = std::get<std::optional<parser::ArraySpec>>(entity.t); shape && isDummy)
        replaceIn(*shape, nameOf(entity));
    }
    for (parser::AttrSpec &attribute : std::get<std::list<parser::AttrSpec>>(statement.t))
      if (auto *shape = std::get_if<parser::ArraySpec>(&attribute.u); shape && areDummies)
        replaceIn(*shape, nameOf(entities.front()));
  }

  void replaceIn(parser::ArraySpec &shape, parser::CharBlock array) {
    auto *extents = std::get_if<std::list<parser::ExplicitShapeSpec>>(&shape.u);
    if (!extents || extents->empty())
      return;
    auto &[lower, upper] = extents->back().t;
    const auto *name = parser::Unwrap<parser::Name>(upper);
    if (!name || !locals.count(name->source))
      return;
    messages.Say(
        name->source,
        "The extent '%s' of the dummy argument '%s' is a local variable, which has no value here; taken for '*'"_warn_en_US,
        name->source, array);
    parser::AssumedImpliedSpec last{std::move(lower)};
    std::list<parser::ExplicitShapeSpec> others = std::move(*extents);
    others.pop_back();
    shape.u = parser::AssumedSizeSpec{std::move(others), std::move(last)};
  }

  parser::Messages &messages;
  Names dummies; ///< of the procedure that is being visited
  Names locals;  ///< its variables that are nothing else
};

} // namespace

void cufort::frontend::assumeUndefinedExtents(parser::Program &program, parser::Messages &messages) {
  ExtentReplacer replacer(messages);
  parser::Walk(program, replacer);
}
