#include "driver/Jobs/StatementReader.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using namespace cufort::driver;

namespace {

/// Calls `at` with the index of every character of `text` outside character constants, until it returns true.
void eachUnquoted(llvm::StringRef text, llvm::function_ref<bool(size_t)> at) {
  char quote = 0;
  for (size_t index = 0; index < text.size(); ++index) {
    char c = text[index];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (at(index))
      return;
  }
}

llvm::StringRef withoutComment(llvm::StringRef line) {
  size_t end = line.size();
  eachUnquoted(line, [&](size_t index) {
    if (line[index] != '!')
      return false;
    end = index;
    return true;
  });
  return line.take_front(end);
}

/// Takes the sentinel of conditional CUDA lines off; returns false if `line` has none.
bool consumeCudaSentinel(llvm::StringRef &line) {
  llvm::StringRef rest = line;
  if (rest.empty() || !llvm::StringRef("!cC*").contains(rest.front()) ||
      !rest.drop_front().starts_with_insensitive("@cuf"))
    return false;
  line = rest.drop_front(5);
  return true;
}

class Reader {
public:
  Reader(const ScanSettings &settings, llvm::function_ref<void(llvm::StringRef)> onStatement,
         llvm::function_ref<void(llvm::StringRef)> onDirective)
      : settings(settings), onStatement(onStatement), onDirective(onDirective) {}

  void read(llvm::StringRef text) {
    while (!text.empty()) {
      llvm::StringRef line;
      std::tie(line, text) = text.split('\n');
      line = line.rtrim('\r');
      if (line.ltrim().starts_with("#"))
        onDirective(line.ltrim());
      else if (settings.form == SourceForm::Fixed)
        readFixed(line);
      else
        readFree(line);
    }
    flush();
  }

private:
  void readFree(llvm::StringRef line) {
    line = line.ltrim();
    if (settings.cuda)
      consumeCudaSentinel(line);
    line = withoutComment(line).trim();
    if (line.empty())
      return;
    if (!continues)
      flush();
    else
      line.consume_front("&");
    continues = line.consume_back("&");
    pending += line;
  }

  void readFixed(llvm::StringRef line) {
    bool conditional = settings.cuda && consumeCudaSentinel(line);
    if (line.empty() || (!conditional && llvm::StringRef("cC*!dD").contains(line.front())))
      return;
    std::string padded = conditional ? "     " + line.str() : line.str();
    bool continuation = false;
    llvm::StringRef field = statementField(padded, continuation);
    field = withoutComment(field);
    if (field.trim().empty())
      return;
    if (!continuation)
      flush();
    pending += field;
  }

  /// Returns the columns of a fixed-form line that hold its statement.
  llvm::StringRef statementField(llvm::StringRef line, bool &continuation) const {
    size_t tab = line.take_front(6).find('\t');
    if (tab != llvm::StringRef::npos) {
      llvm::StringRef field = line.drop_front(tab + 1);
      continuation = !field.empty() && field.front() >= '1' && field.front() <= '9';
      return continuation ? field.drop_front() : field;
    }
    if (settings.fixedColumns)
      line = line.take_front(settings.fixedColumns);
    if (line.size() <= 6)
      return "";
    continuation = line[5] != ' ' && line[5] != '0';
    return line.drop_front(6);
  }

  /// Hands the pending line on, statement by statement.
  void flush() {
    std::string line;
    line.swap(pending);
    continues = false;
    llvm::StringRef rest = line;
    while (!rest.empty()) {
      size_t end = rest.size();
      eachUnquoted(rest, [&](size_t index) {
        if (rest[index] != ';')
          return false;
        end = index;
        return true;
      });
      llvm::StringRef statement = rest.take_front(end).trim();
      statement = statement.ltrim("0123456789").ltrim();
      if (!statement.empty())
        onStatement(statement);
      rest = rest.drop_front(std::min(end + 1, rest.size()));
    }
  }

  const ScanSettings &settings;
  llvm::function_ref<void(llvm::StringRef)> onStatement;
  llvm::function_ref<void(llvm::StringRef)> onDirective;
  std::string pending;    ///< the statement being put together
  bool continues = false; ///< free form: the last line ended with an ampersand
};

} // namespace

void cufort::driver::readStatements(llvm::StringRef text, const ScanSettings &settings,
                                    llvm::function_ref<void(llvm::StringRef)> onStatement,
                                    llvm::function_ref<void(llvm::StringRef)> onDirective) {
  Reader(settings, onStatement, onDirective).read(text);
}
