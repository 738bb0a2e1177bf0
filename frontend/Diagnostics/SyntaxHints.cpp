#include "frontend/Diagnostics/SyntaxHints.h"
#include "frontend/Checks/NearestName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cufort::frontend;
using llvm::StringRef;

namespace {

constexpr llvm::StringLiteral procedureAttributes[] = {"host", "global", "grid_global", "device"};
constexpr llvm::StringLiteral dataAttributes[] = {"device", "managed", "unified", "constant",
                                                  "shared", "pinned",  "texture"};
constexpr llvm::StringLiteral fortranAttributes[] = {
    "allocatable",     "asynchronous", "bind",    "codimension", "contiguous", "dimension", "external", "intent",
    "intrinsic",       "len",          "kind",    "nopass",      "optional",   "parameter", "pass",     "pointer",
    "private",         "protected",    "public",  "save",        "target",     "value",     "volatile", "deferred",
    "non_overridable", "extends",      "abstract"};
constexpr llvm::StringLiteral types[] = {"integer",   "real",   "complex", "logical",
                                         "character", "double", "type",    "class"};

bool isIn(StringRef word, llvm::ArrayRef<llvm::StringLiteral> words) { return llvm::is_contained(words, word); }

bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The name that begins at `at`, after blanks, and moves `at` to its beginning.
StringRef nameAt(StringRef line, size_t &at) {
  at = std::min(line.find_first_not_of(" \t", at), line.size());
  return line.drop_front(at).take_while(isNamePart);
}

/// What `word` may be a misspelling of, as "; did you mean 'device'?"; empty if no word of `lists` is near.
std::string suggestion(StringRef word, std::initializer_list<llvm::ArrayRef<llvm::StringLiteral>> lists) {
  llvm::SmallVector<StringRef> candidates;
  for (llvm::ArrayRef<llvm::StringLiteral> list : lists)
    candidates.append(list.begin(), list.end());
  StringRef nearest = nearestName(word, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?";
}

/// True if a procedure begins in `line`, which has `attributes(`.
bool beginsProcedure(StringRef line) { return line.contains("subroutine") || line.contains("function"); }

std::optional<SyntaxHint> explainAttributes(StringRef line, size_t, StringRef error) {
  constexpr StringRef keyword = "attributes(";
  size_t at = line.find(keyword);
  if (at == StringRef::npos || !beginsProcedure(line))
    return std::nullopt;
  size_t start = at;
  at += keyword.size();
  while (true) {
    StringRef name = nameAt(line, at);
    if (name.empty())
      return std::nullopt;
    if (!isIn(name, procedureAttributes)) {
      std::string meant = suggestion(name, {procedureAttributes});
      return SyntaxHint{"'" + name.str() + "' is not an attribute of a procedure" +
                            (meant.empty() ? "; there are host, global, grid_global and device" : meant),
                        at};
    }
    at = line.find_first_not_of(" \t", at + name.size());
    if (at == StringRef::npos)
      return std::nullopt;
    if (line[at] == ')')
      break;
    if (line[at] != ',')
      return SyntaxHint{"a closing parenthesis is missing here, behind the attributes of the procedure", at};
    ++at;
  }
  StringRef rest = line.drop_front(at + 1).ltrim();
  StringRef prefix = rest.take_while(isNamePart);
  if (rest.drop_front(prefix.size()).ltrim().starts_with("(") && !isIn(prefix, types) && prefix != "launch_bounds" &&
      prefix != "cluster_dims" && prefix != "subroutine" && prefix != "function")
    return SyntaxHint{"'" + prefix.str() + "' is not a prefix of a procedure; there are LAUNCH_BOUNDS and CLUSTER_DIMS",
                      static_cast<size_t>(rest.data() - line.data())};
  // The parser has taken the line for the statement ATTRIBUTES(…) :: variables.
  if (!error.contains("'UNIFIED'"))
    return std::nullopt;
  if (rest.starts_with("subroutine") || rest.starts_with("function"))
    return SyntaxHint{"a procedure may not stand here: CONTAINS must come first", start};
  return std::nullopt;
}

/// `attribute(global) subroutine`, `global subroutine`.
std::optional<SyntaxHint> explainPrefix(StringRef line, size_t, StringRef) {
  size_t at = 0;
  StringRef name = nameAt(line, at), rest = line.drop_front(at + name.size()).ltrim();
  std::string attribute = isIn(name, procedureAttributes) ? name.str() : "global";
  bool isPrefix = (name == "attribute" && rest.starts_with("(")) || isIn(name, procedureAttributes);
  if (!isPrefix || !beginsProcedure(line))
    return std::nullopt;
  return SyntaxHint{"'" + name.str() + "' is not a prefix of a procedure; write ATTRIBUTES(" +
                        StringRef(attribute).upper() + ")",
                    at};
}

/// What is said at the column `at` of `attribute`, which stands there before the `type` of a declaration.
SyntaxHint typeComesFirst(StringRef type, StringRef attribute, size_t at) {
  return {"the attributes of a variable follow its type: " + type.upper() + ", " + attribute.upper() + " :: NAME", at};
}

/// `attributes(devise) :: x`.
std::optional<SyntaxHint> explainAttributeStatement(StringRef line, size_t, StringRef) {
  size_t at = line.find("attributes(");
  if (at == StringRef::npos || beginsProcedure(line))
    return std::nullopt;
  at += StringRef("attributes(").size();
  StringRef name = nameAt(line, at);
  if (name.empty())
    return std::nullopt;
  if (isIn(name, procedureAttributes) && name != "device")
    return SyntaxHint{"'" + name.str() +
                          "' is not an attribute of a variable; that of a procedure stands before "
                          "SUBROUTINE or FUNCTION",
                      at};
  size_t behind = line.find(')', at) + 1;
  if (StringRef type = nameAt(line, behind); behind > at && isIn(name, dataAttributes) && isIn(type, types))
    return typeComesFirst(type, name, at);
  size_t next = line.find_first_not_of(" \t", at + name.size());
  if (isIn(name, dataAttributes) && next != StringRef::npos && line[next] == ',')
    return SyntaxHint{"the statement ATTRIBUTES takes one attribute: a variable is in one kind of memory", next};
  if (isIn(name, dataAttributes) || name == "value")
    return std::nullopt;
  return SyntaxHint{"'" + name.str() + "' is not an attribute of a variable" + suggestion(name, {dataAttributes}), at};
}

/// `shared real :: s(32)`.
std::optional<SyntaxHint> explainLeadingAttribute(StringRef line, size_t, StringRef) {
  size_t at = 0;
  StringRef name = nameAt(line, at);
  size_t behind = at + name.size();
  StringRef type = nameAt(line, behind);
  if (!isIn(name, dataAttributes) || !isIn(type, types))
    return std::nullopt;
  return typeComesFirst(type, name, at);
}

/// `subroutine k(a) attributes(global)`.
std::optional<SyntaxHint> explainTrailingAttributes(StringRef line, size_t, StringRef) {
  size_t at = line.find("attributes(");
  StringRef before = line.take_front(at).rtrim();
  if (at == StringRef::npos || !beginsProcedure(before) || !before.ends_with(")"))
    return std::nullopt;
  return SyntaxHint{"the attributes of a procedure stand before SUBROUTINE or FUNCTION", at};
}

/// A statement that begins with `cudaDeviceSynchronize()`.
std::optional<SyntaxHint> explainLostResult(StringRef line, size_t, StringRef error) {
  size_t at = 0;
  StringRef name = nameAt(line, at);
  if (!name.starts_with("cuda") || !line.drop_front(at + name.size()).ltrim().starts_with("(") ||
      !error.contains("expected '='"))
    return std::nullopt;
  return SyntaxHint{
      "the routines of module cudafor are functions: assign the result, as in 'istat = " + name.str() + "(...)'", at};
}

std::optional<SyntaxHint> explainEmptyOperands(StringRef line, size_t, StringRef) {
  for (auto [prefix, form] :
       {std::pair<StringRef, StringRef>{"launch_bounds",
                                        "(threads per block [, blocks per multiprocessor [, blocks per cluster]])"},
        {"cluster_dims", "(x, y, z)"}}) {
    size_t at = line.find(prefix);
    if (at == StringRef::npos || !beginsProcedure(line))
      continue;
    StringRef rest = line.drop_front(at + prefix.size()).ltrim();
    if (!rest.consume_front("(") || rest.ltrim().starts_with(")"))
      return SyntaxHint{"operands are missing: " + (prefix + form).str(), at};
  }
  return std::nullopt;
}

std::optional<SyntaxHint> explainDeclaration(StringRef line, size_t, StringRef) {
  size_t colons = line.find("::");
  size_t at = 0;
  if (colons == StringRef::npos || !isIn(nameAt(line, at), types))
    return std::nullopt;
  int depth = 0;
  for (; at < colons; ++at) {
    depth += line[at] == '(' ? 1 : line[at] == ')' ? -1 : 0;
    if (line[at] != ',' || depth)
      continue;
    ++at;
    StringRef name = nameAt(line, at);
    if (!name.empty() && !isIn(name, dataAttributes) && !isIn(name, fortranAttributes)) {
      StringRef meant = name.trim('_');
      std::string advice = isIn(meant, dataAttributes) ? "; write " + meant.upper()
                                                       : suggestion(name, {dataAttributes, fortranAttributes});
      return SyntaxHint{"'" + name.str() + "' is not an attribute of a variable" + advice, at};
    }
    --at;
  }
  return std::nullopt;
}

/// The items of a list, up to the closing parenthesis or the end.
llvm::SmallVector<StringRef> itemsOf(StringRef list) {
  llvm::SmallVector<StringRef> items;
  int depth = 0;
  size_t start = 0;
  for (size_t at = 0; at < list.size(); ++at) {
    depth += list[at] == '(' ? 1 : list[at] == ')' ? -1 : 0;
    if (list[at] == ',' && depth == 0) {
      items.push_back(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  items.push_back(list.drop_front(start).trim());
  return items;
}

/// What is wrong with the number of `items` in the chevrons of a kernel call in `line`, or with the block.
std::optional<SyntaxHint> explainItems(StringRef line, llvm::ArrayRef<StringRef> items, size_t open) {
  constexpr size_t most = 4;
  std::string start = "the chevrons of a kernel call take <<<grid, block [, bytes [, stream]]>>>: ";
  auto at = [&](StringRef item) { return static_cast<size_t>(item.data() - line.data()); };
  if (items.size() == 1 && !items[0].empty())
    return SyntaxHint{start + "the block is missing", open};
  if (items.size() > most)
    return SyntaxHint{start + "nothing follows the stream", at(items[most])};
  if (items.size() > 1 && items[1] == "*")
    return SyntaxHint{start + "the block has a size, and * is for the grid only", at(items[1])};
  return std::nullopt;
}

std::optional<SyntaxHint> explainLaunch(StringRef line, size_t column, StringRef) {
  size_t open = line.find("<<<");
  constexpr llvm::StringLiteral form =
      "a kernel is called by CALL NAME<<<grid, block [, bytes [, stream]]>>>(arguments)";
  if (open == StringRef::npos && line.contains("call ") && line.contains("<<"))
    return SyntaxHint{form.str(), line.find("<<")};
  StringRef before = line.take_front(open).rtrim();
  if (open != StringRef::npos && line.contains("call ") && before.ends_with(")"))
    return SyntaxHint{"the chevrons stand before the arguments: CALL NAME<<<grid, block>>>(arguments)", open};
  // A mistake behind the chevrons has a message at its own place.
  if (open == StringRef::npos || line.contains("!$cuf") || column > open)
    return std::nullopt;
  size_t close = line.find(">>>", open);
  auto items = itemsOf(line.slice(open + 3, close));
  size_t at = 0;
  for (StringRef item : items) {
    if (item.empty() && items.size() > 1 && close != StringRef::npos)
      return SyntaxHint{
          "an item of the chevrons is missing: they are <<<grid, block, bytes, stream>>>, with 0 for no bytes",
          static_cast<size_t>(item.data() - line.data())};
    // As in the launch of a CUF kernel.
    StringRef keyword = nameAt(item, at = 0), value = item.drop_front(keyword.size()).ltrim();
    if (line.contains("call") && !keyword.empty() && value.consume_front("=") && !value.starts_with("="))
      return SyntaxHint{"the chevrons of a kernel call take no keywords: they are <<<grid, block, bytes, stream>>>, in "
                        "this order, with 0 for no bytes",
                        static_cast<size_t>(item.data() - line.data())};
  }
  bool isCall = close != StringRef::npos && line.contains("call");
  if (auto hint = isCall ? explainItems(line, items, open) : std::nullopt)
    return hint;
  bool complete = close != StringRef::npos && items.size() >= 2 && items.size() <= 4 && items[1] != "*";
  if (complete && line.contains("call"))
    return SyntaxHint{"the arguments of this kernel call are not a list of expressions", close + 3};
  return SyntaxHint{form.str(), open};
}

std::optional<SyntaxHint> explainLoopLaunch(StringRef line, size_t column, StringRef) {
  size_t open = line.find("<<<"), close = line.find(">>>");
  if (open == StringRef::npos || !line.contains("!$cuf") || (close != StringRef::npos && column > close))
    return std::nullopt;
  auto items = itemsOf(line.slice(open + 3, close));
  // The stream alone has to have its keyword.
  bool complete = items.size() == 2 || items.size() == 4 || (items.size() == 3 && items[2].contains('='));
  if (close != StringRef::npos && complete)
    return std::nullopt;
  return SyntaxHint{"the chevrons of a CUF kernel are <<<grid, block [, stream=stream]>>> or "
                    "<<<grid, block, 0, stream>>>",
                    open};
}

/// What stands behind `!$cuf` and is not KERNEL DO, or behind the chevrons and is not REDUCE.
std::optional<SyntaxHint> explainDirective(StringRef line, size_t column, StringRef error) {
  size_t at = line.find("!$cuf");
  if (at == StringRef::npos)
    return std::nullopt;
  constexpr llvm::StringLiteral form = "!$CUF KERNEL DO [(n)] [<<<grid, block [, stream=stream]>>>] [REDUCE(...)]";
  if (error.starts_with("expected '$CUF KERNEL DO'")) {
    at += StringRef("!$cuf").size();
    StringRef word = nameAt(line, at);
    if (word == "end")
      return SyntaxHint{"CUF kernels have no END directive: they end with their loops", at};
    return SyntaxHint{"the directive is " + form.str(), at};
  }
  if (!error.starts_with("expected end of line") || column >= line.size())
    return std::nullopt;
  StringRef word = nameAt(line, column);
  if (word == "private" || word == "firstprivate")
    return SyntaxHint{"CUF kernels have no PRIVATE: scalars that the loops assign before they use them are private",
                      column};
  if (word == "collapse")
    return SyntaxHint{"CUF kernels have no COLLAPSE: write DO(n) for n nested loops", column};
  return SyntaxHint{"the directive is " + form.str(), column};
}

std::optional<SyntaxHint> explainReduce(StringRef line, size_t, StringRef) {
  constexpr llvm::StringLiteral operators[] = {"max", "min", "iand", "ior", "ieor"};
  size_t at = line.find("reduce");
  size_t open = line.find('(', at);
  if (!line.contains("!$cuf") || at == StringRef::npos || open == StringRef::npos)
    return std::nullopt;
  size_t start = ++open;
  StringRef name = nameAt(line, start);
  StringRef op = name.empty() ? line.drop_front(start).take_until([](char c) { return c == ':' || c == ' '; }) : name;
  if (isIn(op, operators) || op == "+" || op == "*" || op.starts_with("."))
    return std::nullopt;
  return SyntaxHint{"'" + op.str() +
                        "' is not an operation of REDUCE; there are +, *, max, min, iand, ior, ieor, .and., "
                        ".or., .eqv. and .neqv.",
                    start};
}

std::optional<SyntaxHint> explainDeallocate(StringRef line, size_t, StringRef) {
  size_t at = line.find("stream=");
  if (at == StringRef::npos || !line.contains("deallocate("))
    return std::nullopt;
  return SyntaxHint{"STREAM= is not possible in DEALLOCATE; cudaFreeAsync(array, stream) is", at};
}

/// `allocate(a(n), strm=1)`
std::optional<SyntaxHint> explainAllocate(StringRef line, size_t, StringRef) {
  constexpr llvm::StringLiteral keywords[] = {"stat", "errmsg", "source", "mold", "pinned", "stream", "align"};
  size_t start = 0;
  StringRef statement = nameAt(line, start), list = line.drop_front(start + statement.size()).ltrim();
  if (statement != "allocate" || !list.consume_front("("))
    return std::nullopt;
  for (StringRef item : itemsOf(list.take_front(list.rfind(')')))) {
    size_t at = 0;
    StringRef keyword = nameAt(item, at), value = item.drop_front(keyword.size()).ltrim();
    if (!keyword.empty() && value.starts_with("=") && !isIn(keyword, keywords)) {
      std::string meant = suggestion(keyword, {keywords});
      return SyntaxHint{
          "'" + keyword.str() + "=' is not possible in ALLOCATE" +
              (meant.empty() ? "; there are stat=, errmsg=, source=, mold=, pinned=, stream= and align=" : meant),
          static_cast<size_t>(item.data() - line.data())};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<SyntaxHint> cufort::frontend::explainSyntaxError(StringRef line, size_t column, StringRef error) {
  std::string lowered = line.lower();
  for (auto explain :
       {explainAttributes, explainPrefix, explainTrailingAttributes, explainAttributeStatement, explainLeadingAttribute,
        explainLostResult, explainEmptyOperands, explainLaunch, explainLoopLaunch, explainReduce, explainDirective,
        explainDeallocate, explainDeclaration, explainAllocate})
    if (auto hint = explain(lowered, column, error))
      return hint;
  return std::nullopt;
}

bool cufort::frontend::looksLikeCuda(StringRef line) {
  std::string lowered = line.lower();
  StringRef text = lowered;
  if (text.contains("<<<") || text.contains("attributes("))
    return true;
  for (StringRef attribute : {"device", "managed", "constant", "shared", "pinned"}) {
    size_t at = text.find(attribute);
    if (at != StringRef::npos && text.take_front(at).rtrim().ends_with(",") && text.contains("::"))
      return true;
  }
  return false;
}
