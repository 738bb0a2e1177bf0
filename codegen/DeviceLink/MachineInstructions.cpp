// NVIDIA does not document the instructions. A result that takes long, such as that of a load, has one of six barriers,
// whose number is in the instruction; an instruction that needs the result has a bit for that barrier in its mask.
// Branches hold the distance from the next instruction, in bytes, or from compute capability 9.0 on in units of 4 bytes
// of which the lowest 8 bits stand apart.

#include "codegen/DeviceLink/MachineInstructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Endian.h"
#include <optional>

using namespace llvm;
using namespace cufort::codegen;

static constexpr unsigned instructionBytes = 16;

namespace {

class Instruction {
public:
  explicit Instruction(const char *bytes)
      : low(support::endian::read64le(bytes)), high(support::endian::read64le(bytes + 8)) {}

  bool loadsGlobal() const { return operation() == 0x981; }
  /// True for loads and stores of a thread's own memory.
  bool isAside() const { return operation() == 0x983 || operation() == 0x387; }

  /// The place of what it does in KernelInstructions::realOperations; nothing if it is none of these.
  std::optional<size_t> realOperation() const {
    constexpr unsigned operations[] = {0x21, 0x20, 0x23, 0x29, 0x28, 0x2b};
    // Three bits say whether an operand is a register, a constant, or in constant memory.
    const unsigned *found = find(operations, operation() & 0x1ff);
    return found == std::end(operations) ? std::nullopt : std::optional(found - std::begin(operations));
  }

  unsigned addressRegister() const { return low >> 24 & 0xff; }
  /// What a load adds to its register, in bytes.
  int offset() const { return static_cast<int>(static_cast<int64_t>(low) >> 40); }

  bool isBranch() const { return operation() == 0x947; }
  unsigned lowestOfDistance() const { return low >> 16 & 0xff; }
  /// How far from the next instruction a branch leads, in bytes.
  int64_t distance(bool isInUnits) const {
    auto inBytes = static_cast<int32_t>(low >> 32);
    return isInUnits ? (int64_t(inBytes >> 2) << 8 | lowestOfDistance()) * 4 : inBytes;
  }

  /// The bit of the barrier that the result has; 0 if it has none.
  unsigned barrier() const {
    constexpr unsigned none = 7;
    unsigned number = high >> 46 & 7;
    return number == none ? 0 : 1u << number;
  }

  unsigned waitsFor() const { return high >> 52 & 0x3f; }

private:
  unsigned operation() const { return low & 0xfff; }

  uint64_t low, high;
};

/// The loads that have been issued, by the barriers that their results have.
class PendingLoads {
public:
  void add(const Instruction &load, unsigned trips) {
    loading |= load.barrier();
    if (load.barrier())
      issued[countr_zero(load.barrier())] = trips;
  }

  /// True if `instruction` waits for any of them; `isNew` says that one was issued when there had been as many trips as
  /// now. What has been waited for is no longer pending.
  bool await(const Instruction &instruction, unsigned trips, bool &isNew) {
    unsigned awaited = loading & instruction.waitsFor();
    loading &= ~awaited;
    isNew = false;
    for (unsigned left = awaited; left; left &= left - 1)
      isNew |= issued[countr_zero(left)] == trips;
    return awaited != 0;
  }

private:
  unsigned loading = 0;
  unsigned issued[8] = {}; ///< by the number of the barrier: trips before the load
};

} // namespace

/// The places of the first and last instructions of the outermost loops of `code`. A loop ends with a branch backwards;
/// one to itself, which follows the end of a kernel, is none.
static SmallVector<std::pair<size_t, size_t>> outermostLoops(ArrayRef<Instruction> code) {
  bool isInUnits =
      any_of(code, [](const Instruction &each) { return each.isBranch() && each.lowestOfDistance() != 0; });
  SmallVector<std::pair<size_t, size_t>> loops;
  for (size_t last = 0; last < code.size(); ++last) {
    if (!code[last].isBranch())
      continue;
    int64_t first = int64_t(last) + 1 + code[last].distance(isInUnits) / int64_t(instructionBytes);
    if (first < 0 || first >= int64_t(last))
      continue;
    while (!loops.empty() && loops.back().second >= size_t(first)) {
      first = std::min<int64_t>(first, loops.back().first);
      loops.pop_back();
    }
    loops.emplace_back(first, last);
  }
  return loops;
}

/// True if a load near `code[place]` is from the same line of the cache: the same register and an offset.
static bool sharesLine(ArrayRef<Instruction> code, size_t place) {
  constexpr size_t near = 32;
  constexpr int lineBytes = 128;
  size_t first = place - std::min(place, near);
  return any_of(code.slice(first, std::min(code.size(), place + near) - first), [&](const Instruction &other) {
    int distance = std::abs(other.offset() - code[place].offset());
    return other.loadsGlobal() && other.addressRegister() == code[place].addressRegister() && distance > 0 &&
           distance < lineBytes;
  });
}

/// Sets what `result` has about loops.
static void readLoops(ArrayRef<Instruction> code, KernelInstructions &result) {
  for (auto [first, last] : outermostLoops(code)) {
    auto loop = code.slice(first, last + 1 - first);
    size_t loads = 0, shared = 0, aside = 0;
    for (size_t place = 0; place < loop.size(); ++place) {
      aside += loop[place].isAside();
      loads += loop[place].loadsGlobal();
      shared += loop[place].loadsGlobal() && sharesLine(loop, place);
    }
    double share = double(aside) / double(loop.size());
    if (!loads || share <= result.asideInLoops)
      continue;
    result.asideInLoops = share;
    result.sharedLines = double(shared) / double(loads);
  }
}

static KernelInstructions readKernel(StringRef bytes) {
  SmallVector<Instruction, 0> code;
  for (size_t at = 0; at + instructionBytes <= bytes.size(); at += instructionBytes)
    code.emplace_back(bytes.data() + at);
  KernelInstructions result;
  readLoops(code, result);
  PendingLoads loads;
  for (const Instruction &instruction : code) {
    bool isNew;
    ++result.count;
    result.waits += loads.await(instruction, result.trips, isNew);
    result.trips += isNew;
    if (instruction.loadsGlobal())
      loads.add(instruction, result.trips);
    if (auto operation = instruction.realOperation())
      ++result.realOperations[*operation];
  }
  return result;
}

StringMap<KernelInstructions> cufort::codegen::readInstructions(StringRef code) {
  StringMap<KernelInstructions> kernels;
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(code, "machine code"));
  if (!file) {
    consumeError(file.takeError());
    return kernels;
  }
  for (const object::SectionRef &section : (*file)->sections()) {
    auto name = section.getName();
    auto contents = section.getContents();
    if (!name)
      consumeError(name.takeError());
    if (!contents)
      consumeError(contents.takeError());
    if (name && contents && name->consume_front(".text."))
      kernels[*name] = readKernel(*contents);
  }
  return kernels;
}
