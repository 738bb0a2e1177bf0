#include "codegen/DeviceLink/LimitedRegisters.h"
#include "codegen/Reports/ResourceReport.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace cufort::codegen;

/// The most registers with which another block runs, for kernels of `code` that are a little above.
static RegisterLimits limitsBelow(const Assembled &assembled, const GpuCode &code) {
  constexpr unsigned few = 8; // that a kernel is likely to do without
  RegisterLimits limits;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    unsigned warps = code.waiting.lookup(kernel.name).warps;
    if (!warps || warps > 32)
      continue;
    unsigned limit = registersFor(warps, blocksAtOnce(warps, kernel.registers) + 1);
    if (limit > 0 && kernel.registers - limit <= few)
      limits[kernel.name] = limit;
  }
  return limits;
}

/// Bytes that a thread may put aside in memory, and fetch again.
struct Aside {
  unsigned stored, loaded;
  unsigned frame = 0; ///< that its memory may take beside, as procedures for divisions have it
};

/// If another block runs for it. Measured on an H200, of eight kernels without loops four gained 2 to 11 % by a block
/// that costs nothing, and four others nothing; kernels that calculate in loops lost 1 to 7 %.
static constexpr Aside forAnotherBlock = {12, 24}, forAnotherWithoutLoops = {0, 0};

/// In CUF kernels of which few blocks run: one in so many instructions may access what is put aside. Fewer in those
/// without loops that wait for loads which depend on others: measured on an H200, two of them lost 22 and 28 % by one
/// in 48 and one in 118, and one gained 18 % by one in 384.
static constexpr unsigned instructionsForOneAside = 24, instructionsBetweenLoads = 160;

/// Registers with which enough threads run, and most that CUF kernels need for which doing with these is tried.
static constexpr unsigned enoughRegisters = 64, mostReduced = 112;

/// How many times the loads under way have to be what they were for more registers to pay.
static constexpr double worthwhileLoads = 1.1;

/// Instructions for each place where a kernel waits for loads up to which that is what takes its time.
static constexpr unsigned instructionsForWaits = 128;

/// True if a CUF kernel of several rounds waits for loads at more places in `after` than in `before`: with a limit,
/// ptxas may issue them one by one. Measured on an H200, 14 places instead of 13 made such a kernel 15 % slower.
/// Kernels that are written as such gained by another block nevertheless, three of five by 1 to 10 %.
static bool waitsMore(StringRef kernel, const GpuCode &code, const Assembled &before, const Assembled &after) {
  KernelInstructions without = before.instructions.lookup(kernel), with = after.instructions.lookup(kernel);
  return code.ofLoops.lookup(kernel).hasLoops && with.waits > without.waits &&
         without.count <= instructionsForWaits * without.waits;
}

/// The kernels of `limits` that with them, in `after`, need more memory than they may, beyond what they needed
/// `before`, or wait more.
static SmallVector<std::string> findCostly(const RegisterLimits &limits, const Assembled &before,
                                           const Assembled &after, const GpuCode &code,
                                           function_ref<Aside(StringRef)> mostOf) {
  StringMap<KernelResources> unlimited;
  for (const KernelResources &kernel : readResources(before.log))
    unlimited[kernel.name] = kernel;
  SmallVector<std::string> costly;
  for (const KernelResources &kernel : readResources(after.log)) {
    const KernelResources &without = unlimited[kernel.name];
    Aside most = mostOf(kernel.name);
    // Memory for what is put aside comes in pieces of 8 bytes.
    if (limits.contains(kernel.name) &&
        (kernel.stack > without.stack + alignTo(most.stored, 8) + most.frame ||
         kernel.spillStores > without.spillStores + most.stored ||
         kernel.spillLoads > without.spillLoads + most.loaded || waitsMore(kernel.name, code, before, after)))
      costly.push_back(kernel.name);
  }
  return costly;
}

/// Names the kernels of `chosen` that are worse in `after`, with these limits, than in `before`.
using FindWorse = function_ref<SmallVector<std::string>(const RegisterLimits &chosen, const Assembled &before,
                                                        const Assembled &after)>;

/// `assembled`, whose kernels have `limits`, or code in which those of `chosen` have these as well, except those that
/// are worse with them. `limits` gets the others.
static Assembled withLimitsThatPay(Assembled assembled, RegisterLimits chosen, RegisterLimits &limits,
                                   const GpuCode &code, const CodegenOptions &options, const GpuTarget &target,
                                   FindWorse findWorse) {
  while (!chosen.empty()) {
    RegisterLimits all = limits;
    for (const auto &limit : chosen)
      all[limit.first()] = limit.second;
    auto again = runPtxas(withLimits(code.ptx, all), options, target);
    if (!again) {
      consumeError(again.takeError());
      return assembled;
    }
    SmallVector<std::string> worse = findWorse(chosen, assembled, *again);
    if (worse.empty()) {
      limits = std::move(all);
      return std::move(*again);
    }
    for (const std::string &name : worse)
      chosen.erase(name);
  }
  return assembled;
}

/// `assembled`, whose kernels have `limits`, or with fewer registers for some others.
static Assembled withFewerRegisters(Assembled assembled, RegisterLimits &limits, const GpuCode &code,
                                    const CodegenOptions &options, const GpuTarget &target) {
  RegisterLimits fewer = limitsBelow(assembled, code);
  for (const auto &limit : limits)
    fewer.erase(limit.first());
  auto mostOf = [&](StringRef kernel) {
    return code.waiting.lookup(kernel).hasLoops ? forAnotherBlock : forAnotherWithoutLoops;
  };
  auto findWorse = [&](const RegisterLimits &chosen, const Assembled &before, const Assembled &after) {
    return findCostly(chosen, before, after, code, mostOf);
  };
  return withLimitsThatPay(std::move(assembled), std::move(fewer), limits, code, options, target, findWorse);
}

