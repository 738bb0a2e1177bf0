#include "driver/Toolchain/DeviceTargets.h"
#include "driver/Options/GpuTargets.h"
#include "llvm/ADT/STLExtras.h"

using namespace cufort::driver;

namespace {

/// The first architecture of each generation from Turing on.
constexpr unsigned majorArchitectures[] = {75, 80, 90, 100, 110, 120};
constexpr unsigned firstOfAll = 75;

bool hasMachineCode(const CudaToolkit *toolkit, unsigned arch) {
  return toolkit && !toolkit->ptxas.empty() &&
         ptxasSupports(toolkit->version ? toolkit->version : assumedCudaVersion, arch);
}

/// Returns what ccall means: every architecture the toolkit makes machine code for; without one, PTX from Turing on.
std::vector<DeviceTarget> allTargets(const CudaToolkit *toolkit) {
  std::vector<DeviceTarget> targets;
  for (const GpuArchitecture &known : gpuArchitectures())
    if (hasMachineCode(toolkit, known.arch) || (!toolkit && known.arch >= firstOfAll))
      targets.push_back({known.arch});
  return targets;
}

void appendNative(std::vector<DeviceTarget> &targets, llvm::ArrayRef<NativeGpu> gpus) {
  for (const NativeGpu &gpu : gpus)
    targets.push_back({gpu.arch});
}

/// Sorts, drops duplicates and decides the forms.
void finish(std::vector<DeviceTarget> &targets, const CudaToolkit *toolkit) {
  auto key = [](const DeviceTarget &target) { return std::make_pair(target.arch, target.suffix); };
  llvm::sort(targets, [&](const DeviceTarget &a, const DeviceTarget &b) { return key(a) < key(b); });
  targets.erase(std::unique(targets.begin(), targets.end(),
                            [&](const DeviceTarget &a, const DeviceTarget &b) { return key(a) == key(b); }),
                targets.end());
  for (DeviceTarget &target : targets) {
    target.cubin = hasMachineCode(toolkit, target.arch);
    target.ptx = !target.cubin;
  }
  // GPUs that come later compile the PTX of the highest one; code for one architecture ("90a") does not serve them.
  auto portable = std::find_if(targets.rbegin(), targets.rend(), [](const DeviceTarget &t) { return !t.suffix; });
  if (portable != targets.rend())
    portable->ptx = true;
}

/// PTX for the default architecture, or for the oldest GPU in the machine if that is older, and machine code for the
/// GPUs in the machine.
std::vector<DeviceTarget> defaultTargets(const CudaToolkit *toolkit, llvm::ArrayRef<NativeGpu> gpus) {
  unsigned base = defaultArchitecture;
  std::vector<DeviceTarget> targets;
  for (const NativeGpu &gpu : gpus) {
    base = std::min(base, gpu.arch);
    if (hasMachineCode(toolkit, gpu.arch))
      targets.push_back({gpu.arch});
  }
  finish(targets, toolkit);
  for (DeviceTarget &target : targets)
    target.ptx = target.arch == base;
  if (targets.empty() || targets.front().arch != base)
    targets.insert(targets.begin(), DeviceTarget{base});
  return targets;
}

} // namespace

std::vector<DeviceTarget> cufort::driver::resolveTargets(const GpuRequest &request, const CudaToolkit *toolkit,
                                                         llvm::function_ref<std::vector<NativeGpu>()> nativeGpus,
                                                         Messages &messages) {
  if (!request.namesTargets())
    return defaultTargets(toolkit, nativeGpus());
  std::vector<DeviceTarget> targets = request.targets;
  if (request.all)
    llvm::append_range(targets, allTargets(toolkit));
  if (request.allMajor)
    for (unsigned arch : majorArchitectures)
      if (!toolkit || hasMachineCode(toolkit, arch))
        targets.push_back({arch});
  if (request.native) {
    std::vector<NativeGpu> gpus = nativeGpus();
    appendNative(targets, gpus);
    if (gpus.empty())
      messages.warning("'-gpu=native': no GPU was found in this machine; making code for cc" +
                       llvm::Twine(defaultArchitecture));
  }
  if (targets.empty())
    targets.push_back({defaultArchitecture});
  finish(targets, toolkit);
  return targets;
}
