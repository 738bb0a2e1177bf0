// Finding the parts of statements in the prescanned text, which has a line per statement, in small letters outside of
// character literals.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::frontend {

/// The position of the parenthesis that opens the list of the statement `keyword` in `line`, or npos.
size_t openingOfStatement(llvm::StringRef line, llvm::StringRef keyword);

/// The end of the item that begins at `position` in a list: the next comma or closing parenthesis outside of others.
size_t endOfItem(llvm::StringRef line, size_t position);

/// The items between the chevrons of `line`, each as it stands there, with blanks, if it is the directive of a CUF
/// kernel; else none.
llvm::SmallVector<llvm::StringRef> itemsOfKernelLoops(llvm::StringRef line);

} // namespace cufort::frontend