/// True if the loops of a kernel access what is put aside too often in `after`: what is behind them, such as the end of
/// reductions, may have ten times their instructions. Threads that load neighbours wait for the cache, which serves
/// what is put aside, too: measured on an H200, such a kernel took 0.35 ms instead of 0.23. One that waits for memory,
/// and puts aside twice as much, took 0.10 ms instead of 0.23.
static bool loopsAccessAside(StringRef kernel, const Assembled &before, const Assembled &after) {
  constexpr double manyShared = 0.5;
  KernelInstructions without = before.instructions.lookup(kernel), with = after.instructions.lookup(kernel);
  return with.sharedLines >= manyShared && with.asideInLoops > without.asideInLoops + 1.0 / instructionsForOneAside;
}

/// `assembled`, or code in which CUF kernels with many registers have fewer, so that more of their blocks run at a
/// time, where that costs few accesses to memory. Measured on an H200, five of five gained, by 3 to 63 %. Of 15 kernels
/// that are written as such, eleven lost by 1 to 14 %: they have many loads under way instead.
static Assembled withManyBlocks(Assembled assembled, RegisterLimits &limits, const GpuCode &code,
                                const CodegenOptions &options, const GpuTarget &target) {
  RegisterLimits fewer;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    unsigned warps = code.ofLoops.lookup(kernel.name).warps;
    if (warps && kernel.registers > enoughRegisters && kernel.registers <= mostReduced &&
        blocksAtOnce(warps, enoughRegisters) > blocksAtOnce(warps, kernel.registers))
      fewer[kernel.name] = enoughRegisters;
  }
  auto findWorse = [&](const RegisterLimits &chosen, const Assembled &before, const Assembled &after) {
    return findCostly(chosen, before, after, code, [&](StringRef kernel) {
      constexpr unsigned accessBytes = 8;
      if (loopsAccessAside(kernel, before, after))
        return Aside{0, 0};
      bool hasWaits = !code.ofLoops.lookup(kernel).hasLoops && before.instructions.lookup(kernel).trips > 1;
      unsigned instructions = after.instructions.lookup(kernel).count;
      unsigned bytes = instructions / (hasWaits ? instructionsBetweenLoads : instructionsForOneAside) * accessBytes;
      return Aside{bytes, bytes, /*frame=*/8};
    });
  };
  return withLimitsThatPay(std::move(assembled), std::move(fewer), limits, code, options, target, findWorse);
}

/// One step of registers more for CUF kernels with loops that wait for loads more than once.
static RegisterLimits limitsAbove(const Assembled &assembled, const RegisterLimits &limits, const GpuCode &code) {
  RegisterLimits more;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    unsigned registers = registerSteps(kernel.registers) + registerStep;
    if (code.ofLoops.lookup(kernel.name).hasLoops && !limits.contains(kernel.name) && registers <= enoughRegisters &&
        assembled.instructions.lookup(kernel.name).trips > 1)
      more[kernel.name] = registers;
  }
  return more;
}

/// The loads that a multiprocessor has under way, of each CUF kernel.
static StringMap<double> loadsOfLoops(const Assembled &assembled, const GpuCode &code) {
  StringMap<double> loads;
  for (const KernelResources &kernel : readResources(assembled.log))
    loads[kernel.name] = loadsUnderWay(std::max(code.ofLoops.lookup(kernel.name).warps, 1u), kernel.registers,
                                       assembled.instructions.lookup(kernel.name).trips);
  return loads;
}

/// `assembled`, or code in which CUF kernels with loops have one step of registers more, where ptxas has saved them at
/// the price of loads that come one after another: if fewer blocks then have more loads under way together. Measured on
/// an H200, eight of eight gained, by 3 to 59 %. Kernels that are written as such often lose by it: of ten, five by 5
/// to 15 %, and one gained.
static Assembled withFewerTrips(Assembled assembled, RegisterLimits &limits, const GpuCode &code,
                                const CodegenOptions &options, const GpuTarget &target) {
  auto findWorse = [&](const RegisterLimits &chosen, const Assembled &before, const Assembled &after) {
    StringMap<double> loads = loadsOfLoops(before, code), loadsNow = loadsOfLoops(after, code);
    SmallVector<std::string> worse;
    for (const auto &limit : chosen)
      if (loadsNow.lookup(limit.first()) < worthwhileLoads * loads.lookup(limit.first()))
        worse.push_back(limit.first().str());
    return worse;
  };
  RegisterLimits more = limitsAbove(assembled, limits, code);
  return withLimitsThatPay(std::move(assembled), std::move(more), limits, code, options, target, findWorse);
}

Expected<Limited> cufort::codegen::assembleWithLimits(const GpuCode &code, const CodegenOptions &options,
                                                      const GpuTarget &target) {
  auto assembled = runPtxas(code.ptx, options, target);
  if (!assembled)
    return assembled.takeError();
  Limited result = {std::move(*assembled), {}};
  if (options.maxRegisters)
    return std::move(result);
  for (auto change : {withManyBlocks, withFewerRegisters, withFewerTrips})
    result.assembled = change(std::move(result.assembled), result.limits, code, options, target);
  return std::move(result);
}
