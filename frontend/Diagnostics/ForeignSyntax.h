// What the parser's messages do not say about lines that are no Fortran: written as in C or CUDA C++, copied from a
// page, or statements where none of their kind may stand.
#pragma once

#include "frontend/Diagnostics/SyntaxHints.h"

namespace cufort::frontend {

/// Returns what is wrong with `line`, in which the parser has found the syntax `error` at `column`, if it looks like
/// another language, has characters that Fortran does not have, or is no statement. `error` begins with the message and
/// goes on with the constructs around it.
std::optional<SyntaxHint> explainForeignSyntax(llvm::StringRef line, size_t column, llvm::StringRef error);

/// What to add to a syntax `error` in `line` if the source may be in the other form, fixed or free; else empty.
llvm::StringRef adviceAboutForm(llvm::StringRef line, llvm::StringRef error);

} // namespace cufort::frontend
