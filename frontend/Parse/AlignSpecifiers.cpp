// The prescanned text has a line per statement, in small letters outside of character literals. `align = n` becomes
// `mold= + n`, which takes any expression; where its keyword stood is kept, so that it is told from the user's MOLD=.

#include "frontend/Parse/AlignSpecifiers.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"
#include "frontend/Parse/StatementText.h"
#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <set>

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::endOfItem, cufort::frontend::openingOfStatement;
using cufort::frontend::TreeVisitor, cufort::frontend::makeCall, cufort::frontend::actionOf;
using llvm::StringRef;

namespace {

constexpr StringRef alignWord = "align", moldWord = "mold=";

/// Subroutines of the runtime, as a program without an interface calls them.
const char beginAlign[] = "cufort_begin_align", endAlign[] = "cufort_end_align";

/// The keywords of the source of the moment that have been replaced.
std::set<const char *> replacedKeywords;

bool isAlign(StringRef item) {
  item = item.ltrim();
  if (!item.consume_front(alignWord))
    return false;
  item = item.ltrim();
  return item.starts_with("=") && !item.starts_with("==");
}

/// True if `expression` is what a replaced keyword stands before.
bool isAlign(const parser::AllocOpt &option) {
  const auto *mold = std::get_if<parser::AllocOpt::Mold>(&option.u);
  if (!mold)
    return false;
  const char *value = mold->v.value().source.begin();
  auto keyword = replacedKeywords.upper_bound(value);
  if (keyword == replacedKeywords.begin())
    return false;
  StringRef between(*--keyword, value - *keyword);
  return between.consume_front(moldWord) && between.trim(" +").empty();
}

/// Takes the values out of the statements that it meets.
struct AlignTaker : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(parser::AllocateStmt &statement) {
    auto &options = std::get<std::list<parser::AllocOpt>>(statement.t);
    for (auto option = options.begin(); option != options.end();) {
      if (isAlign(*option)) {
        values.push_back(std::move(std::get<parser::AllocOpt::Mold>(option->u).v.value()));
        option = options.erase(option);
      } else {
        ++option;
      }
    }
  }
  std::vector<parser::Expr> values;
};

bool isOnDevice(const std::list<parser::PrefixSpec> &prefixes) {
  for (const parser::PrefixSpec &prefix : prefixes)
    if (const auto *attributes = std::get_if<parser::PrefixSpec::Attributes>(&prefix.u))
      for (common::CUDASubprogramAttrs attribute : attributes->v)
        if (attribute != common::CUDASubprogramAttrs::Host)
          return true;
  return false;
}

/// Inner blocks come first, so that what is left in a construct belongs to its own statements.
struct CallInserter : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  explicit CallInserter(parser::Messages &messages) : messages(messages) {}

  bool Pre(parser::SubroutineSubprogram &procedure) {
    const auto &start = std::get<parser::Statement<parser::SubroutineStmt>>(procedure.t).statement;
    return enter(procedure, std::get<std::list<parser::PrefixSpec>>(start.t));
  }
  bool Pre(parser::FunctionSubprogram &procedure) {
    const auto &start = std::get<parser::Statement<parser::FunctionStmt>>(procedure.t).statement;
    return enter(procedure, std::get<std::list<parser::PrefixSpec>>(start.t));
  }

  void Post(parser::Block &block) {
    for (auto position = block.begin(); position != block.end(); ++position) {
      auto *action = actionOf(*position);
      AlignTaker taker;
      if (action)
        parser::Walk(*action, taker);
      for (parser::Expr &value : taker.values) {
        auto begin = block.insert(position, makeCall(beginAlign, std::move(value), action->source));
        // Who branches to the statement comes here, too.
        actionOf(*begin)->label = std::exchange(action->label, std::nullopt);
        position = block.insert(std::next(position), makeCall(endAlign, std::nullopt, action->source));
      }
    }
  }

private:
  template <typename Procedure>
  bool enter(Procedure &procedure, const std::list<parser::PrefixSpec> &prefixes) {
    if (!isOnDevice(prefixes))
      return true;
    AlignTaker taker;
    parser::Walk(procedure, taker);
    for (const parser::Expr &value : taker.values)
      messages.Say(value.source, "ALIGN= has no effect in device code"_warn_en_US);
    return false;
  }

  parser::Messages &messages;
};

} // namespace

void cufort::frontend::hideAlignSpecifiers(const parser::CookedSource &source) {
  replacedKeywords.clear();
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    size_t position = openingOfStatement(line, "allocate");
    if (position == StringRef::npos)
      continue;
    for (;;) {
      size_t end = endOfItem(line, position + 1);
      if (isAlign(line.slice(position + 1, end)) && line[position] == ',') {
        const char *keyword = line.data() + line.find(alignWord, position);
        // The source is ours; only its interface is constant.
        std::memcpy(const_cast<char *>(keyword), moldWord.data(), moldWord.size());
        const_cast<char *>(keyword)[line.substr(keyword - line.data()).find('=', moldWord.size())] = '+';
        replacedKeywords.insert(keyword);
      }
      if (end >= line.size() || line[end] == ')')
        break;
      position = end;
    }
  }
}

void cufort::frontend::applyAlignSpecifiers(parser::Program &program, parser::Messages &messages) {
  if (replacedKeywords.empty())
    return;
  CallInserter inserter(messages);
  parser::Walk(program, inserter);
}

const parser::Expr *cufort::frontend::alignmentIn(const parser::CallStmt &statement) {
  const auto *name = std::get_if<parser::Name>(&std::get<parser::ProcedureDesignator>(statement.call.t).u);
  if (!name || name->source.ToString() != beginAlign)
    return nullptr;
  const auto &argument =
      std::get<parser::ActualArg>(std::get<std::list<parser::ActualArgSpec>>(statement.call.t).front().t);
  const auto *value = std::get_if<common::Indirection<parser::Expr>>(&argument.u);
  return value ? &value->value() : nullptr;
}
