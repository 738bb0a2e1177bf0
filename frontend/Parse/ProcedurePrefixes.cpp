#include "frontend/Parse/ProcedurePrefixes.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::TreeVisitor;

namespace {

/// Moves the attributes of all prefixes in `prefixes` to the first one that has any, each of them once.
void join(std::list<parser::PrefixSpec> &prefixes) {
  std::list<common::CUDASubprogramAttrs> *first = nullptr;
  for (auto prefix = prefixes.begin(); prefix != prefixes.end();) {
    auto *attributes = std::get_if<parser::PrefixSpec::Attributes>(&prefix->u);
    if (!attributes || !first) {
      if (attributes)
        first = &attributes->v;
      ++prefix;
      continue;
    }
    for (common::CUDASubprogramAttrs attribute : attributes->v)
      if (llvm::find(*first, attribute) == first->end())
        first->push_back(attribute);
    prefix = prefixes.erase(prefix);
  }
}

struct PrefixJoiner : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::FunctionStmt &statement) { join(std::get<std::list<parser::PrefixSpec>>(statement.t)); }
  void Post(parser::SubroutineStmt &statement) { join(std::get<std::list<parser::PrefixSpec>>(statement.t)); }
};

bool isKernel(const std::list<parser::PrefixSpec> &prefixes) {
  return llvm::any_of(prefixes, [](const parser::PrefixSpec &prefix) {
    auto *attributes = std::get_if<parser::PrefixSpec::Attributes>(&prefix.u);
    return attributes && llvm::any_of(attributes->v, [](common::CUDASubprogramAttrs attribute) {
             return attribute == common::CUDASubprogramAttrs::Global ||
                    attribute == common::CUDASubprogramAttrs::Grid_Global;
           });
  });
}

struct PureDropper : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit PureDropper(parser::Messages &messages) : messages(messages) {}

  void Post(parser::SubroutineStmt &statement) {
    auto &prefixes = std::get<std::list<parser::PrefixSpec>>(statement.t);
    auto isPure = [](const parser::PrefixSpec &prefix) {
      return std::holds_alternative<parser::PrefixSpec::Pure>(prefix.u);
    };
    if (!isKernel(prefixes) || llvm::none_of(prefixes, isPure))
      return;
    prefixes.remove_if(isPure);
    messages.Say(std::get<parser::Name>(statement.t).source, "PURE has no effect on a kernel"_warn_en_US);
  }

  parser::Messages &messages;
};

/// The place of the type in `prefixes`, the text before SUBROUTINE: the first word outside of parentheses that is one.
parser::CharBlock typeIn(parser::CharBlock prefixes) {
  static const llvm::StringSet<> types{"integer", "real", "double", "complex", "character", "logical", "type", "class"};
  llvm::StringRef text(prefixes.begin(), prefixes.size());
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    llvm::StringRef word = text.substr(at).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (depth == 0 && types.contains(word))
      return {prefixes.begin() + at, word.size()};
    depth += (text[at] == '(') - (text[at] == ')');
    at += word.empty() ? 0 : word.size() - 1;
  }
  return prefixes;
}

struct TypeDropper : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit TypeDropper(parser::Messages &messages) : messages(messages) {}

  bool Pre(parser::Statement<parser::SubroutineStmt> &statement) {
    auto &prefixes = std::get<std::list<parser::PrefixSpec>>(statement.statement.t);
    auto isType = [](const parser::PrefixSpec &prefix) {
      return std::holds_alternative<parser::DeclarationTypeSpec>(prefix.u);
    };
    if (llvm::none_of(prefixes, isType))
      return true;
    prefixes.remove_if(isType);
    const char *end = std::get<parser::Name>(statement.statement.t).source.begin();
    messages.Say(typeIn({statement.source.begin(), end}),
                 "A subroutine has no type: leave it out, or write FUNCTION in the place of SUBROUTINE"_err_en_US);
    return true;
  }

  parser::Messages &messages;
};

bool isPure(const std::list<parser::PrefixSpec> &prefixes) {
  auto has = [&](auto kind) {
    return llvm::any_of(
        prefixes, [](const parser::PrefixSpec &prefix) { return std::holds_alternative<decltype(kind)>(prefix.u); });
  };
  return has(parser::PrefixSpec::Pure{}) ||
         (has(parser::PrefixSpec::Elemental{}) && !has(parser::PrefixSpec::Impure{}));
}

struct LocalsReleaser : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::FunctionStmt &statement) { release(std::get<std::list<parser::PrefixSpec>>(statement.t)); }
  void Post(parser::SubroutineStmt &statement) { release(std::get<std::list<parser::PrefixSpec>>(statement.t)); }

private:
  static void release(std::list<parser::PrefixSpec> &prefixes) {
    if (!isPure(prefixes) || isKernel(prefixes))
      return;
    prefixes.remove_if([](const parser::PrefixSpec &prefix) {
      return std::holds_alternative<parser::PrefixSpec::Recursive>(prefix.u) ||
             std::holds_alternative<parser::PrefixSpec::Non_Recursive>(prefix.u);
    });
    prefixes.emplace_back(parser::PrefixSpec::Recursive{});
  }
};

} // namespace

void cufort::frontend::keepNoLocalsOfPureProcedures(parser::Program &program) {
  LocalsReleaser releaser;
  parser::Walk(program, releaser);
}

void cufort::frontend::joinAttributes(parser::Program &program) {
  PrefixJoiner joiner;
  parser::Walk(program, joiner);
}

void cufort::frontend::dropTypesOfSubroutines(parser::Program &program, parser::Messages &messages) {
  TypeDropper dropper(messages);
  parser::Walk(program, dropper);
}

void cufort::frontend::dropPureOfKernels(parser::Program &program, parser::Messages &messages) {
  PureDropper dropper(messages);
  parser::Walk(program, dropper);
}

static void keepNoLocalsIn(semantics::Scope &scope) {
  if (semantics::Symbol *symbol = scope.symbol(); symbol && symbol->has<semantics::SubprogramDetails>())
    if (semantics::FindCUDADeviceContext(&scope))
      symbol->attrs().set(semantics::Attr::RECURSIVE);
  for (semantics::Scope &child : scope.children())
    keepNoLocalsIn(child);
}

void cufort::frontend::keepNoLocalsOfDeviceProcedures(semantics::SemanticsContext &context) {
  keepNoLocalsIn(context.globalScope());
}
