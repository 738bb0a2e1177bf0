// CUDA Fortran, its GPU options in both generations, and the directive languages.
#include "driver/Options/Errors.h"
#include "driver/Options/Invocation.h"
#include "driver/Options/OptionTable.h"
#include "driver/Options/Words.h"

using namespace cufort::driver;
using namespace llvm::opt;

namespace {

/// Checks the comma list of `argument` against `known` and calls `set` with each value.
llvm::Error eachValue(const Arg *argument, llvm::ArrayRef<llvm::StringRef> known,
                      llvm::function_ref<void(llvm::StringRef)> set) {
  for (llvm::StringRef value : splitList(argument->getValue())) {
    if (!llvm::is_contained(known, value))
      return unknownValue(argument->getSpelling(), value, known);
    set(value);
  }
  return llvm::Error::success();
}

llvm::Error decodeOpenMP(const InputArgList &arguments, DirectiveSettings &directives) {
  static const llvm::StringRef known[] = {"gpu", "multicore", "allcores", "bind",      "numa", "nonuma", "align",
                                          "par", "nopar",     "autopar",  "noautopar", "ompt", "noompt"};
  for (const Arg *argument : arguments.filtered(OPT_mp, OPT_mp_EQ, OPT_nomp)) {
    directives.openMP = !argument->getOption().matches(OPT_nomp);
    if (!argument->getOption().matches(OPT_mp_EQ)) {
      directives.openMPOffload = false;
      continue;
    }
    auto set = [&](llvm::StringRef value) { directives.openMPOffload |= value == "gpu"; };
    if (llvm::Error error = eachValue(argument, known, set))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error decodeOpenACC(const InputArgList &arguments, DirectiveSettings &directives) {
  static const llvm::StringRef known[] = {"gpu",    "multicore",  "host",         "autopar", "noautopar",
                                          "legacy", "routineseq", "noroutineseq", "strict",  "verystrict",
                                          "sync",   "nosync",     "wait",         "nowait"};
  for (const Arg *argument : arguments.filtered(OPT_acc, OPT_acc_EQ, OPT_noacc)) {
    directives.openACC = directives.openACCOnGpu = !argument->getOption().matches(OPT_noacc);
    if (!argument->getOption().matches(OPT_acc_EQ))
      continue;
    bool gpu = false, host = false;
    auto set = [&](llvm::StringRef value) {
      gpu |= value == "gpu";
      host |= value == "multicore" || value == "host";
    };
    if (llvm::Error error = eachValue(argument, known, set))
      return error;
    directives.openACCOnGpu = gpu || !host;
  }
  return llvm::Error::success();
}

llvm::Error decodeStdpar(const InputArgList &arguments, DirectiveSettings &directives) {
  for (const Arg *argument : arguments.filtered(OPT_stdpar, OPT_stdpar_EQ, OPT_nostdpar)) {
    directives.stdpar = directives.stdparOnGpu = !argument->getOption().matches(OPT_nostdpar);
    if (!argument->getOption().matches(OPT_stdpar_EQ))
      continue;
    directives.stdparOnGpu = false;
    auto set = [&](llvm::StringRef value) { directives.stdparOnGpu |= value == "gpu"; };
    if (llvm::Error error = eachValue(argument, {"gpu", "multicore"}, set))
      return error;
  }
  return llvm::Error::success();
}

/// -target= moves all parallel constructs that are on; -ta= switches OpenACC on and chooses its side.
llvm::Error decodeTargets(const InputArgList &arguments, Invocation &invocation, Messages &messages) {
  DirectiveSettings &directives = invocation.language.directives;
  for (const Arg *argument : arguments.filtered(OPT_ta_EQ)) {
    llvm::Expected<TargetRequest> targets = addTargetAccelerator(argument->getValue(), invocation.gpu, messages);
    if (!targets)
      return targets.takeError();
    directives.openACC = true;
    directives.openACCOnGpu = targets->gpu || !(targets->host || targets->multicore);
  }
  const Arg *last = arguments.getLastArg(OPT_target_EQ);
  if (!last)
    return llvm::Error::success();
  bool gpu = llvm::StringRef(last->getValue()) == "gpu";
  directives.openACCOnGpu = directives.openACC && gpu;
  directives.stdparOnGpu = directives.stdpar && gpu;
  directives.openMPOffload = directives.openMP && gpu;
  return eachValue(last, {"gpu", "multicore", "host"}, [](llvm::StringRef) {});
}

llvm::Error decodeCuda(const InputArgList &arguments, Invocation &invocation, Messages &messages) {
  for (const Arg *argument :
       arguments.filtered(OPT_cuda, OPT_cuda_EQ, OPT_Mcuda, OPT_Mcuda_EQ, OPT_gpu_EQ, OPT_nocuda)) {
    const Option &option = argument->getOption();
    if (!option.matches(OPT_gpu_EQ))
      invocation.cuda = !option.matches(OPT_nocuda);
    if (argument->getNumValues() == 0)
      continue;
    if (llvm::Error error = addGpuValues(argument->getSpelling(), argument->getValue(), invocation.gpu, messages))
      return error;
  }
  return llvm::Error::success();
}

/// -g and -gopt also hold for device code, unless -gpu= says otherwise.
void inheritDebug(Invocation &invocation) {
  DebugInfo &device = invocation.gpu.device.debug;
  if (device == DebugInfo::None && invocation.codeGen.debug != DebugInfo::None)
    device = invocation.codeGen.optLevel == 0 ? DebugInfo::Full : DebugInfo::Lines;
}

void warnOfDirectives(const DirectiveSettings &directives, Messages &messages) {
  if (directives.openACC)
    messages.warning("OpenACC is not available yet: its directives are ignored and their loops run on the host");
  if (directives.openMPOffload)
    messages.warning("OpenMP on the GPU is not available yet: its directives are compiled for host threads");
  if (directives.stdpar)
    messages.warning("parallel DO CONCURRENT is not available yet: these loops run serially on the host");
}

} // namespace

llvm::Error cufort::driver::decodeGpu(const InputArgList &arguments, Invocation &invocation, Messages &messages) {
  DirectiveSettings &directives = invocation.language.directives;
  if (llvm::Error error = decodeOpenMP(arguments, directives))
    return error;
  if (llvm::Error error = decodeOpenACC(arguments, directives))
    return error;
  if (llvm::Error error = decodeStdpar(arguments, directives))
    return error;
  if (llvm::Error error = decodeTargets(arguments, invocation, messages))
    return error;
  if (llvm::Error error = decodeCuda(arguments, invocation, messages))
    return error;
  inheritDebug(invocation);
  warnOfDirectives(directives, messages);
  return llvm::Error::success();
}
