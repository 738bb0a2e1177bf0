#include "driver/Jobs/Runner.h"
#include "driver/Jobs/CrashReport.h"
#include "driver/Jobs/Render.h"
#include "driver/Options/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <numeric>

using namespace cufort::driver;

namespace {

constexpr int graceMilliseconds = 2000;

std::vector<std::string> withoutMissingInput(const std::vector<std::string> &command, const Job &job) {
  const auto *tool = std::get_if<ToolJob>(&job.work);
  std::vector<std::string> result = command;
  if (tool && !tool->optionalInput.empty() && !llvm::sys::fs::exists(tool->optionalInput))
    llvm::erase(result, tool->optionalInput);
  return result;
}

/// Copies the file `from` to standard output.
llvm::Error printFile(llvm::StringRef from) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(from);
  if (!text)
    return failure("cannot read '" + from + "': " + text.getError().message());
  llvm::outs() << (*text)->getBuffer();
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  // Whoever reads may have seen enough (| head).
  if (error && error != std::errc::broken_pipe)
    return failure("cannot write to standard output: " + error.message());
  return error ? alreadyReported() : llvm::Error::success();
}

} // namespace

int Runner::run(const Plan &thePlan) {
  plan = &thePlan;
  states.assign(plan->jobs.size(), State::Waiting);
  texts.assign(plan->jobs.size(), "");
  notePlaces.resize(plan->jobs.size());
  std::iota(notePlaces.begin(), notePlaces.end(), 0);
  printed = 0;
  while (true) {
    skipHopeless();
    startReady();
    printFinished();
    if (running.empty())
      break;
    int signal = signals.wait(-1);
    if (signal != SIGCHLD && signal != 0) {
      endAll();
      return -signal;
    }
    collectEnded();
  }
  if (int signal = signals.pending())
    return -signal;
  return llvm::is_contained(states, State::Failed) ? 1 : 0;
}

bool Runner::isReady(size_t job) const {
  return states[job] == State::Waiting && llvm::all_of(plan->jobs[job].after, [&](const JobDependency &before) {
           return states[before.job] == State::Succeeded;
         });
}

void Runner::startReady() {
  for (size_t job = 0; job < states.size() && running.size() < options.maxJobs; ++job)
    if (isReady(job))
      start(job);
}

/// Gives up the jobs that wait for one that has failed. One pass is enough only if the order is that of the plan, so
/// it repeats until nothing changes.
void Runner::skipHopeless() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t job = 0; job < states.size(); ++job) {
      if (states[job] != State::Waiting)
        continue;
      const std::vector<JobDependency> &after = plan->jobs[job].after;
      auto failed = llvm::find_if(after, [&](const JobDependency &b) { return states[b.job] == State::Failed; });
      if (failed == after.end())
        continue;
      states[job] = State::Failed;
      changed = true;
      // The note comes after the message about the cause, whichever of the two is first in the plan.
      size_t place = notePlaces[job] = std::max(job, notePlaces[failed->job]);
      if (!failed->reason.empty())
        texts[place] +=
            (messages.programName() + ": note: '" + plan->jobs[job].subject + "' was not compiled: it uses module '" +
             failed->reason + "' of '" + plan->jobs[failed->job].subject + "'\n")
                .str();
    }
  }
}

void Runner::start(size_t index) {
  const Job &job = plan->jobs[index];
  std::vector<std::string> command = withoutMissingInput(job.commandLine, job);
  if (options.verbose)
    printCommand(messages.stream(), command);
  llvm::Expected<Child> child = startChild(job, command);
  if (!child) {
    texts[index] = (messages.programName() + ": error: " + llvm::toString(child.takeError()) + "\n").str();
    states[index] = State::Failed;
    return;
  }
  states[index] = State::Running;
  running.emplace(index, std::move(*child));
}

llvm::Expected<Child> Runner::startChild(const Job &job, const std::vector<std::string> &command) {
  ChildOptions childOptions;
  childOptions.workspace = options.workspace;
  childOptions.timeLimit = options.timeLimit;
  childOptions.traceCrashes = options.verbose;
  if (const auto *compile = std::get_if<CompileJob>(&job.work))
    return Child::startBody([&] { return compileInChild(*compile); }, childOptions);
  if (const auto *deviceLink = std::get_if<DeviceLinkJob>(&job.work))
    return Child::startBody([&] { return linkDeviceInChild(*deviceLink); }, childOptions);
  return Child::startProgram(command, childOptions);
}

