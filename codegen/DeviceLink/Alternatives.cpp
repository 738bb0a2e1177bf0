#include "codegen/DeviceLink/Alternatives.h"
#include "codegen/DeviceLink/PtxKernels.h"
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

namespace {

/// A copy of a kernel, or its other form, with a limit of registers; 0 is none.
struct Alternative {
  unsigned limit;
  bool isOtherForm = false;

  std::string nameOf(StringRef kernel) const {
    return (kernel + "$" + (isOtherForm ? "form" : std::to_string(limit))).str();
  }
};

/// Of one kernel, by their limits: the other form first.
using AlternativeList = SmallVector<Alternative, 5>;

/// By kernel.
using Alternatives = StringMap<AlternativeList>;

} // namespace

/// The limits that are tried for a kernel with blocks of so many warps that needs so many registers: as many as there
/// are, those with which half of the blocks run at a time, a quarter more, and twice as many.
static SmallVector<unsigned, 4> limitsFor(unsigned warps, unsigned registers) {
  unsigned blocks = std::max(1u, blocksAtOnce(warps, registers)), most = blocksAtOnce(warps, 1);
  unsigned more = std::max(blocks + 1, (5 * blocks + 3) / 4), many = std::max(more + 1, 2 * blocks);
  SmallVector<unsigned, 4> limits = {mostRegisters, registersFor(warps, (blocks + 1) / 2)};
  for (unsigned each : {more, many})
    if (each <= most)
      limits.push_back(registersFor(warps, each));
  sort(limits);
  limits.erase(llvm::unique(limits), limits.end());
  erase_if(limits, [=](unsigned limit) { return limit == 0 || limit == registers; });
  return limits;
}

static AlternativeList alternativesTo(const KernelResources &kernel, unsigned warps, const GpuCode &code) {
  AlternativeList result;
  if (auto form = code.otherForms.find(kernel.name); form != code.otherForms.end())
    result.push_back({form->second.limit, /*isOtherForm=*/true});
  for (unsigned limit : limitsFor(warps, kernel.registers))
    result.push_back({limit});
  return result;
}

/// True if blocks of the kernel `name` wait for all others, so that all have to run at a time: launches try nothing
/// then.
static bool waitsForGrid(StringRef ptx, StringRef name) {
  constexpr StringLiteral workspace = "%envreg1";
  if (!ptx.contains(workspace))
    return false;
  std::vector<PtxKernel> kernels = kernelsIn(ptx);
  auto kernel = find_if(kernels, [&](const PtxKernel &each) { return each.name == name; });
  return kernel != kernels.end() && (kernel->body.contains(workspace) || kernel->body.contains("call"));
}

/// Alternatives to the kernels of `assembled` that usually run and are not too small.
static Alternatives candidates(const Assembled &assembled, const GpuCode &code) {
  Alternatives result;
  for (const KernelResources &kernel : readResources(assembled.log)) {
    unsigned warps = code.running.lookup(kernel.name).warps;
    if (warps && assembled.instructions.lookup(kernel.name).count >= fewestInstructions &&
        !waitsForGrid(code.ptx, kernel.name))
      result[kernel.name] = alternativesTo(kernel, warps, code);
  }
  return result;
}

/// The PTX of `code` with the alternatives behind the kernels, or in their place.
static std::string withCopies(const GpuCode &code, const Alternatives &alternatives, bool withKernels) {
  std::string result;
  StringRef ptx = code.ptx;
  const char *copied = ptx.begin();
  for (const PtxKernel &kernel : kernelsIn(ptx)) {
    StringRef before(copied, kernel.name.begin() - copied);
    result.append(copied, withKernels ? kernel.body.end() : copied + before.rfind('\n'));
    copied = kernel.body.end();
    for (const Alternative &each : alternatives.lookup(kernel.name)) {
      result += ("\n.visible .entry " + each.nameOf(kernel.name) + kernel.head).str();
      if (each.limit)
        result += "\n.maxnreg " + std::to_string(each.limit);
      result += each.isOtherForm ? StringRef(code.otherForms.find(kernel.name)->second.body) : kernel.body;
    }
  }
  return result.append(copied, ptx.end());
}

