// A module file is Fortran text under a line with a checksum of it. It names the module files it depends on by their
// checksums, so a repaired file has to be followed through all files of the compilation.

#include "frontend/Parse/ModuleFiles.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace Fortran;
using cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

constexpr StringRef header = "\xef\xbb\xbf!mod$ v1 sum:";
constexpr StringRef dependence = "!need$ ";
constexpr size_t sumLength = 16;
constexpr size_t longestUse = 4000; ///< characters of a line that names many things

/// One module file between reading and writing.
struct ModuleFile {
  std::string path;
  std::string oldSum; ///< as the header says
  std::string body;   ///< all after the header's line
};

/// The names of the files without their extension.
struct ModuleNames : TreeVisitor {
  using TreeVisitor::Post;
  using TreeVisitor::Pre;
  void Post(const parser::ModuleStmt &statement) { names.push_back(statement.v.ToString()); }
  void Post(const parser::SubmoduleStmt &statement) {
    const auto &parent = std::get<parser::ParentIdentifier>(statement.t);
    names.push_back(std::get<parser::Name>(parent.t).ToString() + "-" + std::get<parser::Name>(statement.t).ToString());
  }

  std::vector<std::string> names;
};

/// Fowler-Noll-Vo hash 1a of 64 bits, which Flang uses.
std::string checksum(StringRef text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : text) {
    hash ^= c;
    hash *= 0x100000001b3u;
  }
  return llvm::utohexstr(hash, /*LowerCase=*/true, sumLength);
}

std::optional<ModuleFile> readModuleFile(std::string path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  StringRef text = (*buffer)->getBuffer();
  if (!text.consume_front(header) || text.size() <= sumLength)
    return std::nullopt;
  return ModuleFile{std::move(path), text.substr(0, sumLength).str(), text.substr(sumLength + 1).str()};
}

/// In a derived type definition, turns the line "attributes(device) x" after the declaration of x into the attribute
/// "device" of that declaration.
std::string repairComponents(StringRef body) {
  std::string result;
  std::string previous; // the line before, not yet in the result
  bool inType = false;
  while (!body.empty()) {
    auto [line, rest] = body.split('\n');
    body = rest;
    StringRef attribute = line;
    size_t attributesEnd = StringRef(previous).find("::");
    if (inType && attributesEnd != StringRef::npos && attribute.consume_front("attributes(")) {
      previous.insert(attributesEnd, "," + attribute.take_until([](char c) { return c == ')'; }).str());
      continue;
    }
    if (line.starts_with("type::") || line.starts_with("type,"))
      inType = true;
    else if (line == "end type")
      inType = false;
    if (!previous.empty())
      result += previous + "\n";
    previous = line.str();
  }
  return result + previous + "\n";
}

/// A STRUCTURE of another module has no name for ONLY, and Flang writes it here again: it becomes that of the module,
/// with all its names.
std::string repairStructures(StringRef body) {
  std::string result;
  llvm::StringSet<> modules, structures;
  for (bool inStructure = false; !body.empty();) {
    auto [line, rest] = body.split('\n');
    body = rest;
    auto [use, name] = line.split(",only:");
    bool isUse = use.starts_with("use ") && name.starts_with("/");
    if (isUse)
      structures.insert(name);
    if (StringRef structure = line; structure.consume_front("structure "))
      inStructure = structures.contains(structure.take_until([](char c) { return c == ' '; }));
    if (!inStructure && (!isUse || modules.insert(use).second))
      result += (isUse ? use : line).str() + "\n";
    inStructure &= line != "end structure";
  }
  return result;
}

/// Joins the USE statements of the same module. Flang writes one for each name, and sets up a parser for each that it
/// reads: a file that uses cudafor would take twice as long to compile.
std::string joinUses(StringRef body) {
  constexpr StringRef list = ",only:";
  std::string result;
  StringRef head;   // of the line before, up to the names, if it is such a statement
  size_t begin = 0; // of that line
  while (!body.empty()) {
    auto [line, rest] = body.split('\n');
    body = rest;
    size_t only = line.starts_with("use,") || line.starts_with("use ") ? line.find(list) : StringRef::npos;
    StringRef lineHead = only == StringRef::npos ? StringRef() : line.take_front(only + list.size());
    if (!lineHead.empty() && lineHead == head && result.size() - begin + line.size() < longestUse) {
      result.back() = ',';
      result += line.drop_front(head.size());
    } else {
      begin = result.size();
      result += line;
    }
    result += '\n';
    head = lineHead;
  }
  return result;
}

/// Replaces the checksums of repaired files.
std::string repairDependences(StringRef body, const llvm::StringMap<std::string> &newSums) {
  std::string result;
  while (body.consume_front(dependence)) {
    StringRef sum = body.take_front(sumLength);
    auto found = newSums.find(sum);
    auto [line, rest] = body.drop_front(sumLength).split('\n');
    result += (dependence + (found == newSums.end() ? sum : StringRef(found->second)) + line + "\n").str();
    body = rest;
  }
  return result + body.str();
}

mlir::LogicalResult writeModuleFile(const ModuleFile &file, llvm::raw_ostream &diagnostics) {
  llvm::Error error = llvm::writeToOutput(file.path, [&](llvm::raw_ostream &out) {
    out << header << checksum(file.body) << "\n" << file.body;
    return llvm::Error::success();
  });
  if (!error)
    return mlir::success();
  diagnostics << "error: cannot write module file '" << file.path << "': " << llvm::toString(std::move(error)) << "\n";
  return mlir::failure();
}

} // namespace

mlir::LogicalResult cufort::frontend::repairModuleFiles(const parser::Program &program, StringRef moduleDirectory,
                                                        llvm::raw_ostream &diagnostics) {
  ModuleNames collector;
  parser::Walk(program, collector);
  llvm::StringMap<std::string> newSums;
  // A module comes after those that it uses.
  for (const std::string &name : collector.names) {
    llvm::SmallString<128> path(moduleDirectory);
    llvm::sys::path::append(path, name + ".mod");
    std::optional<ModuleFile> file = readModuleFile(std::string(path));
    if (!file)
      continue;
    std::string body = repairDependences(joinUses(repairStructures(repairComponents(file->body))), newSums);
    if (body == file->body)
      continue;
    file->body = std::move(body);
    newSums[file->oldSum] = checksum(file->body);
    if (mlir::failed(writeModuleFile(*file, diagnostics)))
      return mlir::failure();
  }
  return mlir::success();
}
