#include "codegen/DeviceLink/Alternatives.h"
#include "codegen/Reports/ResourceReport.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace cufort::codegen;

/// The most registers that a thread can have.
static constexpr unsigned mostRegisters = 255;
/// Instructions from which on a kernel is worth the time to compile it several times.
static constexpr unsigned fewestInstructions = 96;
/// How many instructions there have to be for each access to what a thread puts aside beyond what it did before.
static constexpr unsigned instructionsForAside = 6;

/// By kernel: limits of registers, one for each alternative.
using Alternatives = StringMap<SmallVector<unsigned, 4>>;

static std::string nameOf(StringRef kernel, unsigned limit) { return (kernel + "$" + Twine(limit)).str(); }

/// The limits that are tried for a kernel with blocks of so many warps that needs so many registers: as many as there
/// are, those with which half of the blocks run at a time, a quarter more, and twice as many.
static SmallVector<unsigned, 4> limitsFor(unsigned warps, unsigned registers) {
  unsigned blocks = std::max(1u, blocksAtOnce(warps, registers)), most = blocksAtOnce(warps, 1);
  unsigned more = std::max(blocks + 1, (5 * blocks + 3) / 4), many = std::max(more + 1, 2 * blocks);
  SmallVector<unsigned, 4> limits;
  auto add = [&](unsigned limit) {
    if (limit > 0 && limit != registers && !is_contained(limits, limit))
      limits.push_back(limit);
  };
  add(mostRegisters);
  add(registersFor(warps, (blocks + 1) / 2));
  for (unsigned each : {more, many})
    if (each <= most)
      add(registersFor(warps, each));
  return limits;
}

/// True if blocks of the kernel `name` wait for all others, so that all have to run at a time: launches try nothing
/// then.
static bool waitsForGrid(StringRef ptx, StringRef name) {
  constexpr StringLiteral workspace = "%envreg1";
  if (!ptx.contains(workspace))
    return false;
  StringRef kernel = ptx.substr(ptx.find((".entry " + name + "(").str()));
  kernel = kernel.take_front(kernel.find("\n}"));
  return kernel.contains(workspace) || kernel.contains("call");
}

/// Alternatives to the kernels of `assembled` that usually run and are not too small.
static Alternatives candidates(const Assembled &assembled, const GpuCode &code) {
  Alternatives result;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    unsigned warps = code.running.lookup(kernel.name).warps;
    if (warps && assembled.instructions.lookup(kernel.name).count >= fewestInstructions &&
        !waitsForGrid(code.ptx, kernel.name))
      result[kernel.name] = limitsFor(warps, kernel.registers);
  }
  return result;
}

/// `ptx` with the alternatives behind the kernels.
static std::string withCopies(StringRef ptx, const Alternatives &alternatives) {
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
    for (unsigned limit : alternatives.lookup(name))
      result += ("\n.visible .entry " + nameOf(name, limit) + parameters.drop_front(name.size()) + "\n.maxnreg " +
                 Twine(limit) + ptx.slice(begin, last))
                    .str();
    ptx = ptx.drop_front(last);
  }
}

/// Accesses to what a thread has put aside in memory.
static unsigned asideOf(const KernelResources &kernel) {
  constexpr unsigned accessBytes = 4;
  return (kernel.spillLoads + kernel.spillStores) / accessBytes;
}

/// Those of `limits` with which ptxas makes something of `kernel` that may be faster, and that no smaller one gives:
/// more registers, or more blocks for few accesses to what is put aside.
static SmallVector<unsigned, 4> worthwhile(const KernelResources &kernel, ArrayRef<unsigned> limits, unsigned warps,
                                           unsigned instructions, const StringMap<KernelResources> &resources) {
  SmallVector<unsigned, 4> sorted(limits), result;
  llvm::sort(sorted);
  unsigned last = kernel.registers, blocks = blocksAtOnce(warps, kernel.registers);
  for (unsigned limit : sorted) {
    const KernelResources copy = resources.lookup(nameOf(kernel.name, limit));
    if (copy.registers == 0) // ptxas has told nothing
      continue;
    if (limit < kernel.registers) {
      unsigned now = blocksAtOnce(warps, copy.registers), aside = asideOf(copy);
      if (now > blocks && instructionsForAside * (aside - std::min(aside, asideOf(kernel))) <= instructions)
        result.push_back(limit);
    } else if (copy.registers > last) {
      last = copy.registers;
      result.push_back(limit);
    }
  }
  return result;
}

/// Those of `all`, whose copies are in `assembled`, that may be faster than what they are copies of.
static Alternatives worthwhile(const Alternatives &all, const Assembled &assembled, const GpuCode &code) {
  StringMap<KernelResources> resources;
  for (const KernelResources &kernel : readResources(assembled.log))
    resources[kernel.name] = kernel;
  Alternatives result;
  for (const auto &[kernel, limits] : all) {
    auto chosen = worthwhile(resources.lookup(kernel), limits, code.running.lookup(kernel).warps,
                             assembled.instructions.lookup(kernel).count, resources);
    if (!chosen.empty())
      result[kernel] = std::move(chosen);
  }
  return result;
}

/// Tells launches of `alternatives`. Those to a kernel come before its versions, and those to a version behind it.
static void addAlternatives(GpuCode &code, const Alternatives &alternatives) {
  std::vector<CodeVersion> versions;
  auto add = [&](StringRef kernel, StringRef to) {
    for (unsigned limit : alternatives.lookup(to)) {
      CodeVersion &version = versions.emplace_back();
      version.kernel = kernel.str();
      version.symbol = nameOf(to, limit);
      version.isAlternative = true;
      code.special.insert(version.symbol);
    }
  };
  for (const auto &kernel : alternatives)
    if (!code.special.contains(kernel.first()))
      add(kernel.first(), kernel.first());
  for (CodeVersion &version : code.versions) {
    std::string kernel = version.kernel, symbol = version.symbol;
    versions.push_back(std::move(version));
    add(kernel, symbol);
  }
  code.versions = std::move(versions);
}

Assembled cufort::codegen::withAlternatives(Limited usual, GpuCode &code, const CodegenOptions &options,
                                            const GpuTarget &target) {
  Alternatives alternatives = candidates(usual.assembled, code);
  for (bool areChosen = false; !alternatives.empty(); areChosen = true) {
    std::string ptx = withCopies(code.ptx, alternatives);
    auto assembled = runPtxas(withLimits(ptx, usual.limits), options, target);
    if (!assembled) {
      consumeError(assembled.takeError());
      break;
    }
    if (areChosen) {
      code.ptx = std::move(ptx);
      addAlternatives(code, alternatives);
      return std::move(*assembled);
    }
    alternatives = worthwhile(alternatives, *assembled, code);
  }
  return std::move(usual.assembled);
}
