// The emulated device's code of a large program, which several processes generate.
#pragma once

#include "codegen/DeviceLink/EmulatedModule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// Divides kernels into shares of about the same size. Share 0 has everything else, and the kernels that use variables
/// of the program, which exist once; what other kernels call is in each share that calls it.
class EmulatedShares {
public:
  /// Makes one share, if dividing does not pay, or up to `most`.
  EmulatedShares(llvm::ArrayRef<EmulatedKernel> kernels, unsigned most);

  unsigned count() const { return shares; }

  /// Leaves in `module` the definitions of share `number`, and in `kernels` its kernels. In share 0, `kernels` stays
  /// complete: those of other shares are declared.
  void keep(unsigned number, llvm::Module &module, std::vector<EmulatedKernel> &kernels) const;

private:
  unsigned shares = 1;
  llvm::SmallVector<unsigned> shareOf; ///< of each kernel
};

/// The functions of `kernel` that the image has the addresses of.
llvm::SmallVector<llvm::Function *, 3> entriesOf(const EmulatedKernel &kernel);

/// Lets the code of other shares refer to `entry`, but not other files of the program.
void showToShares(llvm::Function &entry);

/// Joins the objects of all shares to one, by the linker `linker`.
llvm::Expected<llvm::SmallVector<char, 0>> joinObjects(llvm::ArrayRef<llvm::SmallVector<char, 0>> objects,
                                                       llvm::StringRef linker);

} // namespace cufort::codegen
