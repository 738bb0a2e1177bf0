#include "codegen/DeviceLink/Assembly.h"
#include "codegen/DeviceLink/PtxKernels.h"
#include "codegen/Process/TemporaryFile.h"
#include "codegen/Support/SourceName.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace cufort::codegen;

/// The errors in what ptxas has written, without the places in PTX; all of it if there are none.
static std::string explainPtxas(StringRef log) {
  std::string result;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    size_t at = line.find("error ");
    if (at != StringRef::npos)
      result += (result.empty() ? "" : "; ") + withSourceNames(line.drop_front(at).split(':').second.trim());
  }
  return result.empty() ? log.trim().str() : result;
}

/// Bytes of PTX from which on ptxas is asked to use all cores.
static constexpr size_t manyKernels = 1 << 17;

/// True if what kernels need is reported, or decides on limits and alternatives. To tell of it, ptxas takes time as the
/// square of the number of kernels: with 3200 of them 119 s instead of 49.
static bool needsResources(const CodegenOptions &options) {
  return options.optLevel == 3 || options.kernelInfo || options.ptxInfo;
}

Expected<Assembled> cufort::codegen::runPtxas(StringRef ptx, const CodegenOptions &options, const GpuTarget &target) {
  auto input = TemporaryFile::create("ptx", ptx);
  auto output = TemporaryFile::create("cubin");
  auto messages = TemporaryFile::create("log");
  if (!input || !output || !messages)
    return joinErrors(joinErrors(input.takeError(), output.takeError()), messages.takeError());
  std::string arch = "-arch=" + target.name();
  SmallVector<StringRef> arguments{options.ptxas, arch, "-O3", input->name(), "-o", output->name()};
  if (needsResources(options))
    arguments.push_back("-v");
  std::string registers = "-maxrregcount=" + std::to_string(options.maxRegisters);
  if (options.maxRegisters)
    arguments.push_back(registers);
  if (options.loadsBypassL1)
    arguments.push_back("--def-load-cache=cg");
  if (options.ptxasSplits && ptx.size() >= manyKernels)
    arguments.push_back("--split-compile=0");
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  std::optional<StringRef> redirects[] = {std::nullopt, messages->name(), messages->name()};
  std::string problem;
  int status = sys::ExecuteAndWait(options.ptxas, arguments, std::nullopt, redirects, 0, 0, &problem);
  std::string log = messages->read();
  if (status != 0)
    return createStringError("ptxas refuses the device code for " + target.name() + ": " +
                             (problem.empty() ? explainPtxas(log) : problem));
  std::string code = output->read();
  auto instructions = needsResources(options) ? readInstructions(code) : StringMap<KernelInstructions>();
  return Assembled{std::move(code), std::move(log), std::move(instructions)};
}

std::string cufort::codegen::withLimits(StringRef ptx, const RegisterLimits &limits) {
  std::string result;
  const char *copied = ptx.begin();
  for (const PtxKernel &kernel : kernelsIn(ptx))
    if (auto limit = limits.find(kernel.name); limit != limits.end()) {
      result.append(copied, kernel.body.begin());
      result += "\n.maxnreg " + std::to_string(limit->second);
      copied = kernel.body.begin();
    }
  return result.append(copied, ptx.end());
}

unsigned cufort::codegen::registerSteps(unsigned registers) {
  return static_cast<unsigned>(alignTo(std::max(registers, 1u), registerStep));
}

unsigned cufort::codegen::blocksAtOnce(unsigned warps, unsigned registers) {
  constexpr unsigned allRegisters = 65536, warp = 32, most = 64;
  return std::min(most, allRegisters / warp / registerSteps(registers)) / warps;
}

unsigned cufort::codegen::registersFor(unsigned warps, unsigned blocks) {
  unsigned registers = 255;
  while (registers > 0 && blocksAtOnce(warps, registers) < blocks)
    --registers;
  return registers;
}

double cufort::codegen::loadsUnderWay(unsigned warps, unsigned registers, unsigned trips) {
  return double(blocksAtOnce(warps, registers)) / std::max(trips, 1u);
}
