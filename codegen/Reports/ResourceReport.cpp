#include "codegen/Reports/ResourceReport.h"
#include "codegen/Support/SourceName.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

using namespace llvm;

namespace {

/// What ptxas says of one kernel.
struct Resources {
  std::string kernel;
  unsigned stack = 0, spillStores = 0, spillLoads = 0;
};

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

void print(const Resources &resources, StringRef used, StringRef target, raw_ostream &out) {
  out << resources.kernel << " for " << target << ": " << numberBefore(used, " registers") << " registers, "
      << numberBefore(used, " bytes smem") << " bytes of shared memory";
  if (resources.stack)
    out << ", " << resources.stack << " bytes of stack";
  if (resources.spillStores || resources.spillLoads)
    out << ", spills: " << resources.spillStores << " bytes stored, " << resources.spillLoads << " loaded";
  out << '\n';
}

} // namespace

void cufort::codegen::reportResources(StringRef log, StringRef target, raw_ostream &out) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  std::optional<Resources> current;
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function"))
      current = Resources{kernelName(quoted(line))};
    else if (current && line.contains("bytes stack frame"))
      *current = {current->kernel, numberBefore(line, " bytes stack frame"), numberBefore(line, " bytes spill stores"),
                  numberBefore(line, " bytes spill loads")};
    else if (current && line.contains(": Used "))
      print(*std::exchange(current, std::nullopt), line, target, out);
  }
}
