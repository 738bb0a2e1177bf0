// Finding the parts of statements in the prescanned text, which has a line per statement, in small letters outside of
// character literals.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// The position of the parenthesis that opens the list of the statement `keyword` in `line`, or npos.
size_t openingOfStatement(llvm::StringRef line, llvm::StringRef keyword);

/// The end of the item that begins at `position` in a list: the next comma or closing parenthesis outside of others.
size_t endOfItem(llvm::StringRef line, size_t position);

} // namespace cufort::frontend
