#include "driver/Options/HostCpus.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace cufort::driver;

namespace {

struct HostCpu {
  llvm::StringLiteral name, llvmName;
};

const HostCpu cpus[] = {
    {"native", "native"},           {"host", "native"},
#if defined(__aarch64__)
    {"neoverse-n1", "neoverse-n1"}, {"neoverse-n2", "neoverse-n2"},
    {"neoverse-v1", "neoverse-v1"}, {"neoverse-v2", "neoverse-v2"},
    {"grace", "neoverse-v2"},       {"thunderx2", "thunderx2t99"},
#else
    {"px", ""},
    {"px-64", ""},
    {"x64", ""},
    {"x86-64", ""},
    {"x86-64-v2", "x86-64-v2"},
    {"x86-64-v3", "x86-64-v3"},
    {"x86-64-v4", "x86-64-v4"},
    {"k8", "k8"},
    {"k8-64", "k8"},
    {"p7", "nocona"},
    {"p7-64", "nocona"},
    {"core2", "core2"},
    {"core2-64", "core2"},
    {"penryn", "penryn"},
    {"penryn-64", "penryn"},
    {"nehalem", "nehalem"},
    {"nehalem-64", "nehalem"},
    {"barcelona", "barcelona"},
    {"barcelona-64", "barcelona"},
    {"shanghai", "barcelona"},
    {"shanghai-64", "barcelona"},
    {"istanbul", "barcelona"},
    {"istanbul-64", "barcelona"},
    {"sandybridge", "sandybridge"},
    {"sandybridge-64", "sandybridge"},
    {"ivybridge", "ivybridge"},
    {"haswell", "haswell"},
    {"haswell-64", "haswell"},
    {"broadwell", "broadwell"},
    {"knl", "x86-64-v3"},
    {"skylake", "skylake-avx512"},
    {"cascadelake", "cascadelake"},
    {"icelake", "icelake-server"},
    {"sapphirerapids", "sapphirerapids"},
    {"alderlake", "alderlake"},
    {"bulldozer", "bdver1"},
    {"bulldozer-64", "bdver1"},
    {"piledriver", "bdver2"},
    {"piledriver-64", "bdver2"},
    {"zen", "znver1"},
    {"zen2", "znver2"},
    {"zen3", "znver3"},
    {"zen4", "znver4"},
    {"zen5", "znver5"},
#endif
};

} // namespace

std::optional<llvm::StringRef> cufort::driver::llvmCpuName(llvm::StringRef name) {
  for (const HostCpu &cpu : cpus)
    if (cpu.name == name)
      return llvm::StringRef(cpu.llvmName);
  return std::nullopt;
}

llvm::SmallVector<llvm::StringRef, 64> cufort::driver::llvmCpuNames() {
  llvm::SmallVector<llvm::StringRef, 64> names;
#if defined(__x86_64__)
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
#endif
  return names;
}

bool cufort::driver::isLlvmCpu(llvm::StringRef name) {
  auto names = llvmCpuNames();
  return name == "native" || names.empty() || llvm::is_contained(names, name);
}

llvm::SmallVector<llvm::StringRef, 64> cufort::driver::hostCpuNames() {
  llvm::SmallVector<llvm::StringRef, 64> names;
  for (const HostCpu &cpu : cpus)
    names.push_back(cpu.name);
  return names;
}
