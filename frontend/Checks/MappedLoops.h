// The loops that a CUF kernel maps to the grid.
#pragma once

#include "flang/Parser/parse-tree.h"

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// The n of `!$cuf kernel do(n)`, 1 without it.
int64_t countMappedLoops(Fortran::semantics::SemanticsContext &context,
                         const Fortran::parser::CUFKernelDoConstruct::Directive &directive);

} // namespace cufort::frontend
