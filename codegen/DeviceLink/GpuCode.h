// PTX of a program's device code.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>

namespace cufort::codegen {

/// The form of a kernel that it does not have (see LeanForms).
struct OtherForm {
  std::string body;   ///< of the kernel in PTX
  unsigned limit = 0; ///< of its registers; 0 if it has none
};

struct GpuCode {
  std::string ptx;
  std::vector<CodeVersion> versions;    ///< of its kernels
  llvm::StringMap<std::string> usual;   ///< by kernel: the version that usually runs, if there are any
  llvm::StringSet<> special;            ///< all versions and alternatives
  llvm::StringMap<KernelShape> running; ///< see kernelsWithChoice; those that usually run, none below -O3
  llvm::StringMap<KernelShape> waiting; ///< see kernelsThatWaitForMemory; none below -O3
  llvm::StringMap<KernelShape> ofLoops; ///< see kernelsOfLoops; none below -O3
  /// Returns the PTX of the lean forms of kernels alone; null if there are none. See LeanForms.
  std::function<llvm::Expected<std::string>()> leanForms;
  /// Returns `ptx` with the lean forms of these kernels. Both need the context of the module that this is made of.
  std::function<llvm::Expected<std::string>(const llvm::StringSet<> &kernels)> withLeanForms;
  /// Returns `ptx`, with the usual forms of all kernels, as it is if the back end moves nothing towards where it is
  /// needed; null below -O3. Needs the same.
  std::function<llvm::Expected<std::string>()> withoutSinking;
  llvm::StringMap<OtherForm> otherForms; ///< by kernel; known when machine code has been made
};

/// Returns the PTX of `module` (linked device code, not yet optimised, left unchanged) for `target`.
llvm::Expected<GpuCode> generatePTX(const llvm::Module &module, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
