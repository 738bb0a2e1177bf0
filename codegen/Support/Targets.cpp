// LLVM target machines.

#include "codegen/Support/Targets.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace cufort::codegen;

void cufort::codegen::initialiseTargets() {
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
}

static CodeGenOptLevel levelOf(unsigned optLevel) {
  return optLevel == 0   ? CodeGenOptLevel::None
         : optLevel == 1 ? CodeGenOptLevel::Less
         : optLevel == 2 ? CodeGenOptLevel::Default
                         : CodeGenOptLevel::Aggressive;
}

static std::optional<CodeModel::Model> codeModelOf(StringRef name) {
  return StringSwitch<std::optional<CodeModel::Model>>(name)
      .Case("medium", CodeModel::Medium)
      .Case("large", CodeModel::Large)
      .Default(std::nullopt);
}

Expected<std::unique_ptr<TargetMachine>> cufort::codegen::createHostMachine(const CodegenOptions &options) {
  Triple triple(sys::getDefaultTargetTriple());
  std::string problem;
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return createStringError(problem);
  std::string cpu = options.cpu == "native" ? sys::getHostCPUName().str() : options.cpu;
  std::string features;
  if (options.cpu == "native")
    for (const auto &feature : sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  TargetOptions targetOptions;
  targetOptions.UseInitArray = true; // constructors in .ctors would never run
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu, features, targetOptions, options.pic ? Reloc::PIC_ : Reloc::Static,
                                  codeModelOf(options.codeModel), levelOf(options.optLevel)));
}

/// The PTX version that first knows an architecture: newer ones need newer drivers and toolkits for nothing.
static unsigned firstPtx(const GpuTarget &target) {
  if (target.arch == 88 || target.arch == 110)
    return 90;
  if (target.suffix == 'f' || target.arch == 103 || target.arch == 121)
    return 88;
  if (target.arch >= 120)
    return 87;
  if (target.arch >= 100)
    return 86;
  return 80;
}

Expected<std::unique_ptr<TargetMachine>> cufort::codegen::createGpuMachine(const CodegenOptions &options,
                                                                           const GpuTarget &target, unsigned ptx) {
  Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const Target *nvptx = TargetRegistry::lookupTarget(triple, problem);
  if (!nvptx)
    return createStringError(problem);
  TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = options.fma ? FPOpFusion::Fast : FPOpFusion::Standard;
  std::string feature = "+ptx" + std::to_string(std::max(ptx, firstPtx(target)));
  return std::unique_ptr<TargetMachine>(nvptx->createTargetMachine(triple, target.name(), feature, targetOptions,
                                                                   Reloc::PIC_, {}, CodeGenOptLevel::Aggressive));
}
