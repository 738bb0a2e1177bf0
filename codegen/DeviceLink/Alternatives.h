// Alternatives to kernels: their code once more with other limits of registers, and their other forms. Launches measure
// which is fastest.
#pragma once

#include "codegen/DeviceLink/LimitedRegisters.h"

namespace cufort::codegen {

/// Gives the kernels and versions of `code` that usually run alternatives: other forms, and more or fewer registers
/// where ptxas makes something else of them that may be faster. Returns the machine code; that of `usual` if there are
/// none.
Assembled withAlternatives(Limited usual, GpuCode &code, const CodegenOptions &options, const GpuTarget &target);

} // namespace cufort::codegen
