// Flang knows one keyword, `stream=`. `device=` has as many characters, and so has an operator `.device.` in the place
// of
// `,device=`: that joins stream and device to one expression, which the parse tree can take apart again.

#include "frontend/Parse/KernelLoopDevices.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/provenance.h"
#include "flang/Parser/tools.h"
#include "frontend/Checks/TreeVisitor.h"
#include "frontend/Parse/CallStatements.h"
#include "frontend/Parse/StatementText.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <set>

using namespace Fortran;
using cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

constexpr StringRef deviceWord = "device", streamWord = "stream";

/// Subroutines of the runtime.
const char useDevice[] = "cufort_use_device", useFormerDevice[] = "cufort_use_former_device";

/// The places of `stream=` that were `device=`.
std::set<const char *> replacedKeywords;

/// The source is ours; only its interface is constant.
void overwrite(StringRef place, StringRef text) {
  char *begin = const_cast<char *>(place.data());
  std::fill_n(begin, place.size(), ' ');
  std::copy(text.begin(), text.end(), begin + place.size() - text.size());
}

/// The keyword `word` of `item` with its `=`, from the start of the item; empty if it has another or none.
StringRef keywordOf(StringRef item, StringRef word) {
  StringRef rest = item.ltrim(' ');
  if (!rest.consume_front(word))
    return {};
  rest = rest.ltrim(' ');
  if (!rest.consume_front("=") || rest.starts_with("="))
    return {};
  return item.drop_back(rest.size());
}

void rewriteItems(llvm::ArrayRef<StringRef> items) {
  bool isFirst = true;
  for (size_t i = 0; i < items.size(); ++i) {
    StringRef device = keywordOf(items[i], deviceWord), stream = keywordOf(items[i], streamWord);
    bool isKeyword = !device.empty() || !stream.empty();
    bool followsZero = i == 1 && items[0].trim(' ') == "0";
    // With the commas around it. The parser takes one blank behind a comma, and any number before it.
    if (isKeyword && followsZero) {
      overwrite(StringRef(items[0].data() - 1, items[0].size() + 2), ",");
      isFirst = true;
    }
    if (isKeyword && !isFirst) {
      StringRef keyword = device.empty() ? stream : device;
      overwrite(StringRef(keyword.data() - 1, keyword.size() + 1), device.empty() ? ".stream." : ".device.");
    } else if (!device.empty()) {
      size_t word = device.find(deviceWord);
      overwrite(device.substr(word, deviceWord.size()), streamWord);
      replacedKeywords.insert(device.data() + word);
    }
    isFirst = false;
  }
}

/// What chevrons say of stream and device.
struct Choice {
  std::optional<parser::Expr> stream, device;
};

bool isOperator(const parser::Expr::DefinedBinary &expression, const char *name) {
  return std::get<parser::DefinedOpName>(expression.t).v.ToString() == name;
}

/// `keyword` is where the text of the directive has `stream=`, or null.
Choice takeApart(parser::Expr &&expression, bool startsWithDevice) {
  Choice choice;
  if (auto *both = std::get_if<parser::Expr::DefinedBinary>(&expression.u)) {
    auto &left = std::get<1>(both->t).value();
    auto &right = std::get<2>(both->t).value();
    if (isOperator(*both, ".device.")) {
      choice.stream = std::move(left);
      choice.device = std::move(right);
      return choice;
    }
    if (isOperator(*both, ".stream.")) {
      choice.stream = std::move(right);
      choice.device = std::move(left);
      return choice;
    }
  }
  (startsWithDevice ? choice.device : choice.stream) = std::move(expression);
  return choice;
}

struct DeviceSelector : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(parser::Block &block) {
    for (auto part = block.begin(); part != block.end(); ++part)
      if (auto *kernel = parser::Unwrap<parser::CUFKernelDoConstruct>(*part))
        select(block, part, *kernel);
  }

private:
  static void select(parser::Block &block, parser::Block::iterator part, parser::CUFKernelDoConstruct &kernel) {
    auto &directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t);
    auto &chevrons = std::get<1>(directive.t);
    auto *stream = chevrons ? &std::get<2>(chevrons->t) : nullptr;
    if (!stream || !*stream)
      return;
    const char *end = (*stream)->thing.thing.value().source.begin();
    auto keyword = replacedKeywords.lower_bound(directive.source.begin());
    bool startsWithDevice = keyword != replacedKeywords.end() && *keyword < end;
    Choice choice = takeApart(std::move((*stream)->thing.thing.value()), startsWithDevice);
    stream->reset();
    if (choice.stream)
      stream->emplace(parser::Integer<common::Indirection<parser::Expr>>(
          common::Indirection<parser::Expr>(std::move(*choice.stream))));
    if (!choice.device)
      return;
    block.insert(part, cufort::frontend::makeCall(useDevice, std::move(choice.device), directive.source));
    // The parser may leave the loop beside its directive.
    auto behind = std::next(part);
    if (!std::get<std::optional<parser::DoConstruct>>(kernel.t) && behind != block.end())
      ++behind;
    block.insert(behind, cufort::frontend::makeCall(useFormerDevice, std::nullopt, directive.source));
  }
};

} // namespace

void cufort::frontend::hideKernelLoopDevices(const parser::CookedSource &source) {
  replacedKeywords.clear();
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    llvm::SmallVector<StringRef> items = cufort::frontend::itemsOfKernelLoops(line);
    if (items.size() > 2)
      rewriteItems(llvm::ArrayRef(items).drop_front(2));
  }
}

void cufort::frontend::selectKernelLoopDevices(parser::Program &program) {
  DeviceSelector selector;
  parser::Walk(program, selector);
}
