// Optimisation, floating point, debug information and relocation of host code.
#include "driver/Options/Errors.h"
#include "driver/Options/HostCpus.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

llvm::Error setOptLevel(llvm::StringRef level, CodeGenSettings &codeGen) {
  if (level.empty() || level == "s" || level == "z")
    codeGen.optLevel = 2;
  else if (level == "g")
    codeGen.optLevel = 1;
  else if (level == "fast")
    codeGen.optLevel = 3;
  else if (level.getAsInteger(10, codeGen.optLevel) || codeGen.optLevel > 4)
    return usageError("unknown optimisation level '-O" + level + "'; known: -O0, -O1, -O2, -O3, -O4, -Ofast");
  codeGen.optLevel = std::min(codeGen.optLevel, 3u);
  return llvm::Error::success();
}

llvm::Error decodeOptimisation(const InputArgList &arguments, CodeGenSettings &codeGen) {
  const Arg *level = arguments.getLastArg(OPT_O, OPT_fast);
  bool fast = arguments.hasArg(OPT_fast);
  for (const Arg *argument : arguments.filtered(OPT_O))
    fast |= llvm::StringRef(argument->getValue()) == "fast";
  if (!level && arguments.hasArg(OPT_g) && !arguments.hasArg(OPT_gopt))
    codeGen.optLevel = 0;
  else if (level && level->getOption().matches(OPT_fast))
    codeGen.optLevel = 3;
  else if (level)
    if (llvm::Error error = setOptLevel(level->getValue(), codeGen))
      return error;
  codeGen.reassociate = codeGen.flushDenormals = fast && codeGen.optLevel > 0;
  codeGen.vectorize = arguments.hasFlag(OPT_Mvect, OPT_Mvect_no, true);
  codeGen.unroll = arguments.hasFlag(OPT_Munroll, OPT_Munroll_no, true);
  codeGen.inlineCalls = arguments.hasFlag(OPT_Minline, OPT_Minline_no, true) &&
                        arguments.hasFlag(OPT_Mautoinline, OPT_Mautoinline_no, true);
  codeGen.stackArrays = arguments.hasFlag(OPT_Mstack_arrays, OPT_Mstack_arrays_no, false);
  codeGen.framePointer = arguments.hasFlag(OPT_Mframe, OPT_Mframe_no, false);
  return llvm::Error::success();
}

llvm::Error decodeTraps(llvm::StringRef option, llvm::StringRef list, uint32_t &mask) {
  struct Trap {
    llvm::StringLiteral name;
    uint32_t bits;
  };
  static const Trap traps[] = {{"fp", TrapInvalid | TrapDivideByZero | TrapOverflow},
                               {"inv", TrapInvalid},
                               {"invalid", TrapInvalid},
                               {"divz", TrapDivideByZero},
                               {"zero", TrapDivideByZero},
                               {"ovf", TrapOverflow},
                               {"overflow", TrapOverflow},
                               {"unf", TrapUnderflow},
                               {"underflow", TrapUnderflow},
                               {"inexact", TrapInexact},
                               {"denorm", TrapDenormal},
                               {"denormal", TrapDenormal},
                               {"align", 0}};
  llvm::SmallVector<llvm::StringRef, 16> known{"none"};
  for (const Trap &trap : traps)
    known.push_back(trap.name);
  for (llvm::StringRef value : splitList(list)) {
    const Trap *trap = llvm::find_if(traps, [&](const Trap &entry) { return entry.name == value; });
    if (value == "none")
      mask = 0;
    else if (trap == std::end(traps))
      return unknownValue(option, value, known);
    else
      mask |= trap->bits;
  }
  return llvm::Error::success();
}

llvm::Error decodeFloatingPoint(const InputArgList &arguments, CodeGenSettings &codeGen) {
  codeGen.strictIEEE = arguments.hasFlag(OPT_Kieee, OPT_Knoieee, false);
  codeGen.relaxedMath = arguments.hasFlag(OPT_Mfprelaxed, OPT_Mfprelaxed_no, false) ||
                        arguments.hasFlag(OPT_Mfpapprox, OPT_Mfpapprox_no, false);
  codeGen.flushDenormals = arguments.hasFlag(OPT_Mflushz, OPT_Mflushz_no, codeGen.flushDenormals) ||
                           arguments.hasFlag(OPT_Mdaz, OPT_Mdaz_no, false);
  codeGen.contract = arguments.hasFlag(OPT_Mfma, OPT_Mfma_no, !codeGen.strictIEEE);
  if (codeGen.strictIEEE)
    codeGen.reassociate = codeGen.relaxedMath = codeGen.flushDenormals = false;
  for (const Arg *argument : arguments.filtered(OPT_Ktrap_EQ, OPT_ffpe_trap_EQ))
    if (llvm::Error error = decodeTraps(argument->getSpelling(), argument->getValue(), codeGen.trapMask))
      return error;
  return llvm::Error::success();
}

llvm::Error decodeMachine(const InputArgList &arguments, CodeGenSettings &codeGen) {
  if (const Arg *last = arguments.getLastArg(OPT_tp, OPT_march_EQ)) {
    llvm::StringRef name = last->getValue();
    codeGen.cpu = name.str();
    if (last->getOption().matches(OPT_tp)) {
      std::optional<llvm::StringRef> cpu = llvmCpuName(name);
      if (!cpu)
        return unknownValue("-tp=", name, hostCpuNames());
      codeGen.cpu = cpu->str();
    } else if (!isLlvmCpu(name)) {
      return unknownValue("-march=", name, llvmCpuNames());
    }
  }
  codeGen.codeModel = arguments.getLastArgValue(OPT_mcmodel_EQ).str();
  llvm::StringRef known[] = {"", "small", "medium", "large"};
  if (!llvm::is_contained(known, codeGen.codeModel))
    return unknownValue("-mcmodel=", codeGen.codeModel, llvm::ArrayRef(known).drop_front());
  if (const Arg *last = arguments.getLastArg(OPT_fPIC, OPT_fPIE, OPT_fno_pic)) {
    bool pic = last->getOption().matches(OPT_fPIC), pie = last->getOption().matches(OPT_fPIE);
    codeGen.relocation = pic ? Relocation::PIC : pie ? Relocation::PIE : Relocation::Static;
  }
  return llvm::Error::success();
}

void decodeDebug(const InputArgList &arguments, CodeGenSettings &codeGen) {
  codeGen.traceback = arguments.hasFlag(OPT_traceback, OPT_notraceback, false);
  const Arg *last = arguments.getLastArg(OPT_g, OPT_gopt, OPT_g0, OPT_g1);
  if (!last || last->getOption().matches(OPT_g0))
    return;
  codeGen.debug = last->getOption().matches(OPT_g1) ? DebugInfo::Lines : DebugInfo::Full;
}

} // namespace

llvm::Error cufort::driver::decodeCodeGen(const InputArgList &arguments, Invocation &invocation) {
  CodeGenSettings &codeGen = invocation.codeGen;
  decodeDebug(arguments, codeGen);
  if (llvm::Error error = decodeOptimisation(arguments, codeGen))
    return error;
  if (llvm::Error error = decodeFloatingPoint(arguments, codeGen))
    return error;
  return decodeMachine(arguments, codeGen);
}
