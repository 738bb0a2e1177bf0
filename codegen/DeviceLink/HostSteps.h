// What of a kernel the host can calculate when it launches: numbers that follow from parameters.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace cufort::codegen {

/// The steps that the host takes for one kernel (CufortStep). Equal calculations are one step.
class HostSteps {
public:
  /// The step whose result is `value`, an integer of 32 or 64 bits or an address; nothing if it follows from more than
  /// parameters and constants, or takes too many steps.
  std::optional<unsigned> stepOf(llvm::Value &value);

  /// Steps on results of others, with 64 bits.
  unsigned constant(uint64_t number) { return add({CufortStepConstant, 64, 0, 0, 0, number}); }
  unsigned sum(unsigned first, unsigned second) { return operate(CufortStepAdd, 64, first, second); }
  unsigned difference(unsigned first, unsigned second) { return operate(CufortStepSubtract, 64, first, second); }
  unsigned product(unsigned first, unsigned second) { return operate(CufortStepMultiply, 64, first, second); }

  unsigned operate(CufortStepKind kind, uint8_t bits, unsigned first, unsigned second = 0);

  /// True if there are so many steps that a record may not have those of a further value.
  bool areTooMany() const { return steps.size() + 16 > CufortMaxSteps; }

  /// Forgets which steps values are: some are about to go. Steps stay.
  void forgetValues() { known.clear(); }

  /// Drops steps that none of `needed`, whose numbers change, needs.
  void dropOthers(llvm::MutableArrayRef<unsigned *> needed);

  llvm::ArrayRef<CufortStep> all() const { return steps; }

private:
  unsigned add(const CufortStep &step);
  std::optional<unsigned> ofParameter(const llvm::Argument &argument, uint64_t offset, const llvm::Type &type);
  std::optional<unsigned> ofInstruction(llvm::Instruction &instruction);

  std::vector<CufortStep> steps;
  std::map<std::tuple<uint8_t, uint8_t, uint16_t, uint16_t, uint64_t>, unsigned> numbers;
  llvm::DenseMap<llvm::Value *, std::optional<unsigned>> known;
};

} // namespace cufort::codegen
