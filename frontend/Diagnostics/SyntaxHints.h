// What the parser's messages do not say about mistakes in the syntax of CUDA Fortran.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cufort::frontend {

/// A better message, and the column of `line` that it is about (0 is the first).
struct SyntaxHint {
  std::string text;
  size_t column;
};

/// Returns what is wrong with `line`, in which the parser has found the syntax `error` at `column`, if it is a common
/// mistake in CUDA Fortran.
std::optional<SyntaxHint> explainSyntaxError(llvm::StringRef line, size_t column, llvm::StringRef error);

/// True if `line` has what only CUDA Fortran has.
bool looksLikeCuda(llvm::StringRef line);

} // namespace cufort::frontend
