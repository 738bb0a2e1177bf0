// Versions of kernels, for launches of which more is known. They are functions beside the kernel, with its parameters:
// the runtime decides when it launches (CufortVersion), so that threads need not, and each has the registers that it
// needs.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <optional>
#include <string>
#include <vector>

namespace cufort::codegen {

/// How many places there are for the threads of a grid on an axis: what two parameters have in 32 bits with a sign, the
/// first less the second, and a constant. Null is for 0.
struct GridPlaces {
  unsigned axis;
  const llvm::Argument *added, *subtracted;
  int32_t constant;
};

/// What has to hold of a launch.
class LaunchCondition {
public:
  /// The 32 bits at `offset` of `parameter`, and `mask`, are `value`.
  void requireBits(const llvm::Argument &parameter, uint64_t offset, uint32_t mask, uint32_t value);

  /// The 32 bits at `firstOffset` of `first` are those at `secondOffset` of `second`.
  void requireEqualBits(const llvm::Argument &first, uint64_t firstOffset, const llvm::Argument &second,
                        uint64_t secondOffset);

  /// `descriptor` is that of an array with plain strides (cufortNoteStrides).
  void requirePlainStrides(const llvm::Argument &descriptor);
  void requirePlainStrides(const llvm::GlobalVariable &descriptor);

  /// The strides of both are the same, if they are plain.
  void requireSameStrides(const llvm::GlobalVariable &first, const llvm::GlobalVariable &second);

  /// Blocks have so many threads on `axis`.
  void requireBlock(unsigned axis, unsigned threads);

  /// The grid has a thread for each of `places`.
  void requireThreads(const GridPlaces &places);

  /// The result of `step`, which the host calculates, is from `least` to `most`.
  void requireStep(unsigned step, uint32_t least, uint32_t most);

  /// All that `other` requires.
  void require(const LaunchCondition &other);

  llvm::ArrayRef<CufortTest> tests() const { return all; }
  llvm::ArrayRef<std::string> variables() const { return names; }

private:
  uint16_t numberOf(llvm::StringRef variable);

  std::vector<CufortTest> all;
  std::vector<std::string> names; ///< of variables, in the order of their numbers
};

/// What the host calculates for a version, and what parameters get of it.
struct HostCalculation {
  std::vector<CufortStep> steps;
  std::vector<CufortValue> values;
};

struct KernelVersion {
  std::string kernel;
  llvm::Function *function;
  LaunchCondition condition;
  HostCalculation calculation = {};
  uint16_t kernelParameters = 0; ///< how many the kernel has, if the host calculates
};

/// A copy of `kernel`, behind it, whose name ends in `suffix`. `map` gets what became of the values.
llvm::Function *cloneKernel(llvm::Function &kernel, llvm::StringRef suffix, llvm::ValueToValueMapTy &map);

/// Deletes a copy of a kernel, and the shared memory that it had for itself.
void eraseCopy(llvm::Function &copy);

/// A version without its function.
struct CodeVersion {
  std::string kernel, symbol;
  LaunchCondition condition;
  HostCalculation calculation;
  uint16_t kernelParameters = 0, versionParameters = 0; ///< 0 if the host calculates nothing
  /// The code of the version before, or of the kernel itself, once more (CufortTestAlternative): no condition then.
  bool isAlternative = false;
  /// Of an alternative whose blocks do what two neighbours on this axis do: it has one parameter more than that code,
  /// which has so many.
  std::optional<unsigned> pairedAxis = std::nullopt;
  uint16_t parameters = 0;
};

CodeVersion describeVersion(const KernelVersion &version);

/// The records of `versions` for the fat binary. Those of a kernel are in the order in which they are tried.
std::string encodeVersions(llvm::ArrayRef<CodeVersion> versions);

/// True if nothing but loads uses `argument`, so that its memory has what the caller put there.
bool isOnlyLoaded(const llvm::Argument &argument);

/// The argument and the constant offset that `address` is made of; null if it is made of something else.
std::pair<llvm::Argument *, int64_t> placeInArgument(llvm::Value *address, const llvm::DataLayout &layout);

} // namespace cufort::codegen
