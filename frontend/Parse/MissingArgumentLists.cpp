#include "frontend/Parse/MissingArgumentLists.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// The functions of cudafor without arguments.
constexpr llvm::StringLiteral functions[] = {"cudadevicereset", "cudadevicesynchronize", "cudagetlasterror",
                                             "cudathreadexit",  "cudathreadsynchronize", "cudapeekatlasterror"};

class ArgumentListAdder : public TreeVisitor {
public:
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit ArgumentListAdder(parser::Messages &messages) : messages(messages) {}

  bool Pre(parser::AssignmentStmt &assignment) {
    auto &value = std::get<parser::Expr>(assignment.t);
    const auto *designator = std::get_if<common::Indirection<parser::Designator>>(&value.u);
    const auto *whole = designator ? std::get_if<parser::DataRef>(&designator->value().u) : nullptr;
    const auto *name = whole ? std::get_if<parser::Name>(&whole->u) : nullptr;
    if (!name || !llvm::is_contained(functions, llvm::StringRef(name->ToString())))
      return true;
    if (!hasWarned)
      messages.Say(name->source, "The function '%s' is called, though it has no argument list"_warn_en_US,
                   name->source);
    hasWarned = true;
    parser::Name function = *name;
    parser::FunctionReference call(
        parser::Call(parser::ProcedureDesignator(std::move(function)), std::list<parser::ActualArgSpec>()));
    call.source = name->source;
    value.u = common::Indirection<parser::FunctionReference>(std::move(call));
    return true;
  }

private:
  parser::Messages &messages;
  bool hasWarned = false; ///< once is enough
};

} // namespace

void cufort::frontend::addMissingArgumentLists(parser::Program &program, parser::Messages &messages) {
  ArgumentListAdder adder(messages);
  parser::Walk(program, adder);
}
