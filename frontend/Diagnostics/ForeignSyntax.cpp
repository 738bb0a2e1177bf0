#include "frontend/Diagnostics/ForeignSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cufort::frontend;
using llvm::StringRef;

namespace {

bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

/// `line` in lower case with blanks for what stands in quotes. A comment stays: it may be the second half of `!=`.
std::string withoutStrings(StringRef line) {
  std::string code = line.lower();
  char quote = 0;
  for (char &c : code) {
    if (quote) {
      quote = c == quote ? 0 : quote;
      c = ' ';
    } else if (c == '\'' || c == '"') {
      quote = c;
      c = ' ';
    } else if (c == '!') {
      break;
    }
  }
  return code;
}

/// `code` up to its comment.
StringRef statementOf(StringRef code) { return code.take_front(code.find('!')).rtrim(); }

/// A line as the functions below see it.
struct Line {
  StringRef text;      ///< as it is
  StringRef code;      ///< in lower case, with its comment but without strings
  StringRef statement; ///< `code` without its comment
  size_t column;       ///< of the error
  StringRef error;

  size_t columnOf(StringRef part) const { return static_cast<size_t>(part.data() - code.data()); }
  /// True if the parser has found out what statement this could be last, and that it is none.
  bool isNoStatement() const {
    return error.contains("statement function definition") || error.starts_with("expected '='") ||
           error.starts_with("expected '=>'") || error.starts_with("obsolete legacy extension") ||
           error.starts_with("expected 'ENTRY'");
  }
};

/// The first character of `text`, which is not ASCII, as in "U+00A0".
std::string codePointOf(StringRef text) {
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  llvm::UTF32 point = 0, *end = &point;
  unsigned length = llvm::getNumBytesForUTF8(*bytes);
  if (length > text.size() ||
      llvm::ConvertUTF8toUTF32(&bytes, bytes + length, &end, end + 1, llvm::strictConversion) != llvm::conversionOK)
    return "";
  return llvm::formatv("U+{0:X-4}", point).str();
}

std::optional<SyntaxHint> explainCharacter(const Line &line) {
  StringRef rest = line.text.drop_front(std::min(line.column, line.text.size()));
  if (!line.error.starts_with("bad character") || rest.empty())
    return std::nullopt;
  constexpr StringRef quotes[] = {"\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u201a", "\u00ab", "\u00bb"};
  for (StringRef quote : quotes)
    if (rest.starts_with(quote))
      return SyntaxHint{(quote + " is not a quotation mark of Fortran; write ' or \"").str(), line.column};
  if (rest[0] == '{' || rest[0] == '}')
    return SyntaxHint{"there are no braces in Fortran: constructs end with END, array constructors are [...]",
                      line.column};
  if (rest[0] == '?')
    return SyntaxHint{"there is no operator '?' in Fortran; use MERGE(value if true, value if false, condition)",
                      line.column};
  std::string point = static_cast<signed char>(rest[0]) < 0 ? codePointOf(rest) : "";
  if (point.empty())
    return std::nullopt;
  return SyntaxHint{"a character that Fortran does not have, " + point + ", outside of strings and comments",
                    line.column};
}

std::optional<SyntaxHint> explainOperator(const Line &line) {
  constexpr std::pair<StringRef, StringRef> operators[] = {{"&&", ".and."}, {"||", ".or."}};
  for (auto [foreign, own] : operators)
    if (size_t at = line.statement.find(foreign); at != StringRef::npos)
      return SyntaxHint{("'" + foreign + "' is not an operator of Fortran; write " + own).str(), at};
  size_t at = line.code.find("!=");
  StringRef before = line.code.take_front(at).rtrim();
  if (at != StringRef::npos && !before.empty() && (isNamePart(before.back()) || before.back() == ')') &&
      !line.code.drop_front(at + 2).starts_with("="))
    return SyntaxHint{"'!' begins a comment; \"not equal\" is written /=", at};
  return std::nullopt;
}

/// `i += 1`, `i++`
std::optional<SyntaxHint> explainUpdate(const Line &line) {
  if (!line.isNoStatement())
    return std::nullopt;
  for (StringRef update : {"++", "--", "+=", "-=", "*="})
    if (size_t at = line.statement.find(update); at != StringRef::npos)
      return SyntaxHint{"there is no '" + update.str() + "' in Fortran; write 'i = i " + update[0] + " ...'", at};
  return std::nullopt;
}

std::optional<SyntaxHint> explainComment(const Line &line) {
  StringRef rest = line.statement.drop_front(std::min(line.column, line.statement.size()));
  if (line.error.starts_with("expected end of statement") && (rest.starts_with("//") || rest.starts_with("/*")))
    return SyntaxHint{"comments begin with '!'", line.column};
  return std::nullopt;
}

/// `__global__ subroutine`, `__shared__ real :: s(32)`
std::optional<SyntaxHint> explainCudaKeyword(const Line &line) {
  StringRef word = line.statement.ltrim().take_while(isNamePart);
  StringRef name = word;
  if (!name.consume_front("__") || !name.consume_back("__"))
    return std::nullopt;
  size_t at = line.columnOf(word);
  if (name == "global" || name == "device" || name == "host")
    return SyntaxHint{"'" + word.str() + "' is CUDA C++; write ATTRIBUTES(" + name.upper() + ")", at};
  if (name == "shared" || name == "constant" || name == "managed")
    return SyntaxHint{"'" + word.str() + "' is CUDA C++; write TYPE, " + name.upper() + " :: NAME", at};
  return std::nullopt;
}

/// `threadIdx.x`
std::optional<SyntaxHint> explainComponent(const Line &line) {
  for (StringRef name : {"threadidx", "blockidx", "blockdim", "griddim"})
    for (size_t at = 0; (at = line.statement.find(name, at)) != StringRef::npos; at += name.size()) {
      StringRef rest = line.statement.drop_front(at + name.size()).ltrim();
      if (!rest.consume_front("."))
        continue;
      StringRef component = rest.take_while(isNamePart);
      if (llvm::is_contained({"x", "y", "z"}, component))
        return SyntaxHint{("a component stands behind %: write " + name + "%" + component).str(), at};
    }
  return std::nullopt;
}

/// The '=' in the condition of an IF, ELSE IF or DO WHILE that is not part of a longer operator.
std::optional<SyntaxHint> explainCondition(const Line &line) {
  StringRef rest = line.statement.ltrim();
  rest.consume_front("else");
  rest = rest.ltrim();
  if (rest.consume_front("do"))
    rest = rest.ltrim();
  if ((!rest.consume_front("if") && !rest.consume_front("while")) || !rest.ltrim().starts_with("("))
    return std::nullopt;
  int depth = 0;
  for (size_t at = rest.find('('); at < rest.size(); ++at) {
    char c = rest[at], before = at ? rest[at - 1] : ' ';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0)
      break;
    bool isPart = StringRef("=/<>").contains(before) || StringRef("=>").contains(rest.substr(at + 1, 1));
    if (c == '=' && depth == 1 && (at + 1 == rest.size() || !isPart))
      return SyntaxHint{"'=' does not compare; write ==", line.columnOf(rest) + at};
  }
  return std::nullopt;
}

