#include "driver/Toolchain/Machine.h"
#include "driver/Toolchain/DeviceTargets.h"

using namespace cufort::driver;

Machine::Machine(llvm::StringRef executable, const Invocation &invocation, Messages &messages)
    : program(executable), hostTools(findHostTools()),
      runtimeLibraries(locateRuntime(executable, invocation.resourceDir)), toolkits(findCudaToolkits()) {
  const GpuRequest &gpu = invocation.gpu;
  const CudaToolkit *chosen = chooseToolkit(toolkits, gpu.toolkit, gpu.toolkitAnyMinor);
  if (!chosen && !toolkits.empty()) {
    chosen = &toolkits.front();
    messages.warning("CUDA " + cudaVersionText(gpu.toolkit) + " is not installed; using " + chosen->versionText() +
                     " in " + chosen->root);
  }
  if (chosen)
    toolkitIndex = chosen - toolkits.data();
}

const std::vector<NativeGpu> &Machine::nativeGpus() {
  if (!gpus)
    gpus = detectNativeGpus();
  return *gpus;
}

DeviceSettings Machine::deviceSettings(const GpuRequest &request, bool exact, Messages &messages) {
  auto ask = [&] { return exact || request.namesTargets() ? nativeGpus() : std::vector<NativeGpu>(); };
  DeviceSettings device = request.device;
  device.targets = resolveTargets(request, toolkit(), ask, messages);
  device.cudaVersion = assumedCudaVersion;
  if (const CudaToolkit *cuda = toolkit()) {
    device.cudaVersion = cuda->version ? cuda->version : assumedCudaVersion;
    device.ptxas = cuda->ptxas;
    device.libdevice = cuda->libdevice;
  }
  return device;
}

namespace {

void printLine(llvm::raw_ostream &os, llvm::StringRef name, llvm::StringRef value) {
  os << name << ':';
  os.indent(name.size() < 22 ? 23 - name.size() : 1) << (value.empty() ? "not found" : value) << '\n';
}

std::string describe(llvm::Expected<std::string> found) {
  if (found)
    return *found;
  llvm::consumeError(found.takeError());
  return "";
}

} // namespace

void Machine::print(llvm::raw_ostream &os) {
  for (const CudaToolkit &cuda : toolkits)
    printLine(os, &cuda == toolkit() ? "CUDA toolkit" : "other CUDA toolkit",
              cuda.root + " (" + cuda.versionText() + ", found by " + cuda.foundBy + ")");
  if (toolkits.empty())
    printLine(os, "CUDA toolkit", "");
  const CudaToolkit *cuda = toolkit();
  printLine(os, "ptxas", cuda ? cuda->ptxas : "");
  printLine(os, "libdevice", cuda ? cuda->libdevice : "");
  printLine(os, "nvcc", cuda ? cuda->nvcc : "");
  for (const NativeGpu &gpu : nativeGpus())
    printLine(os, "GPU", gpu.name + " (cc" + std::to_string(gpu.arch) + ")");
  if (nativeGpus().empty())
    printLine(os, "GPU", "none");
  printLine(os, "C compiler", hostTools.cc);
  printLine(os, "C++ compiler", hostTools.cxx);
  printLine(os, "lld", hostTools.linker);
  printLine(os, "resource directory", runtimeLibraries.resourceDir);
  printLine(os, "module directory", runtimeLibraries.moduleDir);
  printLine(os, "cufort runtime", describe(runtimeLibraries.find(cufortRuntimeFile, hostTools)));
  printLine(os, "Fortran runtime", describe(runtimeLibraries.find(flangRuntimeFile, hostTools)));
  printLine(os, "C++ library", describe(runtimeLibraries.find("libstdc++.a", hostTools)));
  printLine(os, "OpenMP library", findOpenMPLibrary(runtimeLibraries, hostTools));
}
