#include "driver/Main/Driver.h"
#include "driver/Jobs/DependencyList.h"
#include "driver/Jobs/Plan.h"
#include "driver/Jobs/Render.h"
#include "driver/Jobs/Runner.h"
#include "driver/Jobs/Signals.h"
#include "driver/Options/Help.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/SettingsWithoutEffect.h"
#include "driver/Options/Version.h"
#include "driver/Toolchain/Environment.h"
#include "driver/Toolchain/Machine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include <thread>

using namespace cufort::driver;

namespace {

#if defined(__aarch64__)
constexpr const char *targetMachine = "aarch64-linux-gnu";
#else
constexpr const char *targetMachine = "x86_64-linux-gnu";
#endif

void printVersion(llvm::raw_ostream &os, llvm::StringRef program, const Compiler &compiler) {
  os << program << ' ' << cufortVersion << " (cufort, " << compiler.componentVersions() << ")\n"
     << "Target: " << targetMachine << '\n';
}

/// Prints the GPUs in the form that makefiles look for "Default Target" in.
int printAccelInfo(llvm::raw_ostream &os, Machine &machine) {
  if (machine.nativeGpus().empty()) {
    os << "No accelerators found.\n";
    return 1;
  }
  unsigned number = 0;
  for (const NativeGpu &gpu : machine.nativeGpus())
    os << "Device Number:                 " << number++ << '\n'
       << "Device Name:                   " << gpu.name << '\n'
       << "Default Target:                cc" << gpu.arch << "\n\n";
  return 0;
}

int printPlan(const Invocation &invocation, Machine &machine, Messages &messages) {
  TempDirectory temporary = TempDirectory::pretend();
  llvm::Expected<Plan> plan = makePlan(invocation, machine, temporary, messages);
  if (!plan)
    return messages.report(plan.takeError());
  for (const Job &job : plan->jobs)
    printCommand(messages.stream(), job.commandLine);
  return 0;
}

/// Plans and does `invocation`. The result is as that of Runner::run(); the temporary files are gone.
int build(const Invocation &invocation, Machine &machine, Compiler &compiler, const SignalGuard &signals,
          Messages &messages) {
  llvm::Expected<TempDirectory> temporary = TempDirectory::create();
  if (!temporary)
    return messages.report(temporary.takeError());
  llvm::Expected<Plan> plan = makePlan(invocation, machine, *temporary, messages);
  if (!plan)
    return messages.report(plan.takeError());
  RunOptions options;
  options.maxJobs = invocation.maxJobs ? invocation.maxJobs : std::max(1u, std::thread::hardware_concurrency());
  options.timeLimit = invocation.timeLimit;
  options.verbose = invocation.reports.verbose;
  options.workspace = temporary->path().str();
  return Runner(compiler, messages, signals, options).run(*plan);
}

int buildGuarded(const Invocation &invocation, Machine &machine, Compiler &compiler, Messages &messages) {
  int status;
  {
    SignalGuard signals;
    status = build(invocation, machine, compiler, signals, messages);
  }
  if (status < 0)
    SignalGuard::endBy(-status);
  return status;
}

std::string ownPath(const char *argv0) {
  return llvm::sys::fs::getMainExecutable(argv0, reinterpret_cast<void *>(&ownPath));
}

/// Does the actions that need no look at the machine; returns false if `action` is none of them.
bool printFacts(Action action, llvm::StringRef program, const llvm::opt::InputArgList &arguments,
                const Compiler &compiler) {
  switch (action) {
  case Action::Help:
    printHelp(llvm::outs(), program, arguments);
    return true;
  case Action::Version:
    printVersion(llvm::outs(), program, compiler);
    return true;
  case Action::DumpVersion:
    llvm::outs() << cufortVersion << '\n';
    return true;
  case Action::DumpMachine:
    llvm::outs() << targetMachine << '\n';
    return true;
  default:
    return false;
  }
}

/// CUFORT_CHECK asks for the checks that the emulated device finds mistakes by, as it does when the program runs. What
/// the host does needs no other code.
void obeyEnvironment(Invocation &invocation) {
  std::string checks = environment("CUFORT_CHECK");
  if (!checks.empty() && checks != "0" && checks != "none" && checks != "host")
    invocation.gpu.device.checks = true;
}

/// -M and its relatives.
int writeRules(const Invocation &invocation, Machine &machine, Messages &messages) {
  if (invocation.dependencies.instead)
    if (llvm::Error error = checkFiles(invocation, messages))
      return messages.report(std::move(error));
  if (llvm::Error error = writeDependencyLists(invocation, machine.runtime().moduleDir))
    return messages.report(std::move(error));
  return 0;
}

int act(const Invocation &invocation, llvm::StringRef executable, Compiler &compiler, Messages &messages) {
  warnOfSettingsWithoutEffect(invocation, messages);
  Machine machine(executable, invocation, messages);
  if (invocation.action == Action::PrintToolchain) {
    machine.print(llvm::outs());
    return 0;
  }
  if (invocation.action == Action::AccelInfo)
    return printAccelInfo(llvm::outs(), machine);
  if (invocation.dryRun)
    return printPlan(invocation, machine, messages);
  if (invocation.dependencies.instead)
    return writeRules(invocation, machine, messages);
  int status = buildGuarded(invocation, machine, compiler, messages);
  return status || !invocation.dependencies.wanted ? status : writeRules(invocation, machine, messages);
}

} // namespace

int cufort::driver::runDriver(int argc, const char *const *argv, Compiler &compiler) {
  std::string program = llvm::sys::path::filename(argc > 0 ? argv[0] : "cufort").str();
  Messages messages(program, llvm::errs());
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::ArrayRef<const char *> words(argv, argc);
  llvm::Expected<llvm::opt::InputArgList> arguments = parseArguments(words.drop_front(argc > 0), saver);
  if (!arguments)
    return messages.report(arguments.takeError());
  llvm::Expected<Invocation> invocation = decodeInvocation(*arguments, messages);
  if (!invocation)
    return messages.report(invocation.takeError());
  obeyEnvironment(*invocation);
  if (printFacts(invocation->action, program, *arguments, compiler))
    return 0;
  if (arguments->hasArg(OPT_V))
    printVersion(messages.stream(), program, compiler);
  return act(*invocation, ownPath(argv[0]), compiler, messages);
}
