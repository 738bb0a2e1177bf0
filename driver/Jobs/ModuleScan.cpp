#include "driver/Jobs/ModuleScan.h"
#include "driver/Jobs/StatementReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
namespace path = llvm::sys::path;

namespace {

constexpr unsigned maxIncludeDepth = 10;

bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// Takes a name off `text`, after blanks, in lower case; returns an empty string if there is none.
std::string consumeName(llvm::StringRef &text) {
  text = text.ltrim();
  if (text.empty() || llvm::isDigit(text.front()))
    return "";
  llvm::StringRef name = text.take_while(isNameCharacter);
  text = text.drop_front(name.size()).ltrim();
  return name.lower();
}

/// Takes the keyword `word` off `text`; returns false if it is not there as a whole word.
bool consumeKeyword(llvm::StringRef &text, llvm::StringRef word) {
  if (!text.starts_with_insensitive(word) || (text.size() > word.size() && isNameCharacter(text[word.size()])))
    return false;
  text = text.drop_front(word.size()).ltrim();
  return true;
}

/// Returns the file named by an INCLUDE line or #include, or an empty string.
llvm::StringRef includedFile(llvm::StringRef text) {
  if (text.size() < 3 || !llvm::StringRef("'\"<").contains(text.front()))
    return "";
  char close = text.front() == '<' ? '>' : text.front();
  return text.drop_front().take_until([&](char c) { return c == close; });
}

class Scanner {
public:
  explicit Scanner(const ScanSettings &settings) : settings(settings) {
    for (const std::string &macro : settings.macros)
      macros.insert(llvm::StringRef(macro).lower());
  }

  void scan(llvm::StringRef text, llvm::StringRef directory, unsigned depth) {
    readStatements(
        text, settings, [&](llvm::StringRef statement) { onStatement(statement, directory, depth); },
        [&](llvm::StringRef line) { onDirective(line, directory, depth); });
  }

  ModuleInfo info;

private:
  void onStatement(llvm::StringRef text, llvm::StringRef directory, unsigned depth) {
    if (consumeKeyword(text, "module"))
      onModule(text);
    else if (consumeKeyword(text, "submodule"))
      onSubmodule(text);
    else if (consumeKeyword(text, "use"))
      onUse(text);
    else if (consumeKeyword(text, "include"))
      include(includedFile(text), directory, depth);
  }

  /// `MODULE name` and nothing else: not MODULE PROCEDURE p, MODULE FUNCTION f() or a variable called module.
  void onModule(llvm::StringRef text) {
    std::string name = consumeName(text);
    if (name.empty() || name == "procedure")
      return;
    bool pasted = settings.preprocess && (text.starts_with("#") || (text.starts_with("(") && macros.count(name)));
    if (pasted || (text.empty() && macros.count(name)))
      info.opaque = true;
    else if (text.empty())
      info.provides.insert(name);
  }

  /// `SUBMODULE (ancestor[:parent]) name`.
  void onSubmodule(llvm::StringRef text) {
    if (!text.consume_front("("))
      return;
    std::string ancestor = consumeName(text), parent;
    if (text.consume_front(":"))
      parent = consumeName(text);
    if (ancestor.empty() || !text.consume_front(")"))
      return;
    std::string name = consumeName(text);
    info.uses.insert(parent.empty() ? ancestor : ancestor + ":" + parent);
    if (!name.empty())
      info.provides.insert(ancestor + ":" + name);
  }

  /// `USE [, nature] [::] name [, ...]`.
  void onUse(llvm::StringRef text) {
    if (text.consume_front(",")) {
      std::string nature = consumeName(text);
      if (nature != "non_intrinsic")
        return;
    }
    text.consume_front("::");
    std::string name = consumeName(text);
    if (!name.empty() && (text.empty() || text.starts_with(",")))
      info.uses.insert(name);
  }

  void onDirective(llvm::StringRef line, llvm::StringRef directory, unsigned depth) {
    line = line.drop_front().ltrim();
    if (consumeKeyword(line, "define"))
      macros.insert(consumeName(line));
    else if (consumeKeyword(line, "include"))
      include(includedFile(line), directory, depth);
  }

  void include(llvm::StringRef name, llvm::StringRef directory, unsigned depth) {
    if (name.empty() || depth >= maxIncludeDepth)
      return;
    llvm::SmallVector<llvm::StringRef, 8> directories{directory};
    llvm::append_range(directories, settings.includeDirs);
    for (llvm::StringRef searched : directories) {
      llvm::SmallString<128> file(searched);
      path::append(file, name);
      if (llvm::sys::fs::is_directory(file))
        continue;
      if (llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(file)) {
        std::string name = file.str().str();
        if (!llvm::is_contained(info.included, name))
          info.included.push_back(name);
        scan((*text)->getBuffer(), path::parent_path(file), depth + 1);
        return;
      }
    }
  }

  const ScanSettings &settings;
  std::set<std::string> macros;
};

} // namespace

ModuleInfo cufort::driver::scanModules(llvm::StringRef text, llvm::StringRef directory, const ScanSettings &settings) {
  Scanner scanner(settings);
  scanner.scan(text, directory, 0);
  return std::move(scanner.info);
}

ModuleInfo cufort::driver::scanModulesOfFile(llvm::StringRef file, const ScanSettings &settings) {
  // A pipe can be read only once.
  if (!llvm::sys::fs::is_regular_file(file))
    return ModuleInfo();
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(file);
  return text ? scanModules((*text)->getBuffer(), path::parent_path(file), settings) : ModuleInfo();
}
