#include "codegen/DeviceLink/RegisterVersions.h"
#include "codegen/Reports/ResourceReport.h"

using namespace llvm;
using namespace cufort::codegen;

/// What names of versions with many registers end in.
static constexpr StringLiteral wideSuffix = "$wide";

/// Registers that a version may have, and that kernels have up to which one is tried.
static constexpr unsigned wideRegisters = 255, mostBeforeWide = 128;
/// How often a kernel has to wait for loads.
static constexpr unsigned fewestTrips = 4;
/// How many times the loads under way have to be what they were. Measured on an H200, of twelve kernels that are
/// written as such, with 2.7 to 4.4 times the loads, five gained 6 to 117 %, five nothing, and two lost 3 and 11 %. Of
/// four with 1.5 to 2 times, two lost 15 and 24 %.
static constexpr double worthwhileLoads = 2.5;

/// `ptx` with copies of `kernels` that may have many registers.
static std::string withWideCopies(StringRef ptx, const StringSet<> &kernels) {
  std::string result;
  constexpr StringLiteral entry = ".entry ", body = "\n{", end = "\n}";
  while (true) {
    size_t head = ptx.find(entry), begin = ptx.find(body, head), last = ptx.find(end, begin);
    if (head == StringRef::npos || begin == StringRef::npos || last == StringRef::npos)
      return result += ptx;
    last += end.size();
    StringRef parameters = ptx.slice(head + entry.size(), begin);
    StringRef name = parameters.take_until([](char c) { return c == '('; });
    result += ptx.take_front(last);
    if (kernels.contains(name))
      result += ("\n.visible .entry " + name + wideSuffix + parameters.drop_front(name.size()) + "\n.maxnreg " +
                 Twine(wideRegisters) + ptx.slice(begin, last))
                    .str();
    ptx = ptx.drop_front(last);
  }
}

/// True if blocks of the kernel `name` wait for all others, so that all have to run at a time.
static bool waitsForGrid(StringRef ptx, StringRef name) {
  constexpr StringLiteral workspace = "%envreg1";
  if (!ptx.contains(workspace))
    return false;
  StringRef kernel = ptx.substr(ptx.find((".entry " + name + "(").str()));
  kernel = kernel.take_front(kernel.find("\n}"));
  return kernel.contains(workspace) || kernel.contains("call");
}

/// The kernels, as they are written, that wait for loads so often that a version with many registers may pay.
static StringSet<> wideCandidates(const Assembled &assembled, const GpuCode &code) {
  StringSet<> kernels;
  for (const KernelResources &kernel : readResources(assembled.log))
    if (code.waiting.contains(kernel.name) && !code.ofLoops.contains(kernel.name) &&
        kernel.registers <= mostBeforeWide && assembled.instructions.lookup(kernel.name).trips >= fewestTrips &&
        !waitsForGrid(code.ptx, kernel.name))
      kernels.insert(kernel.name);
  return kernels;
}

/// Those of `kernels` whose copies in `assembled` have so many more loads under way that they pay.
static StringSet<> worthwhileCopies(const StringSet<> &kernels, const Assembled &assembled, const GpuCode &code) {
  StringMap<unsigned> registers;
  for (const KernelResources &kernel : readResources(assembled.log))
    registers[kernel.name] = kernel.registers;
  StringSet<> worthwhile;
  for (const auto &kernel : kernels) {
    auto loadsOf = [&](StringRef form) {
      return loadsUnderWay(code.waiting.lookup(kernel.first()).warps, registers.lookup(form),
                           assembled.instructions.lookup(form).trips);
    };
    double loads = loadsOf((kernel.first() + wideSuffix).str());
    if (loads > 0 && loads >= worthwhileLoads * loadsOf(kernel.first()))
      worthwhile.insert(kernel.first());
  }
  return worthwhile;
}

/// Has launches try the copies of `kernels` before these. The runtime leaves out versions that cannot have so many
/// threads in a block.
static void addWideVersions(GpuCode &code, const StringSet<> &kernels) {
  std::vector<CodeVersion> versions;
  StringSet<> general = kernels;
  auto addCopyOf = [&](CodeVersion version) {
    version.symbol += wideSuffix;
    code.special.insert(version.symbol);
    versions.push_back(std::move(version));
  };
  for (CodeVersion &version : code.versions) {
    general.erase(version.symbol);
    if (kernels.contains(version.symbol))
      addCopyOf(version);
    versions.push_back(std::move(version));
  }
  for (const auto &kernel : general)
    addCopyOf({kernel.first().str(), kernel.first().str(), {}, {}});
  code.versions = std::move(versions);
  code.usual.clear();
  for (const CodeVersion &version : code.versions)
    code.usual.try_emplace(version.kernel, version.symbol);
}

Assembled cufort::codegen::withWideVersions(Limited usual, GpuCode &code, const CodegenOptions &options,
                                            const GpuTarget &target) {
  StringSet<> kernels = options.maxRegisters ? StringSet<>() : wideCandidates(usual.assembled, code);
  for (bool areChosen = false; !kernels.empty(); areChosen = true) {
    std::string ptx = withWideCopies(code.ptx, kernels);
    auto assembled = runPtxas(withLimits(ptx, usual.limits), options, target);
    if (!assembled) {
      consumeError(assembled.takeError());
      break;
    }
    StringSet<> worthwhile = areChosen ? kernels : worthwhileCopies(kernels, *assembled, code);
    if (worthwhile.size() == kernels.size()) {
      code.ptx = std::move(ptx);
      addWideVersions(code, kernels);
      return std::move(*assembled);
    }
    kernels = std::move(worthwhile);
  }
  return std::move(usual.assembled);
}
