// What the user is told when the compiler itself has failed.
#pragma once

#include "driver/Jobs/Isolation.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace cufort::driver {

/// Returns the part of `messages` (what the compiler wrote) that is meant for the user: all up to the first line that
/// belongs to a crash.
llvm::StringRef userMessages(llvm::StringRef messages);

/// Returns the text after "error: " about `result`, the end of a compilation of `subject` that did not complete; of a
/// device link if `deviceLink`.
std::string describeCrash(const ChildResult &result, llvm::StringRef subject, bool deviceLink);

} // namespace cufort::driver
