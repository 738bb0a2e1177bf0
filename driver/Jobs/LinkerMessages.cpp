#include "driver/Jobs/LinkerMessages.h"
#include "driver/Toolchain/CudaLibraries.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
using llvm::StringRef;

namespace {

/// A problem that the linker has found, and the files it names for it.
struct Problem {
  enum Kind { Undefined, Duplicate, TooLarge, Other };
  Kind kind;
  std::string text; ///< the symbol, or the linker's sentence
  std::vector<std::string> files;
};

/// The text between the first `open` and the next `close` behind it; empty if there is none.
StringRef between(StringRef text, StringRef open, StringRef close) {
  size_t at = text.find(open);
  if (at == StringRef::npos)
    return "";
  text = text.drop_front(at + open.size());
  return text.take_front(text.find(close));
}

/// The object or archive that `place` begins with, which is like "a.o:(main)" or "a.o: in function `f':".
StringRef fileOf(StringRef place) {
  place = place.trim();
  for (StringRef end : {".o:", ".o)", ".a("}) {
    size_t at = place.find(end);
    if (at != StringRef::npos)
      return place.take_front(at + (end == ".a(" ? 2 : end.size() - (end == ".o:" ? 1 : 0)));
  }
  return "";
}

/// Reads the output of lld and of GNU ld.
class Reader {
public:
  std::vector<Problem> problems;
  std::vector<std::string> rest; ///< lines that are no problems of these kinds

  void read(StringRef output) {
    llvm::SmallVector<StringRef> lines;
    output.split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      readLine(line);
  }

private:
  void readLine(StringRef line) {
    if (line.starts_with("collect2: ") || line.contains("linker command failed") ||
        line.contains("too many errors emitted"))
      return;
    if (line.starts_with(">>> "))
      return addPlace(line.drop_front(4));
    StringRef name;
    if (line.contains("undefined symbol: "))
      add(Problem::Undefined, line.split("undefined symbol: ").second.trim());
    else if (!(name = between(line, "undefined reference to `", "'")).empty())
      add(Problem::Undefined, name, fileOf(afterLinker(line)).empty() ? function : fileOf(afterLinker(line)).str());
    else if (line.contains("duplicate symbol: "))
      add(Problem::Duplicate, line.split("duplicate symbol: ").second.trim());
    else if (!(name = between(line, "multiple definition of `", "'")).empty())
      addGnuDuplicate(line, name);
    else if (line.contains("in function `"))
      function = fileOf(afterLinker(line)).str();
    else if (line.contains("relocation R_") && (line.contains("out of range") || line.contains("truncated to fit")))
      add(Problem::TooLarge, "");
    else if (line.contains("ld.lld: error: ") || isGnuError(line))
      add(Problem::Other, line.contains("error: ") ? line.split("error: ").second : afterLinker(line));
    else
      rest.push_back(line.str());
  }

  /// True for lines like "/usr/bin/ld.bfd: cannot find -lx".
  static bool isFromLinker(StringRef line) {
    return llvm::sys::path::filename(line.split(": ").first).starts_with("ld");
  }

  /// `line` without the name of the linker.
  static StringRef afterLinker(StringRef line) { return isFromLinker(line) ? line.split(": ").second : line; }

  static bool isGnuError(StringRef line) {
    return isFromLinker(line) && (line.contains("cannot find ") || line.contains("file not recognized") ||
                                  line.contains("file format not recognized"));
  }

  void add(Problem::Kind kind, StringRef text, StringRef file = "") {
    auto known = llvm::find_if(problems, [&](const Problem &p) { return p.kind == kind && p.text == text; });
    if (known == problems.end()) {
      problems.push_back({kind, text.str(), {}});
      known = std::prev(problems.end());
    }
    current = known - problems.begin();
    addFile(file);
  }

  void addGnuDuplicate(StringRef line, StringRef name) {
    StringRef first = line.split("; ").second;
    add(Problem::Duplicate, name, fileOf(first));
    StringRef second = fileOf(afterLinker(line.take_front(line.find("multiple"))));
    addFile(second.empty() ? StringRef(function) : second);
  }

  void addPlace(StringRef place) {
    if (!problems.empty())
      addFile(fileOf(place));
  }

  void addFile(StringRef file) {
    std::vector<std::string> &files = problems[current].files;
    if (!file.empty() && !llvm::is_contained(files, file))
      files.push_back(file.str());
  }

