// NVIDIA does not document the instructions. A result that takes long, such as that of a load, has one of six barriers,
// whose number is in the instruction; an instruction that needs the result has a bit for that barrier in its mask.

#include "codegen/DeviceLink/MachineInstructions.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr unsigned instructionBytes = 16;

namespace {

class Instruction {
public:
  explicit Instruction(const char *bytes)
      : low(support::endian::read64le(bytes)), high(support::endian::read64le(bytes + 8)) {}

  bool loadsGlobal() const { return (low & 0xfff) == 0x981; }

  /// The bit of the barrier that the result has; 0 if it has none.
  unsigned barrier() const {
    constexpr unsigned none = 7;
    unsigned number = high >> 46 & 7;
    return number == none ? 0 : 1u << number;
  }

  unsigned waitsFor() const { return high >> 52 & 0x3f; }

private:
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

static KernelInstructions readKernel(StringRef code) {
  KernelInstructions result;
  PendingLoads loads;
  for (size_t at = 0; at + instructionBytes <= code.size(); at += instructionBytes) {
    Instruction instruction(code.data() + at);
    bool isNew;
    ++result.count;
    result.waits += loads.await(instruction, result.trips, isNew);
    result.trips += isNew;
    if (instruction.loadsGlobal())
      loads.add(instruction, result.trips);
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
