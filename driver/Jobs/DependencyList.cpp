// A rule in the form of other Fortran compilers:
//
//   x.o shapes.mod: x.cuf sizes.h numbers.mod
#include "driver/Jobs/DependencyList.h"
#include "driver/Jobs/ModuleScan.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace cufort::driver;
namespace path = llvm::sys::path;

namespace {

constexpr size_t lineLength = 78;

/// `name` with what make takes for something else escaped.
std::string quoted(llvm::StringRef name) {
  std::string result;
  for (char c : name) {
    if (c == ' ' || c == '#')
      result += '\\';
    else if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

/// A list of files over as many lines as it takes.
class FileList {
public:
  void add(llvm::StringRef word) {
    if (column && column + 1 + word.size() > lineLength) {
      text += " \\\n ";
      column = 1;
    }
    text += (column ? " " : "") + word.str();
    column += 1 + word.size();
  }
  /// Makes what has been added the left side of the rule.
  void endTargets() { text += ':', ++column; }

  std::string text;

private:
  size_t column = 0;
};

class RuleWriter {
public:
  RuleWriter(const Invocation &invocation, llvm::StringRef compilerModuleDir)
      : invocation(invocation), compilerModuleDir(compilerModuleDir.str()) {}

  std::string rule(const InputFile &input) const {
    ModuleInfo info = scanModulesOfFile(input.path, scanSettings(input));
    FileList list;
    if (invocation.dependencies.targets.empty())
      list.add(quoted(object(input)));
    for (const std::string &target : invocation.dependencies.targets)
      list.add(target);
    for (const std::string &module : info.provides)
      list.add(quoted(inDirectory(moduleDir(), module)));
    list.endTargets();
    list.add(quoted(input.path));
    for (const std::string &file : info.included)
      list.add(quoted(file));
    for (const std::string &module : info.uses)
      if (std::string file = info.provides.count(module) ? "" : fileOf(module); !file.empty())
        list.add(quoted(file));
    list.text += '\n';
    if (invocation.dependencies.emptyRules)
      for (const std::string &file : info.included)
        list.text += quoted(file) + ":\n";
    return list.text;
  }

private:
  ScanSettings scanSettings(const InputFile &input) const {
    ScanSettings settings;
    settings.form = invocation.form.value_or(input.traits.form);
    settings.fixedColumns = invocation.language.fixedColumns;
    settings.cuda = invocation.cuda.value_or(input.traits.cuda);
    settings.preprocess = invocation.preprocess.value_or(input.traits.preprocess);
    settings.includeDirs = invocation.language.includeDirs;
    for (const MacroDefinition &macro : invocation.language.macros)
      if (!macro.undefine)
        settings.macros.push_back(macro.name);
    return settings;
  }

  std::string object(const InputFile &input) const {
    bool isNamed = !invocation.dependencies.instead && invocation.goal == Goal::Compile && !invocation.output.empty();
    return isNamed ? invocation.output : (path::stem(input.path) + ".o").str();
  }

  std::string moduleDir() const { return invocation.moduleDir.empty() ? "." : invocation.moduleDir; }

  /// A submodule "ancestor:name" is in the file ancestor-name.mod.
  static std::string inDirectory(llvm::StringRef directory, std::string module) {
    std::replace(module.begin(), module.end(), ':', '-');
    llvm::SmallString<128> file(directory == "." ? "" : directory);
    path::append(file, module + ".mod");
    return file.str().str();
  }

  /// The file of a module; where it will be if it is not there yet, or nothing for one of the compiler's.
  std::string fileOf(const std::string &module) const {
    std::vector<std::string> directories = {moduleDir(), "."};
    directories.insert(directories.end(), invocation.language.includeDirs.begin(),
                       invocation.language.includeDirs.end());
    for (const std::string &directory : directories)
      if (std::string file = inDirectory(directory, module); llvm::sys::fs::exists(file))
        return file;
    return llvm::sys::fs::exists(inDirectory(compilerModuleDir, module)) ? "" : inDirectory(moduleDir(), module);
  }

  const Invocation &invocation;
  std::string compilerModuleDir;
};

/// Where the rule for `input` goes; "-" is standard output.
std::string destination(const Invocation &invocation, const InputFile &input) {
  const DependencySettings &dependencies = invocation.dependencies;
  if (!dependencies.file.empty())
    return dependencies.file;
  if (dependencies.instead)
    return invocation.output.empty() ? "-" : invocation.output;
  bool isNamed = invocation.goal == Goal::Compile && !invocation.output.empty();
  llvm::SmallString<128> file(isNamed ? llvm::StringRef(invocation.output) : path::stem(input.path));
  path::replace_extension(file, ".d");
  return file.str().str();
}

} // namespace

llvm::Error cufort::driver::writeDependencyLists(const Invocation &invocation, llvm::StringRef compilerModuleDir) {
  RuleWriter writer(invocation, compilerModuleDir);
  std::map<std::string, std::string> files;
  for (const InputFile &input : invocation.inputs)
    if (input.traits.kind == FileKind::Fortran)
      files[destination(invocation, input)] += writer.rule(input);
  for (const auto &[name, text] : files) {
    std::error_code problem;
    llvm::raw_fd_ostream out(name, problem);
    if (problem)
      return failure("cannot write '" + name + "': " + problem.message());
    out << text;
  }
  return llvm::Error::success();
}