int Runner::compileInChild(const CompileJob &job) { return messages.report(compiler.compileFile(job)); }

int Runner::linkDeviceInChild(const DeviceLinkJob &job) {
  llvm::Expected<bool> written = compiler.linkDevice(job);
  return written ? 0 : messages.report(written.takeError());
}

void Runner::collectEnded() {
  std::vector<std::pair<size_t, ChildResult>> ended;
  for (auto &[job, child] : running)
    if (std::optional<ChildResult> result = child.poll())
      ended.emplace_back(job, std::move(*result));
  for (auto &[job, result] : ended) {
    running.erase(job);
    finish(job, result);
  }
}

void Runner::finish(size_t index, const ChildResult &result) {
  const Job &job = plan->jobs[index];
  bool succeeded = judge(job, result, texts[index]);
  if (succeeded) {
    if (llvm::Error error = install(job)) {
      succeeded = false;
      llvm::raw_string_ostream os(texts[index]);
      Messages(messages.programName().str(), os).report(std::move(error));
    }
  }
  if (!succeeded && job.output)
    removeOldOutput(job.output->wanted);
  states[index] = succeeded ? State::Succeeded : State::Failed;
}

/// Returns true if `job` succeeded; `text` gets what the user is told.
bool Runner::judge(const Job &job, const ChildResult &result, std::string &text) const {
  std::string prefix = messages.programName().str() + ": error: ";
  text = withUserNames(result.messages, job.names);
  if (const auto *tool = std::get_if<ToolJob>(&job.work)) {
    if (result.status)
      text = explainLinkerOutput(result.messages, job.names, messages.programName());
    if (result.signal)
      text += prefix + "'" + tool->arguments.front() + "' was ended by signal " + std::to_string(result.signal) + "\n";
    return result.completed && result.status == 0;
  }
  if (result.completed)
    return result.status == 0;
  if (!options.verbose)
    text = userMessages(text).str();
  text += prefix + describeCrash(result, job.subject, std::holds_alternative<DeviceLinkJob>(job.work)) + "\n";
  return false;
}

llvm::Error Runner::install(const Job &job) const {
  if (!job.moduleDirMade.empty())
    if (llvm::Error error = installAll(job.moduleDirMade, job.moduleDirWanted))
      return error;
  if (!job.output)
    return llvm::Error::success();
  const JobOutput &output = *job.output;
  if (!llvm::sys::fs::exists(output.made)) {
    if (job.outputMayBeMissing)
      return llvm::Error::success();
    if (std::holds_alternative<DeviceLinkJob>(job.work))
      return failure("none of the inputs has device code");
    return failure("'" + job.subject + "': no output was written");
  }
  bool stays = output.wanted.empty() || output.made == output.wanted;
  return stays ? llvm::Error::success() : installFile(output.made, output.wanted);
}

/// Returns true if what `job` says is a report about one of several sources: it has to be said which.
bool Runner::namesSource(size_t job) const {
  auto isCompilation = [](const Job &other) { return std::holds_alternative<CompileJob>(other.work); };
  const auto *compile = std::get_if<CompileJob>(&plan->jobs[job].work);
  return compile && compile->reports.any() && !texts[job].empty() && llvm::count_if(plan->jobs, isCompilation) > 1;
}

/// Prints what the jobs say that have ended, and what they made for standard output, up to the first that has not.
void Runner::printFinished() {
  for (; printed < states.size(); ++printed) {
    if (states[printed] == State::Waiting || states[printed] == State::Running)
      return;
    if (namesSource(printed))
      messages.stream() << plan->jobs[printed].subject << ":\n";
    messages.stream() << texts[printed];
    messages.stream().flush();
    const std::optional<JobOutput> &output = plan->jobs[printed].output;
    if (states[printed] == State::Failed || !output || !output->wanted.empty())
      continue;
    if (llvm::Error error = printFile(output->made)) {
      messages.report(std::move(error));
      states[printed] = State::Failed;
    }
  }
}

/// Ends all children: politely, so that programs remove their files, and then not.
void Runner::endAll() {
  for (auto &[job, child] : running)
    child.kill(SIGTERM);
  for (int waited = 0; waited < graceMilliseconds && !running.empty(); waited += 50) {
    signals.wait(50);
    for (auto child = running.begin(); child != running.end();)
      child = child->second.poll() ? running.erase(child) : std::next(child);
  }
  running.clear(); // the rest is killed
}
