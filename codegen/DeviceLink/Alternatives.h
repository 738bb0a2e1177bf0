// Alternatives to kernels: their code once more with other limits of registers, of which launches measure which is
// fastest.
#pragma once

#include "codegen/DeviceLink/LimitedRegisters.h"

namespace cufort::codegen {

/// Gives the kernels and versions of `code` that usually run alternatives with more and with fewer registers, where
/// ptxas makes something else of them that may be faster, and returns the machine code; that of `usual` if there are
/// none.
Assembled withAlternatives(Limited usual, GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
