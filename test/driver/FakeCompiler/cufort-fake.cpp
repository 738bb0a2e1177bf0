// The driver around a compiler that only pretends, so that tests can make it fail in every way. Comment lines of a
// source steer it:
//
//   !fake: note <activity>      noteProgress(), at the line of the comment
//   !fake: print <text>         a line on standard error
//   !fake: error <text>         an ordinary error
//   !fake: abort | segv | overflow <64 KiB> | exit <n> | fatal | todo | bad-alloc | loop | ignore-term
//   !fake: sleep <milliseconds>
//   !fake: log <file>           appends the input's name to a file: tells in which order sources are compiled
//   !fake: device               the object has device code
//
// Modules are files with one line, objects come from the C compiler, and the stages between the preprocessor and the
// host assembly print the settings of the job.
#include "driver/Jobs/ModuleScan.h"
#include "driver/Jobs/Progress.h"
#include "driver/Main/Driver.h"
#include "driver/Options/Errors.h"
#include "test/driver/FakeCompiler/DumpSettings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace cufort::driver;

namespace {

/// Stands in objects that pretend to have device code.
constexpr llvm::StringLiteral deviceMark = "fake-device-code";

/// Uses `depth` times 64 KiB of stack; the optimiser must not turn it into a loop.
int overflow(unsigned depth, volatile char *above) {
  volatile char block[65536];
  block[0] = above ? above[0] : 1;
  return depth ? overflow(depth - 1, block) + block[0] : 0;
}

[[noreturn]] void spin() {
  for (volatile unsigned long count = 0;; count = count + 1) {
  }
}

void misbehave(llvm::StringRef how, llvm::StringRef argument) {
  if (how == "abort")
    std::abort();
  if (how == "segv")
    raise(SIGSEGV);
  if (how == "overflow")
    overflow(std::atoi(argument.str().c_str()), nullptr);
  if (how == "exit")
    std::exit(std::atoi(argument.str().c_str()));
  if (how == "fatal")
    llvm::report_fatal_error("something fatal");
  if (how == "todo") {
    llvm::errs() << "error: loc(\"x.cuf\":3:1): /src/flang/lib/Lower/X.cpp:1: not yet implemented: assumed-rank\n";
    std::abort();
  }
  if (how == "bad-alloc") {
    llvm::errs() << "terminate called after throwing an instance of 'std::bad_alloc'\n";
    std::abort();
  }
  if (how == "ignore-term")
    signal(SIGTERM, SIG_IGN);
  if (how == "loop" || how == "ignore-term")
    spin();
}

void writeText(llvm::StringRef path, llvm::StringRef text, llvm::sys::fs::OpenFlags flags) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error, flags);
  os << text;
}

/// Obeys the comments of `text`; an error is what "!fake: error" asks for.
llvm::Error obey(llvm::StringRef text, const CompileJob &job) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (size_t number = 1; number <= lines.size(); ++number) {
    llvm::StringRef line = lines[number - 1];
    if (!line.consume_front("!fake: "))
      continue;
    auto [what, argument] = line.split(' ');
    if (what == "note")
      noteProgress(argument, job.input, number);
    else if (what == "print")
      llvm::errs() << argument << '\n';
    else if (what == "error")
      return failure(job.input + ":" + llvm::Twine(number) + ": " + argument);
    else if (what == "sleep")
      usleep(std::atoi(argument.str().c_str()) * 1000);
    else if (what == "log")
      writeText(argument, llvm::sys::path::filename(job.input).str() + "\n", llvm::sys::fs::OF_Append);
    else
      misbehave(what, argument);
  }
  return llvm::Error::success();
}

/// Reads and writes module files as a compiler does.
llvm::Error handleModules(llvm::StringRef text, const CompileJob &job) {
  ScanSettings settings;
  settings.form = job.language.form;
  settings.cuda = job.language.cuda;
  ModuleInfo info = scanModules(text, llvm::sys::path::parent_path(job.input), settings);
  for (const std::string &module : info.uses) {
    bool found = info.provides.count(module);
    for (const std::string &directory : job.language.moduleDirs)
      found = found || llvm::sys::fs::exists(directory + "/" + module + ".mod");
    if (!found)
      return failure(job.input + ": no module file for '" + module + "'");
  }
  for (const std::string &module : info.provides)
    writeText(job.language.moduleOutputDir + "/" + module + ".mod", "!mod\n", llvm::sys::fs::OF_None);
  return llvm::Error::success();
}

llvm::Error runCC(llvm::StringRef code, llvm::StringRef output, const char *goal) {
  std::string source = (output + ".c").str();
  writeText(source, code, llvm::sys::fs::OF_None);
  llvm::ErrorOr<std::string> cc = llvm::sys::findProgramByName("cc");
  if (!cc || llvm::sys::ExecuteAndWait(*cc, {*cc, goal, "-fPIC", "-o", output, source}) != 0)
    return failure("the C compiler failed on '" + source + "'");
  llvm::sys::fs::remove(source);
  return llvm::Error::success();
}

std::string cCodeFor(llvm::StringRef text, const CompileJob &job) {
  std::string unit = llvm::sys::path::stem(job.input).str();
  llvm::replace(unit, '-', '_');
  std::string code = "const char " + unit + "_unit[] = \"" + job.input + "\";\n";
  if (text.contains_insensitive("program "))
    code += "int puts(const char *);\nint main(void) { puts(" + unit + "_unit); return 0; }\n";
  if (text.contains("!fake: device"))
    code += "const char " + unit + "_device[] = \"" + deviceMark.str() + "\";\n";
  return code;
}

class FakeCompiler : public Compiler {
public:
  llvm::Error compileFile(const CompileJob &job) override {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(job.input);
    if (!text)
      return failure(job.input + ": " + text.getError().message());
    llvm::StringRef source = (*text)->getBuffer();
    if (llvm::Error error = obey(source, job))
      return error;
    if (job.stopAfter != Stage::Preprocess)
      if (llvm::Error error = handleModules(source, job))
        return error;
    if (job.stopAfter == Stage::Syntax)
      return llvm::Error::success();
    if (job.stopAfter >= Stage::Assembly)
      return runCC(cCodeFor(source, job), job.output, job.stopAfter == Stage::Assembly ? "-S" : "-c");
    writeText(job.output, dumpSettings(job), llvm::sys::fs::OF_None);
    return llvm::Error::success();
  }

  llvm::Expected<bool> linkDevice(const DeviceLinkJob &job) override {
    if (job.reports.verbose)
      llvm::errs() << dumpSettings(job);
    bool hasDeviceCode = false;
    for (const DeviceLinkInput &input : job.inputs) {
      llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> object = llvm::MemoryBuffer::getFile(input.path);
      if (!object)
        return failure("cannot read '" + input.path + "'");
      hasDeviceCode |= (*object)->getBuffer().contains(deviceMark);
    }
    if (!hasDeviceCode)
      return false;
    if (llvm::Error error = runCC("const char fake_image[] = \"image\";\n", job.output, "-c"))
      return error;
    return true;
  }

  std::string componentVersions() const override { return "fake compiler"; }
};

} // namespace

int main(int argc, char **argv) {
  FakeCompiler compiler;
  return runDriver(argc, argv, compiler);
}
