// Statements and intrinsics that exist on the host only.
//
// Flang lowers them to calls of its run-time library, of which device code has a small part. Calls that are left when
// output has been raised are reported here, at the statement; the device link knows no places.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_CHECKDEVICECODE
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

struct HostRoutine {
  StringRef prefix;  ///< of the name behind _FortranA
  StringRef fortran; ///< what the user has written
  bool isIntrinsic;
};

/// The first entry that fits counts.
constexpr HostRoutine hostRoutines[] = {
    {"ioBeginOpen", "OPEN", false},
    {"ioBeginClose", "CLOSE", false},
    {"ioBeginInquire", "INQUIRE", false},
    {"ioBeginFlush", "FLUSH", false},
    {"ioBeginEndfile", "ENDFILE", false},
    {"ioBeginRewind", "REWIND", false},
    {"ioBeginBackspace", "BACKSPACE", false},
    {"ioBeginWait", "WAIT", false},
    {"ioBeginExternalListInput", "READ", false},
    {"ioBeginExternalFormattedInput", "READ", false},
    {"ioBeginUnformattedInput", "READ", false},
    {"ioBeginInternalListInput", "READ", false},
    {"ioBeginInternalFormattedInput", "READ", false},
    {"ioBeginInternalArray", "READ and WRITE of strings", false},
    {"ioBeginInternal", "WRITE to a string", false},
    {"ioBeginExternalFormattedOutput", "output with a format", false},
    {"ioBeginUnformattedOutput", "unformatted output", false},
    {"PauseStatement", "PAUSE", false},
    {"RandomNumber", "random_number", true},
    {"RandomSeed", "random_seed", true},
    {"RandomInit", "random_init", true},
    {"SystemClock", "system_clock", true},
    {"CpuTime", "cpu_time", true},
    {"DateAndTime", "date_and_time", true},
    {"GetCommandArgument", "get_command_argument", true},
    {"GetCommand", "get_command", true},
    {"ArgumentCount", "command_argument_count", true},
    {"GetEnvVariable", "get_environment_variable", true},
    {"ExecuteCommandLine", "execute_command_line", true},
    {"Exit", "exit", true},
    {"Abort", "abort", true},
    {"Trim", "trim", true},
    {"Repeat", "repeat", true},
    {"Adjustl", "adjustl", true},
    {"Adjustr", "adjustr", true},
    {"GetCwd", "getcwd", true},
    {"GetPID", "getpid", true},
    {"Sleep", "sleep", true},
    {"FDate", "fdate", true},
    {"GetLog", "getlog", true},
};

const HostRoutine *findHostRoutine(StringRef callee) {
  if (!callee.consume_front("_FortranA"))
    return nullptr;
  const auto *routine = llvm::find_if(hostRoutines, [&](const HostRoutine &r) { return callee.starts_with(r.prefix); });
  return routine == std::end(hostRoutines) ? nullptr : routine;
}

struct CheckDeviceCodePass : cufort::cufx::impl::CheckDeviceCodeBase<CheckDeviceCodePass> {
  void runOnOperation() override {
    getOperation().walk([&](fir::CallOp call) {
      if (!call.getCallee() || !isInDeviceCode(call))
        return;
      const HostRoutine *routine = findHostRoutine(call.getCallee()->getRootReference());
      if (!routine)
        return;
      auto diagnostic = call.emitError();
      if (routine->isIntrinsic)
        diagnostic << "the intrinsic '" << routine->fortran << "' is not available in device code";
      else
        diagnostic << routine->fortran << " is not possible in device code";
      signalPassFailure();
    });
  }
};

} // namespace