/// Accesses to what a thread has put aside in memory.
static unsigned asideOf(const KernelResources &kernel) {
  constexpr unsigned accessBytes = 4;
  return (kernel.spillLoads + kernel.spillStores) / accessBytes;
}

/// True if the other form of a kernel, which is `usual`, may be faster: few are that access more of what is put aside,
/// or have a third more instructions.
static bool mayPay(const KernelResources &form, const KernelInstructions &code, const KernelResources &usual,
                   const KernelInstructions &usualCode) {
  return form.spillLoads <= usual.spillLoads && 3 * code.count <= 4 * usualCode.count;
}

/// Those of `all` that may be faster than `kernel`: its other form, and limits with which ptxas makes something of it
/// that no smaller one gives: more registers, or more blocks for few accesses to what is put aside.
static AlternativeList worthwhile(const KernelResources &kernel, const KernelInstructions &instructions,
                                  const AlternativeList &all, unsigned warps, const Assembled &copies,
                                  const StringMap<KernelResources> &resources) {
  AlternativeList result;
  unsigned last = kernel.registers, blocks = blocksAtOnce(warps, kernel.registers);
  for (const Alternative &each : all) {
    const KernelResources copy = resources.lookup(each.nameOf(kernel.name));
    bool pays = false;
    if (copy.registers == 0) // ptxas has told nothing
      continue;
    if (each.isOtherForm) {
      const KernelInstructions form = copies.instructions.lookup(copy.name);
      pays = form.realOperations == instructions.realOperations && mayPay(copy, form, kernel, instructions);
    } else if (each.limit < kernel.registers) {
      unsigned now = blocksAtOnce(warps, copy.registers), aside = asideOf(copy);
      pays = now > blocks && instructionsForAside * (aside - std::min(aside, asideOf(kernel))) <= instructions.count;
    } else if (copy.registers > last) {
      last = copy.registers;
      pays = true;
    }
    if (pays)
      result.push_back(each);
  }
  return result;
}

/// Those of `all`, which are in `copies`, that may be faster than the kernels in `usual`.
static Alternatives worthwhile(const Alternatives &all, const Assembled &usual, const Assembled &copies,
                               const GpuCode &code) {
  StringMap<KernelResources> resources;
  for (const KernelResources &copy : readResources(copies.log))
    resources[copy.name] = copy;
  Alternatives result;
  for (const KernelResources &kernel : readResources(usual.log)) {
    StringRef name = kernel.name;
    if (!all.contains(name))
      continue;
    AlternativeList chosen = worthwhile(kernel, usual.instructions.lookup(name), all.lookup(name),
                                        code.running.lookup(name).warps, copies, resources);
    if (!chosen.empty())
      result[name] = std::move(chosen);
  }
  return result;
}

/// Tells launches of `alternatives`. Those to a kernel come before its versions, and those to a version behind it.
static void addAlternatives(GpuCode &code, const Alternatives &alternatives) {
  std::vector<CodeVersion> versions;
  auto add = [&](StringRef kernel, StringRef to) {
    for (const Alternative &each : alternatives.lookup(to)) {
      CodeVersion &version = versions.emplace_back();
      version.kernel = kernel.str();
      version.symbol = each.nameOf(to);
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
  auto choose = [&]() -> Expected<Assembled> {
    Alternatives alternatives = candidates(usual.assembled, code);
    if (alternatives.empty())
      return usual.assembled;
    auto copies = runPtxas(withCopies(code, alternatives, /*withKernels=*/false), options, target);
    if (!copies)
      return copies.takeError();
    alternatives = worthwhile(alternatives, usual.assembled, *copies, code);
    if (alternatives.empty())
      return usual.assembled;
    std::string ptx = withCopies(code, alternatives, /*withKernels=*/true);
    auto assembled = runPtxas(withLimits(ptx, usual.limits), options, target);
    if (!assembled)
      return assembled.takeError();
    code.ptx = std::move(ptx);
    addAlternatives(code, alternatives);
    return assembled;
  };
  auto chosen = choose();
  if (chosen)
    return std::move(*chosen);
  consumeError(chosen.takeError());
  return std::move(usual.assembled);
}
