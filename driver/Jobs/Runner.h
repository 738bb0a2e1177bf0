// Doing the jobs of a plan, side by side where they do not depend on each other.
#pragma once

#include "driver/Jobs/Compiler.h"
#include "driver/Jobs/Isolation.h"
#include "driver/Jobs/Plan.h"
#include "driver/Jobs/Signals.h"
#include "driver/Options/Messages.h"
#include <map>
#include <vector>

namespace cufort::driver {

struct RunOptions {
  unsigned maxJobs = 1;   ///< at a time
  unsigned timeLimit = 0; ///< seconds of processor time per compilation; 0: none
  bool verbose = false;   ///< print commands, and what a crash prints
  std::string workspace;  ///< the private directory: TMPDIR of programs
};

/// Runs plans. Messages of jobs come out in the order of the plan, whole.
class Runner {
public:
  Runner(Compiler &compiler, Messages &messages, const SignalGuard &signals, RunOptions options)
      : compiler(compiler), messages(messages), signals(signals), options(std::move(options)) {}

  /// Does all jobs that can be done, also after one has failed. Returns the exit status: 0, or 1 if a job failed.
  /// Returns minus a signal's number if the user asked to end: all children are gone then.
  int run(const Plan &plan);

private:
  enum class State { Waiting, Running, Succeeded, Failed };

  void startReady();
  bool isReady(size_t job) const;
  void skipHopeless();
  void start(size_t job);
  llvm::Expected<Child> startChild(const Job &job, const std::vector<std::string> &command);
  int compileInChild(const CompileJob &job);
  int linkDeviceInChild(const DeviceLinkJob &job);
  void collectEnded();
  void finish(size_t job, const ChildResult &result);
  bool judge(const Job &job, const ChildResult &result, std::string &text) const;
  llvm::Error install(const Job &job) const;
  bool namesSource(size_t job) const;
  void printFinished();
  void endAll();

  Compiler &compiler;
  Messages &messages;
  const SignalGuard &signals;
  RunOptions options;

  const Plan *plan = nullptr;
  std::vector<State> states;
  std::vector<std::string> texts; ///< of each job: what it has to say
  std::vector<size_t> notePlaces; ///< of each job: where in `texts` a note about its failure goes
  std::map<size_t, Child> running;
  size_t printed = 0; ///< how many jobs have had their say
};

} // namespace cufort::driver
