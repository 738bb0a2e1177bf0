// DOT_PRODUCT with DIM, of module cutensorex.
#pragma once

namespace Fortran::parser {
struct Program;
}
namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Where module cutensorex is used, dot_product(a, b, dim) becomes sum(a * b, dim), with the conjugate of a complex
/// `a`. The names of `program` are resolved, and its expressions not yet analysed.
void rewriteDotProducts(Fortran::semantics::SemanticsContext &context, Fortran::parser::Program &program);

} // namespace cufort::frontend
