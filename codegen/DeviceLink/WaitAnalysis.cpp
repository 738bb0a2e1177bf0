// What waits is known by its name, which the library of device routines gives it; what is called without a name may.

#include "codegen/DeviceLink/WaitAnalysis.h"
#include "codegen/DeviceLink/Phases.h"
#include "codegen/DeviceLink/SpinLoops.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace cufort::codegen;

/// Functions of the emulated device that make a thread wait for others, or need other blocks beside this one.
static bool waits(StringRef name) {
  return name.starts_with("cufortEmuBarrier") || name.starts_with("cufortEmuWarpBarrier") ||
         name.starts_with("cufortEmuGridBarrier") || name.starts_with("cufortEmuCluster") ||
         name.starts_with("cufortEmuAsync") || name.starts_with("cufortEmuVote") ||
         name.starts_with("cufortEmuMatch") || name.starts_with("cufortEmuShuffle") || name == "cufortEmuActiveMask" ||
         name == "cufortEmuNanosleep";
}

Waiting WaitAnalysis::waitingOf(Function &kernel) {
  if (waitsInLoops(kernel))
    return Waiting::Otherwise;
  Waiting result = Waiting::Never;
  for (Instruction &instruction : instructions(kernel))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && callMayWait(*call)) {
      if (!isa<CallInst>(call) || !isMeetingOfPhases(*cast<CallInst>(call)))
        return Waiting::Otherwise;
      result = Waiting::InMeetings;
    }
  return result;
}

bool WaitAnalysis::mayWait(Function &function) {
  auto [known, inserted] = results.try_emplace(&function, false);
  if (!inserted)
    return known->second;
  bool result = false;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction))
      result |= callMayWait(*call);
  return results[&function] = result;
}

SmallVector<Function *, 1> cufort::codegen::knownCallees(const CallBase &call) {
  if (Function *callee = call.getCalledFunction())
    return {callee};
  SmallVector<Function *, 1> callees;
  if (MDNode *list = call.getMetadata(LLVMContext::MD_callees))
    for (const MDOperand &each : list->operands())
      if (auto *function = mdconst::dyn_extract_or_null<Function>(each))
        callees.push_back(function);
  return callees;
}

bool WaitAnalysis::callMayWait(CallBase &call) {
  if (call.isInlineAsm())
    return false;
  SmallVector<Function *, 1> callees = knownCallees(call);
  return callees.empty() || any_of(callees, [&](Function *callee) {
           return callee->isDeclaration() ? waits(callee->getName()) : mayWait(*callee);
         });
}
