#include "codegen/DeviceLink/MachineCode.h"
#include "codegen/DeviceLink/MachineInstructions.h"
#include "codegen/Process/TemporaryFile.h"
#include "codegen/Reports/ResourceReport.h"
#include "codegen/Support/SourceName.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

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

namespace {

struct Assembled {
  std::string code, log;
  StringMap<KernelInstructions> instructions; ///< in the code
};

/// Registers that kernels may have, by their names.
using RegisterLimits = StringMap<unsigned>;

} // namespace

/// What names of versions with many registers end in.
static constexpr StringLiteral wideSuffix = "$wide";

/// Bytes of PTX from which on ptxas is asked to use all cores.
static constexpr size_t manyKernels = 1 << 17;

static Expected<Assembled> runPtxas(StringRef ptx, const CodegenOptions &options, const GpuTarget &target) {
  auto input = TemporaryFile::create("ptx", ptx);
  auto output = TemporaryFile::create("cubin");
  auto messages = TemporaryFile::create("log");
  if (!input || !output || !messages)
    return joinErrors(joinErrors(input.takeError(), output.takeError()), messages.takeError());
  std::string arch = "-arch=" + target.name();
  SmallVector<StringRef> arguments{options.ptxas, arch, "-O3", input->name(), "-o", output->name(), "-v"};
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
  auto instructions = readInstructions(code);
  return Assembled{std::move(code), std::move(log), std::move(instructions)};
}

/// Registers that a thread has come in steps of so many.
static constexpr unsigned registerStep = 8;

static unsigned registerSteps(unsigned registers) {
  return static_cast<unsigned>(alignTo(std::max(registers, 1u), registerStep));
}

/// How many blocks of so many warps run on a multiprocessor at a time if each thread has so many registers.
static unsigned blocksAtOnce(unsigned warps, unsigned registers) {
  constexpr unsigned allRegisters = 65536, warp = 32, most = 64;
  return std::min(most, allRegisters / warp / registerSteps(registers)) / warps;
}

/// The most registers with which so many blocks run.
static unsigned registersFor(unsigned warps, unsigned blocks) {
  unsigned registers = 255;
  while (registers > 0 && blocksAtOnce(warps, registers) < blocks)
    --registers;
  return registers;
}

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

/// `ptx` with `limits` in the heads of the kernels.
static std::string withLimits(StringRef ptx, const RegisterLimits &limits) {
  std::string result;
  constexpr StringLiteral entry = ".entry ", body = "\n{";
  while (true) {
    size_t head = ptx.find(entry), end = ptx.find(body, head);
    if (head == StringRef::npos || end == StringRef::npos)
      return result += ptx;
    StringRef name = ptx.drop_front(head + entry.size()).take_until([](char c) { return c == '('; });
    result += ptx.take_front(end);
    if (auto limit = limits.find(name); limit != limits.end())
      result += "\n.maxnreg " + std::to_string(limit->second);
    ptx = ptx.drop_front(end);
  }
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

/// The loads that a multiprocessor has under way, of each kernel, in units of that kernel.
static StringMap<double> loadsUnderWay(const Assembled &assembled, const GpuCode &code) {
  StringMap<double> loads;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    StringRef shaped = StringRef(kernel.name);
    shaped.consume_back(wideSuffix);
    unsigned warps = std::max({code.ofLoops.lookup(shaped).warps, code.waiting.lookup(shaped).warps, 1u});
    unsigned trips = std::max(assembled.instructions.lookup(kernel.name).trips, 1u);
    loads[kernel.name] = double(blocksAtOnce(warps, kernel.registers)) / trips;
  }
  return loads;
}

/// `assembled`, or code in which CUF kernels with loops have one step of registers more, where ptxas has saved them at
/// the price of loads that come one after another: if fewer blocks then have more loads under way together. Measured on
/// an H200, eight of eight gained, by 3 to 59 %. Kernels that are written as such often lose by it: of ten, five by 5
/// to 15 %, and one gained.
static Assembled withFewerTrips(Assembled assembled, RegisterLimits &limits, const GpuCode &code,
                                const CodegenOptions &options, const GpuTarget &target) {
  auto findWorse = [&](const RegisterLimits &chosen, const Assembled &before, const Assembled &after) {
    StringMap<double> loads = loadsUnderWay(before, code), loadsNow = loadsUnderWay(after, code);
    SmallVector<std::string> worse;
    for (const auto &limit : chosen)
      if (loadsNow.lookup(limit.first()) < worthwhileLoads * loads.lookup(limit.first()))
        worse.push_back(limit.first().str());
    return worse;
  };
  RegisterLimits more = limitsAbove(assembled, limits, code);
  return withLimitsThatPay(std::move(assembled), std::move(more), limits, code, options, target, findWorse);
}

namespace {

/// Machine code, and the limits of registers that its kernels have.
struct Limited {
  Assembled assembled;
  RegisterLimits limits;
};

} // namespace

/// The machine code of `code`, with the limits of registers that pay.
static Expected<Limited> assembleWithLimits(const GpuCode &code, const CodegenOptions &options,
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

/// The kernels whose `lean` forms are better than the `usual` ones. Measured on an H200 with 60 CUF kernels: of eleven
/// for which this holds, eight gained 1 to 33 % and none lost; of the others, eight would have gained up to 16 % and 17
/// would have lost 2 to 45 %.
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
    code.ptx = std::move(forms.ptx);
    return Limited{std::move(*assembled), std::move(limits)};
  };
  auto chosen = choose();
  if (chosen)
    return std::move(*chosen);
  consumeError(chosen.takeError());
  return usual;
}

//===-- Versions with many registers ------------------------------------------------------------------------------===//

/// Registers that a version may have, and that kernels have up to which one is tried.
static constexpr unsigned wideRegisters = 255, mostBeforeWide = 128;
/// How often a kernel has to wait for loads.
static constexpr unsigned fewestTrips = 4;
/// How many times the loads under way have to be what they were. Measured on an H200, of twelve kernels that are
/// written as such, with 2.7 to 4.4 times the loads, five gained 6 to 117 %, five nothing, and two lost 3 and 11 %. Of
/// four with 1.5 to 2 times, two lost 15 and 24 %.
static constexpr double worthwhileWideLoads = 2.5;

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
  StringMap<double> loads = loadsUnderWay(assembled, code);
  StringSet<> worthwhile;
  for (const auto &kernel : kernels)
    if (loads.lookup((kernel.first() + wideSuffix).str()) >= worthwhileWideLoads * loads.lookup(kernel.first()))
      worthwhile.insert(kernel.first());
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

/// Gives kernels of `code` versions with many registers where these have more loads under way.
static Assembled withWideVersions(Limited usual, GpuCode &code, const CodegenOptions &options,
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

//===-- All of it -------------------------------------------------------------------------------------------------===//

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
  Assembled assembled = withWideVersions(std::move(*usual), code, options, target);
  if (options.ptxInfo)
    errs() << assembled.log;
  if (options.kernelInfo)
    reportResources(usualResources(assembled.log, code), target.name(), errs());
  return std::move(assembled.code);
}
