// What ptxas makes of PTX.
#pragma once

#include "codegen/DeviceLink/MachineInstructions.h"
#include "codegen/Support/CodegenOptions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cufort::codegen {

struct Assembled {
  std::string code, log;                            ///< a cubin, and what `ptxas -v` has written, if needed
  llvm::StringMap<KernelInstructions> instructions; ///< in the code
};

/// Registers that kernels may have, by their names.
using RegisterLimits = llvm::StringMap<unsigned>;

/// Returns the machine code of `ptx`. ptxas's messages are in the error.
llvm::Expected<Assembled> runPtxas(llvm::StringRef ptx, const CodegenOptions &options, const GpuTarget &target);

/// `ptx` with `limits` in the heads of the kernels.
std::string withLimits(llvm::StringRef ptx, const RegisterLimits &limits);

/// Registers that a thread has come in steps of so many.
inline constexpr unsigned registerStep = 8;

/// The registers that a thread which needs `registers` has.
unsigned registerSteps(unsigned registers);

/// How many blocks of so many warps run on a multiprocessor at a time if each thread has so many registers.
unsigned blocksAtOnce(unsigned warps, unsigned registers);

/// The most registers with which so many blocks run; 0 if no number lets them.
unsigned registersFor(unsigned warps, unsigned blocks);

/// The loads that a multiprocessor has under way, in units of a kernel, if each thread waits for loads `trips` times
/// that it has issued since it waited last.
double loadsUnderWay(unsigned warps, unsigned registers, unsigned trips);

} // namespace cufort::codegen
