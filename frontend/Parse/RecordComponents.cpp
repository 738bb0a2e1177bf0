// Before the parser sees it, nothing is known of a name in the text but its letters: `a.x.b` with a component x may be
// an operator, too. It is one if it is Fortran's, or if the source defines it.

#include "frontend/Parse/RecordComponents.h"
#include "flang/Parser/provenance.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

using namespace Fortran;
using llvm::StringRef;

namespace {

constexpr StringRef operators[] = {"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "xor", "eqv", "neqv"};

bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// The name at the beginning of `text`, or nothing.
StringRef nameAt(StringRef text) {
  return text.empty() || !llvm::isAlpha(text.front()) ? StringRef() : text.take_while(isNameCharacter);
}

/// Calls `look` with the place of each character of `line` outside of literals.
template <typename Look>
void forEachPlace(StringRef line, Look look) {
  char quotation = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quotation)
      quotation = line[i] == quotation ? 0 : quotation;
    else if (line[i] == '\'' || line[i] == '"')
      quotation = line[i];
    else
      look(i);
  }
}

template <typename Look>
void forEachLine(const parser::CookedSource &source, Look look) {
  parser::CharBlock block = source.AsCharBlock();
  for (StringRef rest(block.begin(), block.size()); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    look(line);
  }
}

/// `line` without the keyword of a type; fixed form has no blank behind it.
StringRef withoutType(StringRef line) {
  for (StringRef type : {"integer", "real", "logical", "complex", "character", "byte", "doubleprecision",
                         "double precision", "doublecomplex", "double complex", "structure", "record"})
    if (line.consume_front(type))
      break;
  return line;
}

class ComponentTranslator {
public:
  /// Takes the names that `line` declares, if it is one of a STRUCTURE.
  void learn(StringRef line) {
    StringRef statement = line.trim(' ');
    if (size_t place = statement.find("operator(."); place != StringRef::npos)
      defined.insert(nameAt(statement.drop_front(place + StringRef("operator(.").size())));
    bool isEnd = statement.starts_with("end structure") || statement.starts_with("endstructure");
    StringRef rest = statement;
    bool isBegin = rest.consume_front("structure") && (depth || rest.ltrim(' ').starts_with("/"));
    depth -= isEnd && depth;
    if (depth && !isEnd)
      learnNames(withoutType(statement));
    depth += isBegin;
  }

  bool knowsComponents() const { return !components.empty(); }

  void translate(StringRef line) const {
    size_t next = 0;
    forEachPlace(line, [&](size_t point) {
      if (line[point] != '.' || point < next)
        return;
      StringRef name = nameAt(line.drop_front(point + 1));
      bool hasEnd = line.drop_front(point + 1 + name.size()).starts_with(".");
      if (hasEnd && isOperator(name))
        next = point + name.size() + 2;
      else if (components.contains(name) && isBehindVariable(line.take_front(point)))
        // The source is ours; only its interface is constant.
        const_cast<char *>(line.data())[point] = '%';
    });
  }

private:
  void learnNames(StringRef list) {
    int parentheses = 0;
    forEachPlace(list, [&](size_t i) {
      parentheses += list[i] == '(' ? 1 : list[i] == ')' ? -1 : 0;
      StringRef name = nameAt(list.drop_front(i));
      if (!parentheses && !name.empty() && (i == 0 || !isNameCharacter(list[i - 1])))
        components.insert(name);
    });
  }

  /// False behind numbers: `1.e5`
  static bool isBehindVariable(StringRef before) {
    if (before.ends_with(")"))
      return true;
    size_t begin = before.size();
    while (begin && isNameCharacter(before[begin - 1]))
      --begin;
    return !nameAt(before.drop_front(begin)).empty();
  }

  /// Of what stands between two points.
  bool isOperator(StringRef name) const {
    return !name.empty() &&
           (!components.contains(name) || llvm::is_contained(operators, name) || defined.contains(name));
  }

  llvm::StringSet<> components, defined;
  int depth = 0; ///< STRUCTUREs around the line
};

} // namespace

void cufort::frontend::translateRecordComponents(const parser::CookedSource &source) {
  ComponentTranslator translator;
  forEachLine(source, [&](StringRef line) { translator.learn(line); });
  if (translator.knowsComponents())
    forEachLine(source, [&](StringRef line) { translator.translate(line); });
}
