// Comma lists of option values, and the suggestion that follows a value or option nobody knows.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cufort::driver {

/// Returns the pieces of `list` between any of `separators`, without the empty ones (`-gpu=cc80,` is allowed).
llvm::SmallVector<llvm::StringRef, 8> splitList(llvm::StringRef list, llvm::StringRef separators = ",");

/// Returns the word of `known` that `word` is most probably a misspelling of, or an empty string if none is near.
llvm::StringRef nearestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

/// Returns the usage error for `value` of `option` (spelled with its dash and '='): names the nearest known value, or
/// lists them all when none is near.
llvm::Error unknownValue(llvm::StringRef option, llvm::StringRef value, llvm::ArrayRef<llvm::StringRef> known);

/// Returns the non-negative number that `text` is, or a usage error that names `option`.
llvm::Expected<unsigned> parseNumber(llvm::StringRef option, llvm::StringRef text);

} // namespace cufort::driver
