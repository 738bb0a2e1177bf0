#include "codegen/DeviceLink/MachineCode.h"
#include "codegen/DeviceLink/Alternatives.h"
#include "codegen/DeviceLink/LimitedRegisters.h"
#include "codegen/DeviceLink/LoadsAhead.h"
#include "codegen/DeviceLink/PtxKernels.h"
#include "codegen/Reports/ResourceReport.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace cufort::codegen;

/// How many times the instructions of the usual form a better one may have.
static constexpr double mostInstructions = 1.01;

/// True if a form of a kernel is worth more than the `usual` one: it has no more registers, needs no more memory and
/// waits no more often, and less of one of these.
static bool isBetter(const KernelResources &lean, const KernelInstructions &leanCode, const KernelResources &usual,
                     const KernelInstructions &usualCode) {
  std::array costs = {registerSteps(lean.registers), lean.spillStores, leanCode.waits, leanCode.trips};
  std::array usualCosts = {registerSteps(usual.registers), usual.spillStores, usualCode.waits, usualCode.trips};
  return leanCode.count <= mostInstructions * usualCode.count && costs != usualCosts &&
         llvm::equal(costs, usualCosts, std::less_equal<>());
}

/// The kernels whose `lean` forms are better than the `usual` ones. Measured on an H200 with 45 CUF kernels: of eleven
/// for which this holds, seven gained 3 to 33 % and none lost; of the others, five would have gained up to 16 % and 13
/// would have lost 1 to 46 %.
static StringSet<> betterForms(const Assembled &usual, const Assembled &lean) {
  StringMap<KernelResources> before;
  for (const KernelResources &kernel : readResources(usual.log))
    before[kernel.name] = kernel;
  StringSet<> better;
  for (const KernelResources &kernel : readResources(lean.log))
    if (isBetter(kernel, lean.instructions.lookup(kernel.name), before[kernel.name],
                 usual.instructions.lookup(kernel.name)))
      better.insert(kernel.name);
  return better;
}

/// Keeps of `forms`, PTX with `limits`, what kernels of `code` do not have, which have the lean forms of `better`.
static void keepOtherForms(GpuCode &code, StringRef forms, const RegisterLimits &limits, bool areLean,
                           const StringSet<> &better) {
  for (const PtxKernel &kernel : kernelsIn(forms))
    if (areLean != better.contains(kernel.name))
      code.otherForms[kernel.name] = {kernel.body.str(), limits.lookup(kernel.name)};
}

/// Gives the kernels of `code` lean forms where these are better, and returns the machine code; `usual` if that fails.
static Limited withBetterForms(Limited usual, GpuCode &code, const CodegenOptions &options, const GpuTarget &target) {
  auto choose = [&]() -> Expected<Limited> {
    GpuCode forms = code;
    if (Error error = code.leanForms().moveInto(forms.ptx))
      return std::move(error);
    auto lean = assembleWithLimits(forms, options, target);
    if (!lean)
      return lean.takeError();
    StringSet<> better = betterForms(usual.assembled, lean->assembled);
    keepOtherForms(code, forms.ptx, lean->limits, /*areLean=*/true, better);
    if (better.empty())
      return usual;
    if (Error error = code.withLeanForms(better).moveInto(forms.ptx))
      return std::move(error);
    RegisterLimits limits = usual.limits;
    for (const auto &kernel : better) {
      limits.erase(kernel.first());
      if (auto limit = lean->limits.find(kernel.first()); limit != lean->limits.end())
        limits[kernel.first()] = limit->second;
    }
    auto assembled = runPtxas(withLimits(forms.ptx, limits), options, target);
    if (!assembled)
      return assembled.takeError();
    keepOtherForms(code, code.ptx, usual.limits, /*areLean=*/false, better);
    code.ptx = std::move(forms.ptx);
    return Limited{std::move(*assembled), std::move(limits)};
  };
  auto chosen = choose();
  if (chosen)
    return std::move(*chosen);
  consumeError(chosen.takeError());
  return usual;
}

/// Gives kernels of `code` that need many registers another form, in which the back end has moved nothing: what it
/// moves behind branches leaves registers for what it is made of, instead of one for itself. Which is better depends.
static void addUnsunkForms(GpuCode &code, const Limited &usual) {
  constexpr unsigned many = 128;
  StringSet<> crowded;
  for (const KernelResources &kernel : readResources(usual.assembled.log))
    if (kernel.registers > many && code.running.contains(kernel.name) && !code.otherForms.contains(kernel.name))
      crowded.insert(kernel.name);
  if (crowded.empty() || !code.withoutSinking)
    return;
  auto ptx = code.withoutSinking();
  if (!ptx)
    return consumeError(ptx.takeError());
  StringMap<StringRef> bodies;
  for (const PtxKernel &kernel : kernelsIn(code.ptx))
    bodies[kernel.name] = kernel.body;
  for (const PtxKernel &kernel : kernelsIn(*ptx))
    if (crowded.contains(kernel.name) && bodies.lookup(kernel.name) != kernel.body)
      code.otherForms[kernel.name] = {kernel.body.str()};
}

/// Takes alternatives with loads ahead from `code` whose machine code in `assembled` adds and multiplies in another way
/// than that of the kernels: ptxas joins products and sums where it likes, and rounds once then.
static void dropOtherCalculations(GpuCode &code, const Assembled &assembled) {
  auto differs = [&](StringRef name) {
    StringRef kernel = name;
    return kernel.consume_back(loadsAheadSuffix) &&
           assembled.instructions.lookup(name).realOperations != assembled.instructions.lookup(kernel).realOperations;
  };
  erase_if(code.versions, [&](const CodeVersion &version) { return differs(version.symbol); });
  std::string kept;
  StringRef rest = code.ptx;
  for (const PtxKernel &kernel : kernelsIn(code.ptx)) {
    if (!differs(kernel.name))
      continue;
    size_t start = rest.take_front(kernel.name.data() - rest.data()).rfind(".visible .entry");
    kept += rest.take_front(start);
    rest = rest.drop_front(kernel.body.end() - rest.data());
  }
  code.ptx = kept + rest.str();
}

/// What each kernel needs where its usual version runs.
static std::vector<KernelResources> usualResources(StringRef log, const GpuCode &code) {
  std::vector<KernelResources> result, all = readResources(log);
  StringMap<const KernelResources *> byName;
  for (const KernelResources &each : all)
    byName[each.name] = &each;
  for (const KernelResources &each : all) {
    if (code.special.contains(each.name))
      continue;
    const KernelResources *usual = byName.lookup(code.usual.lookup(each.name));
    result.push_back(usual ? *usual : each);
    result.back().name = each.name;
  }
  return result;
}

Expected<std::string> cufort::codegen::assemblePTX(GpuCode &code, const CodegenOptions &options,
                                                   const GpuTarget &target) {
  auto usual = assembleWithLimits(code, options, target);
  if (!usual)
    return usual.takeError();
  if (code.leanForms)
    *usual = withBetterForms(std::move(*usual), code, options, target);
  addUnsunkForms(code, *usual);
  dropOtherCalculations(code, usual->assembled);
  Assembled assembled = withAlternatives(std::move(*usual), code, options, target);
  if (options.ptxInfo)
    errs() << assembled.log;
  if (options.kernelInfo)
    reportResources(usualResources(assembled.log, code), target.name(), errs());
  return std::move(assembled.code);
}