/// `i == 1` as a statement.
std::optional<SyntaxHint> explainAssignment(const Line &line) {
  int depth = 0;
  for (size_t at = 0; line.isNoStatement() && at < line.statement.size(); ++at) {
    char c = line.statement[at];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && c == '=')
      return line.statement.substr(at, 2) == "=="
                 ? std::make_optional(SyntaxHint{"'==' compares; an assignment is written with =", at})
                 : std::nullopt;
  }
  return std::nullopt;
}

/// `end do` where no DO is open.
std::optional<SyntaxHint> explainEnd(const Line &line) {
  StringRef rest = line.statement.ltrim();
  size_t at = line.columnOf(rest);
  if (!line.error.starts_with("expected end of statement") || !rest.consume_front("end"))
    return std::nullopt;
  StringRef word = rest.ltrim().take_while(isNamePart);
  if (word.empty() || line.columnOf(word) != line.column)
    return std::nullopt;
  return SyntaxHint{"there is nothing here that END " + word.upper() + " could end", at};
}

/// `a = (1, 2, 3)`, `a = {1, 2, 3}`
std::optional<SyntaxHint> explainList(const Line &line) {
  StringRef list = line.statement.drop_front(std::min(line.statement.rfind('='), line.statement.size()));
  if (!list.consume_front("="))
    return std::nullopt;
  list = list.ltrim();
  size_t at = line.columnOf(list);
  bool isBraced = list.starts_with("{");
  if (!isBraced && (!list.consume_front("(") || !list.consume_back(")") || list.starts_with("/") ||
                    list.find_first_of("()") != StringRef::npos || list.count(',') < 2))
    return std::nullopt;
  return SyntaxHint{"a list of values stands in brackets, as in [1, 2, 3], or behind the name of its type, as in "
                    "dim3(1, 2, 3)",
                    at};
}

/// `for (...)`, `while (...)`
std::optional<SyntaxHint> explainLoop(const Line &line) {
  if (!line.isNoStatement())
    return std::nullopt;
  StringRef word = line.statement.ltrim().take_while(isNamePart);
  size_t at = line.columnOf(word);
  StringRef rest = line.statement.drop_front(at + word.size()).ltrim();
  if (word == "for" && rest.starts_with("("))
    return SyntaxHint{"there is no FOR in Fortran; write DO variable = first, last [, step]", at};
  if (word == "while" && rest.starts_with("("))
    return SyntaxHint{"write DO WHILE (condition)", at};
  return std::nullopt;
}

