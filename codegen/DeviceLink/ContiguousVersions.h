// Versions of kernels for arrays whose elements are neighbours in memory.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include "llvm/ADT/SmallVector.h"

namespace cufort::codegen {

/// Returns a version of `kernel` for arrays with plain strides (cufortNoteStrides), if it computes with strides that
/// descriptors among its arguments have.
std::optional<KernelVersion> createContiguousVersion(llvm::Function &kernel);

/// A stride of the second or a later dimension in such a version, which is not negative.
struct NarrowStride {
  llvm::Argument *parameter; ///< the stride, or a descriptor
  uint64_t offset;           ///< in bytes, of the stride in the parameter
  uint64_t elementBytes;
  llvm::SmallVector<llvm::Value *, 2> values; ///< in 32 bits: the parameter, or loads from it
};

/// Those of each array are in the order of its dimensions.
llvm::SmallVector<NarrowStride> narrowStridesOf(llvm::Function &version);

/// Takes out of such a version what only tells of factors that strides have.
void forgetFactors(llvm::Function &version);

/// Lets what `blocks`, which runs blocks of the emulated device, calls for their threads take arrays of assumed shape
/// for such with plain strides. Returns the numbers of the kernel's parameters that have to be descriptors of such
/// arrays; none if nothing has changed.
llvm::SmallVector<unsigned> assumePlainStrides(llvm::Function &blocks);

} // namespace cufort::codegen