  size_t current = 0;
  std::string function; ///< the file of GNU ld's last "in function"
};

/// What the user calls `symbol`.
std::string userName(StringRef symbol) {
  if (symbol == "_QQmain" || symbol == "main")
    return "main";
  if (symbol.starts_with("_Q")) {
    // The parts of the name begin with capital letters, and Fortran's names have none here.
    size_t tag = symbol.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return symbol.drop_front(tag + 1).str();
  }
  return symbol.ends_with("_") ? symbol.drop_back().str() : symbol.str();
}

/// The module of Fortran to which `symbol` belongs; empty if it belongs to none.
std::string moduleOf(StringRef symbol) {
  if (!symbol.consume_front("_QM"))
    return "";
  return symbol.take_until([](char c) { return llvm::isUpper(c); }).str();
}

std::string inFiles(const std::vector<std::string> &files) {
  return files.empty() ? "" : " in '" + files.front() + "'";
}

/// True for what only code for the emulated device needs, which is in the image object.
bool isDeviceCode(const Problem &problem) {
  return !problem.files.empty() &&
         llvm::all_of(problem.files, [](StringRef file) { return file.ends_with(".image.o"); });
}

/// What to do about `name`, a function of a well-known library, which the source calls as a procedure of Fortran or,
/// with BIND(C), of C; empty if it is not known.
std::string adviceForLibrary(StringRef name, bool isFortran) {
  if (StringRef library = cudaLibraryOf(name); !library.empty()) {
    std::string option = "link with -cudalib=" + library.str();
    return isFortran ? "; it is a function of C: declare it in an interface with BIND(C), and " + option
                     : "; " + option;
  }
  if (name.starts_with_insensitive("omp_"))
    return "; OpenMP needs the option -mp";
  if (name.starts_with_insensitive("mpi_"))
    return "; link with the libraries of MPI, as its compiler wrapper names them (mpifort -showme:link)";
  // The driver's functions: cuInit, cuMemAlloc_v2.
  if (!isFortran && name.starts_with("cu") && name.size() > 2 && llvm::isUpper(name[2]))
    return "; the functions of the CUDA driver are linked with -lcuda";
  return "";
}

std::string describeUndefined(const Problem &problem) {
  std::string name = userName(problem.text);
  if (name == "main")
    return "none of the inputs has a main program";
  bool isFortran = StringRef(problem.text).starts_with("_Q") || StringRef(problem.text).ends_with("_");
  std::string text = std::string("undefined ") + (isFortran ? "procedure '" : "symbol '") + name + "'";
  if (isFortran && isDeviceCode(problem))
    return "undefined device procedure '" + name + "': link the file that defines it";
  if (!problem.files.empty())
    text += ", needed" + inFiles(problem.files);
  if (isFortran && StringRef(name).starts_with("cuda"))
    text += "; is 'use cudafor' missing, or the name misspelt?";
  if (!isFortran && StringRef(name).starts_with("cuda"))
    text += "; the C functions of the CUDA runtime need a CUDA toolkit at the link, and module cudafor does not";
  text += adviceForLibrary(name, isFortran);
  if (isFortran && llvm::is_contained({"getdat", "gettim"}, name))
    text += "; the intrinsic subroutine date_and_time tells date and time";
  return text;
}

std::string describeDuplicate(const Problem &problem) {
  std::string name = userName(problem.text), module = moduleOf(problem.text);
  std::string files;
  for (const std::string &file : problem.files)
    files += (files.empty() ? " in '" : " and in '") + file + "'";
  if (!module.empty() && !files.empty())
    return "module '" + module + "' is" + files + "; link one of them";
  return (name == "main" ? "there is a main program" : "'" + name + "' is defined") +
         (files.empty() ? " more than once" : files);
}

/// True if one of `problems` is a module in the same files, which says what is to be done.
bool isInModuleTwice(const Problem &problem, llvm::ArrayRef<Problem> problems) {
  return problem.kind == Problem::Duplicate && llvm::any_of(problems, [&](const Problem &other) {
           return other.kind == Problem::Duplicate && !moduleOf(other.text).empty() && other.files == problem.files;
         });
}

std::string describe(const Problem &problem) {
  switch (problem.kind) {
  case Problem::Undefined:
    return describeUndefined(problem);
  case Problem::Duplicate:
    return describeDuplicate(problem);
  case Problem::TooLarge:
    return "the variables of the program do not fit into 2 GB; make large arrays allocatable, or use -mcmodel=medium";
  case Problem::Other:
    return problem.text;
  }
  return problem.text;
}

} // namespace

std::string cufort::driver::withUserNames(StringRef text, const FileNames &names) {
  std::string result = text.str();
  for (const auto &[temporary, user] : names)
    for (size_t at = 0; (at = result.find(temporary, at)) != std::string::npos; at += user.size())
      result.replace(at, temporary.size(), user);
  return result;
}

std::string cufort::driver::explainLinkerOutput(StringRef output, const FileNames &names, StringRef programName) {
  Reader reader;
  reader.read(output);
  std::string result;
  for (const std::string &line : reader.rest)
    result += withUserNames(line, names) + "\n";
  std::vector<std::string> said;
  for (const Problem &problem : reader.problems) {
    if (moduleOf(problem.text).empty() && isInModuleTwice(problem, reader.problems))
      continue;
    std::string text = withUserNames(describe(problem), names);
    if (llvm::is_contained(said, text))
      continue;
    said.push_back(text);
    result += (programName + ": error: " + text + "\n").str();
  }
  return result;
}