/// `syncthreads()`, `int i`
std::optional<SyntaxHint> explainStatement(const Line &line) {
  if (!line.isNoStatement())
    return std::nullopt;
  StringRef word = line.statement.ltrim().take_while(isNamePart);
  size_t at = line.columnOf(word);
  StringRef rest = line.statement.drop_front(at + word.size()).ltrim();
  constexpr std::pair<StringRef, StringRef> types[] = {{"int", "INTEGER"},
                                                       {"float", "REAL"},
                                                       {"bool", "LOGICAL"},
                                                       {"char", "CHARACTER"},
                                                       {"double", "DOUBLE PRECISION"},
                                                       {"long", "INTEGER(8)"}};
  for (auto [foreign, own] : types)
    if (word == foreign && !rest.starts_with("=") && !rest.starts_with("("))
      return SyntaxHint{("'" + foreign + "' is not a type of Fortran; write " + own).str(), at};
  if (word == "type" && rest.starts_with("*"))
    return SyntaxHint{"TYPE does not print in Fortran; write PRINT *, ...", at};
  if (!word.empty() && (rest.empty() || (rest.starts_with("(") && rest.ends_with(")"))))
    return SyntaxHint{"this is no statement; a subroutine is called with CALL", at};
  // What the parser tries last: a statement function behind declarations, an old form among statements.
  if (line.error.contains("statement function definition") || line.error.starts_with("obsolete legacy extension") ||
      line.error.starts_with("expected 'ENTRY'"))
    return SyntaxHint{"this is no statement of Fortran, or one with a mistake in it",
                      line.columnOf(line.statement.ltrim())};
  return std::nullopt;
}

/// Statements of older compilers.
std::optional<SyntaxHint> explainOldStatement(const Line &line) {
  StringRef word = line.statement.ltrim().take_while(isNamePart);
  size_t at = line.columnOf(word);
  StringRef rest = line.statement.drop_front(at + word.size()).ltrim();
  bool isList = word == "parameter" && !rest.starts_with("(") && rest.contains("=") && rest.contains(",");
  if (isList && (line.isNoStatement() || line.error.starts_with("expected end of statement")))
    return SyntaxHint{"the constants of PARAMETER stand in parentheses: PARAMETER (NAME = value, ...)", at};
  if (line.isNoStatement() && word == "accept" && !rest.starts_with("="))
    return SyntaxHint{"ACCEPT is no statement of Fortran; write READ", at};
  if (line.isNoStatement() && word == "encode" && rest.starts_with("("))
    return SyntaxHint{"ENCODE is no statement of Fortran; write WRITE (string, format) values", at};
  if (line.isNoStatement() && word == "decode" && rest.starts_with("("))
    return SyntaxHint{"DECODE is no statement of Fortran; write READ (string, format) variables", at};
  bool isInFormat = line.statement.find("format") != StringRef::npos && line.statement.find('<') != StringRef::npos;
  if (isInFormat && line.error.starts_with("expected ')'"))
    return SyntaxHint{"formats have no expressions in <>; write the format into a string", line.statement.find('<')};
  return std::nullopt;
}

/// `call s` where declarations stand.
std::optional<SyntaxHint> explainDeclarations(const Line &line) {
  if (!line.error.starts_with("expected declaration construct"))
    return std::nullopt;
  std::string advice = line.error.contains("\nmodule") ? "; executable statements belong into procedures" : "";
  return SyntaxHint{"this is no declaration" + advice, line.columnOf(line.statement.ltrim())};
}

} // namespace

std::optional<SyntaxHint> cufort::frontend::explainForeignSyntax(StringRef text, size_t column, StringRef error) {
  std::string code = withoutStrings(text);
  Line line{text, code, statementOf(code), column, error};
  for (auto explain : {explainCharacter, explainOperator, explainLoop, explainUpdate, explainComment,
                       explainCudaKeyword, explainComponent, explainCondition, explainAssignment, explainList,
                       explainEnd, explainOldStatement, explainStatement, explainDeclarations})
    if (auto hint = explain(line))
      return hint;
  return std::nullopt;
}

StringRef cufort::frontend::adviceAboutForm(StringRef line, StringRef error) {
  if (error.starts_with("Character in fixed-form label field must be a digit"))
    return "the source is read as fixed form because of -Mfixed or the end of its name; with -Mfree it is free form";
  bool isComment = line.size() > 1 && StringRef("cC*").contains(line[0]) && StringRef(" *-=").contains(line[1]);
  if (isComment && !line.drop_front(1).ltrim().starts_with("="))
    return "the source is read as free form; with -Mfixed it is fixed form";
  return "";
}
