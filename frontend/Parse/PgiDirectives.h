// Directives in the spelling of the compilers that CUDA Fortran began with.
#pragma once

namespace Fortran::parser {
class CookedSource;
}

namespace cufort::frontend {

/// Makes `!dir$ ignore_tkr` of `!pgi$ ignore_tkr` and `!nvf$ ignore_tkr`, and of `ignore_tr`, in a source after
/// prescanning, and `!dir$ unroll 4` of `!dir$ unroll(4)`. Other lines that begin with `!pgi$` or `!nvf$` are comments.
void translatePgiDirectives(const Fortran::parser::CookedSource &source);

} // namespace cufort::frontend
