// The value of such a function is the host's, so the program waits for the function in any case, and for what the
// stream had to do before. Waiting first makes no difference but that work of other streams does not overlap with the
// function.

#include "frontend/Parse/ReductionStreams.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor, cufort::frontend::makeCall, cufort::frontend::actionOf;

namespace {

constexpr llvm::StringLiteral functions[] = {"sum", "maxval", "minval", "maxloc", "minloc"};

/// The subroutine of the runtime that waits, as a program without an interface calls it.
const char waitForStream[] = "cufort_wait_for_stream";

bool isStream(const parser::ActualArgSpec &argument) {
  const auto &keyword = std::get<std::optional<parser::Keyword>>(argument.t);
  const auto &value = std::get<parser::ActualArg>(argument.t);
  return keyword && keyword->v.ToString() == "stream" &&
         std::holds_alternative<common::Indirection<parser::Expr>>(value.u);
}

/// Moves the values of `stream=` out of the references that it meets.
struct StreamTaker : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::FunctionReference &reference) {
    auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(reference.v.t).u);
    if (!name || !llvm::is_contained(functions, llvm::StringRef(name->ToString())))
      return;
    auto &arguments = std::get<std::list<parser::ActualArgSpec>>(reference.v.t);
    auto stream = llvm::find_if(arguments, isStream);
    if (stream == arguments.end())
      return;
    auto &value = std::get<parser::ActualArg>(stream->t).u;
    streams.push_back(std::move(std::get<common::Indirection<parser::Expr>>(value).value()));
    arguments.erase(stream);
  }
  std::vector<parser::Expr> streams;
};

/// Inner blocks come first, so that what is left in a construct belongs to its own statements.
struct WaitInserter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit WaitInserter(parser::Messages &messages) : messages(messages) {}
  void Post(parser::Block &block) {
    for (auto position = block.begin(); position != block.end(); ++position) {
      StreamTaker taker;
      parser::Walk(*position, taker);
      auto *action = actionOf(*position);
      for (parser::Expr &stream : taker.streams) {
        if (!action) {
          messages.Say(stream.source,
                       "STREAM= is not possible here; assign the value of the function to a variable first"_err_en_US);
          continue;
        }
        auto wait = block.insert(position, makeCall(waitForStream, std::move(stream), action->source));
        // Who branches to the statement waits, too.
        actionOf(*wait)->label = std::exchange(action->label, std::nullopt);
      }
    }
  }
  parser::Messages &messages;
};

} // namespace

void cufort::frontend::waitBeforeReductions(parser::Program &program, parser::Messages &messages) {
  WaitInserter inserter(messages);
  parser::Walk(program, inserter);
}
