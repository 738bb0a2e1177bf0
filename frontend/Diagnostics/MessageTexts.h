// Texts of Flang and MLIR in the words of a user of CUDA Fortran.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cufort::frontend {

/// What a message is about: a part of a line of the source.
struct MessagePlace {
  std::string line;
  size_t column = 0, length = 0; ///< 0 is the first column
};

/// Returns `text`, a message of Flang's semantics about `place`, without names that only this compiler knows.
std::string userText(llvm::StringRef text, const MessagePlace &place);

/// The name that `text` is about, which has a whole statement for its place; empty for others.
llvm::StringRef nameInStatement(llvm::StringRef text);

/// The generic routine of module cudafor in `text` whose specific procedure is `name`, which the user does not know:
/// cudaMallocAsync for mallocasync_i4, cudaFuncSetCacheConfig for setnamedcacheconfig. Empty if there is none.
std::string genericRoutine(llvm::StringRef name, llvm::StringRef text);

/// Where `name` stands in `statement`, which may have several lines; not in a comment or a string, and as a
/// component only if it stands nowhere else.
std::optional<size_t> findName(llvm::StringRef statement, llvm::StringRef name);

/// True for what MLIR says when the compiler itself has made a mistake: it speaks of operations, not of Fortran.
bool isInternal(llvm::StringRef text);

/// True for a warning of Flang about what a check of this project reports as an error, or about what is possible or
/// usual.
bool isSuperseded(llvm::StringRef text);

/// True for an error that another one in the same statement may have brought about: an array constructor lacks the
/// items in which something is wrong.
bool isConsequence(llvm::StringRef text);

/// True if `text` says that a derived type is not known.
bool isUnknownType(llvm::StringRef text);

/// True if `text` says that a name has no type, as that in the declaration of an unknown type has none.
bool isUndeclared(llvm::StringRef text);

/// True for a remark that deserves to be a warning.
bool isLikelyMistake(llvm::StringRef text);

/// True for a warning that comes for each argument of a call, and says of the procedure what is said once.
bool isAboutOneArgument(llvm::StringRef text);

/// True for a remark that is about no specific procedure of a generic name.
bool isAboutWholeCall(llvm::StringRef text);

/// True for a message about a module file that is missing or cannot be read.
bool isModuleFailure(llvm::StringRef text);

/// Returns `path` without the "./" that the search for files puts before names.
llvm::StringRef userPath(llvm::StringRef path);

} // namespace cufort::frontend
