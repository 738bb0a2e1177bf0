#include "frontend/Parse/UndeclaredAttributes.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include <map>
#include <vector>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

class AttributeDropper : public TreeVisitor {
public:
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit AttributeDropper(parser::Messages &messages) : messages(messages) {}

  bool Pre(parser::MainProgram &) { return enter(); }
  void Post(parser::MainProgram &) { leave(); }
  bool Pre(parser::FunctionSubprogram &) { return enter(); }
  void Post(parser::FunctionSubprogram &) { leave(); }
  bool Pre(parser::SubroutineSubprogram &) { return enter(); }
  void Post(parser::SubroutineSubprogram &) { leave(); }
  bool Pre(parser::SeparateModuleSubprogram &) { return enter(); }
  void Post(parser::SeparateModuleSubprogram &) { leave(); }

  bool Pre(parser::CUDAAttributesStmt &statement) {
    // Of modules others may use what looks superfluous.
    if (!procedures.empty())
      procedures.back().statements.push_back(&statement);
    return true;
  }
  void Post(const parser::Name &name) {
    for (Procedure &procedure : procedures)
      ++procedure.mentions[name.source];
  }

private:
  /// A procedure, or the main program, with the procedures in it.
  struct Procedure {
    std::map<parser::CharBlock, int> mentions; ///< of names
    std::vector<parser::CUDAAttributesStmt *> statements;
  };

  bool enter() {
    procedures.emplace_back();
    return true;
  }

  void leave() {
    Procedure procedure = std::move(procedures.back());
    procedures.pop_back();
    for (parser::CUDAAttributesStmt *statement : procedure.statements)
      for (const parser::Name &name : std::get<std::list<parser::Name>>(statement->t))
        --procedure.mentions[name.source];
    for (parser::CUDAAttributesStmt *statement : procedure.statements)
      std::get<std::list<parser::Name>>(statement->t).remove_if([&](const parser::Name &name) {
        if (procedure.mentions[name.source] > 0)
          return false;
        messages.Say(name.source, "'%s' is not declared here; its attribute has no effect"_warn_en_US, name.source);
        return true;
      });
  }

  parser::Messages &messages;
  std::vector<Procedure> procedures; ///< from the outermost to that which is being visited
};

} // namespace

void cufort::frontend::dropUndeclaredAttributes(parser::Program &program, parser::Messages &messages) {
  AttributeDropper dropper(messages);
  parser::Walk(program, dropper);
}
