#include "codegen/Reports/ResourceReport.h"
#include "codegen/Support/SourceName.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

using namespace llvm;
using cufort::codegen::KernelResources;

namespace {

/// The number before `what` in `line`, or 0.
unsigned numberBefore(StringRef line, StringRef what) {
  unsigned number = 0;
  auto [before, after] = line.split(what);
  if (before.size() == line.size())
    return 0;
  before = before.rtrim();
  before = before.drop_front(before.find_last_of(' ') + 1);
  return before.getAsInteger(10, number) ? 0 : number;
}

/// The text between the first quotes in `line`.
StringRef quoted(StringRef line) { return line.split('\'').second.split('\'').first; }

} // namespace

std::vector<KernelResources> cufort::codegen::readResources(StringRef log) {
  std::vector<KernelResources> result;
  std::optional<KernelResources> current;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      current = KernelResources{quoted(line).str()};
    } else if (current && line.contains("bytes stack frame")) {
      current->stack = numberBefore(line, " bytes stack frame");
      current->spillStores = numberBefore(line, " bytes spill stores");
      current->spillLoads = numberBefore(line, " bytes spill loads");
    } else if (current && line.contains(": Used ")) {
      current->registers = numberBefore(line, " registers");
      current->shared = numberBefore(line, " bytes smem");
      result.push_back(*std::exchange(current, std::nullopt));
    }
  }
  return result;
}

void cufort::codegen::reportResources(ArrayRef<KernelResources> kernels, StringRef target, raw_ostream &out) {
  for (const KernelResources &kernel : kernels) {
    out << kernelName(kernel.name) << " for " << target << ": " << kernel.registers << " registers, " << kernel.shared
        << " bytes of shared memory";
    if (kernel.stack)
      out << ", " << kernel.stack << " bytes of stack";
    if (kernel.spillStores || kernel.spillLoads)
      out << ", spills: " << kernel.spillStores << " bytes stored, " << kernel.spillLoads << " loaded";
    out << '\n';
  }
}
