#include "codegen/DeviceLink/EmulatedShares.h"
#include "codegen/Process/TemporaryFile.h"
#include "codegen/Support/LLVMPasses.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Program.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace cufort::codegen;

/// Instructions of kernels for which a process pays: they take about half a second.
static constexpr unsigned leastShare = 1000;

SmallVector<Function *, 3> cufort::codegen::entriesOf(const EmulatedKernel &kernel) {
  SmallVector<Function *, 3> entries;
  for (Function *entry : {kernel.thread, kernel.blocks, kernel.resume})
    if (entry)
      entries.push_back(entry);
  return entries;
}

/// True if nothing that `kernel` uses has to exist once.
static bool canBeAnywhere(const EmulatedKernel &kernel) {
  if (kernel.flags & CufortEntryChecked)
    return false;
  SmallVector<const Value *> waiting;
  SmallPtrSet<const Value *, 32> seen;
  auto use = [&](const Value *value) {
    if (isa<Constant>(value) && !isa<ConstantData>(value) && seen.insert(value).second)
      waiting.push_back(value);
  };
  for (Function *entry : entriesOf(kernel))
    use(entry);
  while (!waiting.empty()) {
    const Value *value = waiting.pop_back_val();
    auto *variable = dyn_cast<GlobalVariable>(value);
    if (variable && !variable->isDeclaration() && !(variable->isConstant() && variable->hasLocalLinkage()))
      return false;
    for (const Use &operand : cast<Constant>(value)->operands())
      use(operand);
    if (auto *function = dyn_cast<Function>(value))
      for (const Instruction &instruction : instructions(*function))
        for (const Use &operand : instruction.operands())
          use(operand);
  }
  return true;
}

EmulatedShares::EmulatedShares(ArrayRef<EmulatedKernel> kernels, unsigned most) : shareOf(kernels.size(), 0) {
  unsigned all = 0;
  for (const EmulatedKernel &kernel : kernels)
    all += kernel.instructions;
  shares = std::clamp(all / leastShare, 1u, std::max(most, 1u));
  if (shares == 1)
    return;
  SmallVector<unsigned> sizes(shares, 0);
  SmallVector<size_t> anywhere;
  for (auto [number, kernel] : enumerate(kernels))
    if (canBeAnywhere(kernel))
      anywhere.push_back(number);
    else
      sizes[0] += kernel.instructions;
  for (size_t number : anywhere) {
    auto smallest = min_element(sizes);
    shareOf[number] = smallest - sizes.begin();
    *smallest += kernels[number].instructions;
  }
  shares = 1 + *max_element(shareOf);
}

void cufort::codegen::showToShares(Function &entry) {
  entry.setLinkage(GlobalValue::ExternalLinkage);
  entry.setVisibility(GlobalValue::HiddenVisibility);
}

void EmulatedShares::keep(unsigned number, Module &module, std::vector<EmulatedKernel> &kernels) const {
  std::vector<EmulatedKernel> kept;
  SmallVector<GlobalValue *> elsewhere;
  for (auto [kernel, share] : zip(kernels, shareOf)) {
    for (Function *entry : entriesOf(kernel)) {
      if (share != number) {
        entry->deleteBody();
        elsewhere.push_back(entry);
      }
      if (share != 0)
        showToShares(*entry);
      else if (share == number) // until the image refers to it
        entry->setLinkage(GlobalValue::ExternalLinkage);
    }
    if (share == number)
      kept.push_back(kernel);
  }
  // Nothing refers to these until the image does.
  if (number == 0)
    appendToCompilerUsed(module, elsewhere);
  if (number > 0) {
    SmallPtrSet<const GlobalValue *, 32> entries;
    for (const EmulatedKernel &kernel : kept)
      entries.insert_range(entriesOf(kernel));
    for (GlobalValue &value : module.global_values())
      if (!value.isDeclaration() && !entries.contains(&value)) {
        value.setLinkage(GlobalValue::InternalLinkage);
        if (auto *object = dyn_cast<GlobalObject>(&value))
          object->setComdat(nullptr);
      }
    kernels = std::move(kept);
  }
  removeUnused(module);
}

Expected<SmallVector<char, 0>> cufort::codegen::joinObjects(ArrayRef<SmallVector<char, 0>> objects, StringRef linker) {
  std::vector<TemporaryFile> files;
  SmallVector<StringRef> arguments{linker, "-r", "-o"};
  auto output = TemporaryFile::create("o");
  if (!output)
    return output.takeError();
  arguments.push_back(output->name());
  files.reserve(objects.size());
  for (const SmallVector<char, 0> &object : objects) {
    auto file = TemporaryFile::create("o", StringRef(object.data(), object.size()));
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    arguments.push_back(files.back().name());
  }
  std::string problem;
  if (sys::ExecuteAndWait(linker, arguments, std::nullopt, {}, 0, 0, &problem) != 0)
    return createStringError("'" + linker + "' cannot join the code of the emulated device" +
                             (problem.empty() ? "" : ": " + problem));
  std::string joined = output->read();
  return SmallVector<char, 0>(joined.begin(), joined.end());
}
