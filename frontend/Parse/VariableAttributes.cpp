#include "frontend/Parse/VariableAttributes.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::StatementVisitor;

namespace {

std::string nameOf(common::CUDADataAttr attribute) { return llvm::StringRef(common::EnumToString(attribute)).upper(); }

class AttributeChecker : public StatementVisitor {
public:
  explicit AttributeChecker(parser::Messages &messages) : messages(messages) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::TypeDeclarationStmt &declaration) {
    std::set<common::CUDADataAttr> seen;
    for (const parser::AttrSpec &spec : std::get<std::list<parser::AttrSpec>>(declaration.t))
      if (const auto *attribute = std::get_if<common::CUDADataAttr>(&spec.u);
          attribute && !seen.insert(*attribute).second)
        messages.Say(source, "This declaration has the attribute %s twice"_warn_en_US, nameOf(*attribute));
  }

  void Post(const parser::CUDAAttributesStmt &statement) {
    if (std::get<std::list<parser::Name>>(statement.t).empty())
      messages.Say(source, "ATTRIBUTES(%s) needs the names of the variables that have it"_err_en_US,
                   nameOf(std::get<common::CUDADataAttr>(statement.t)));
  }

  void Post(const parser::FunctionStmt &statement) {
    checkPrefixes(std::get<std::list<parser::PrefixSpec>>(statement.t));
  }
  void Post(const parser::SubroutineStmt &statement) {
    checkPrefixes(std::get<std::list<parser::PrefixSpec>>(statement.t));
  }

private:
  void checkPrefixes(const std::list<parser::PrefixSpec> &prefixes) {
    bool isEmpty = llvm::any_of(prefixes, [](const parser::PrefixSpec &prefix) {
      const auto *attributes = std::get_if<parser::PrefixSpec::Attributes>(&prefix.u);
      return attributes && attributes->v.empty();
    });
    if (isEmpty)
      messages.Say(source, "ATTRIBUTES() of a procedure is empty: write host, device, global or grid_global"_err_en_US);
  }

  parser::Messages &messages;
};

} // namespace

void cufort::frontend::checkAttributes(const parser::Program &program, parser::Messages &messages) {
  AttributeChecker checker(messages);
  parser::Walk(program, checker);
}
