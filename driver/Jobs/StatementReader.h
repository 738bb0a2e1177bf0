// Source text as logical statements: comments, continuation lines and both source forms are dealt with.
#pragma once

#include "driver/Jobs/ModuleScan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace cufort::driver {

/// Calls `onStatement` with each statement of `text` (trimmed, without label and comment, letters as written) and
/// `onDirective` with each preprocessor line (from '#' on).
void readStatements(llvm::StringRef text, const ScanSettings &settings,
                    llvm::function_ref<void(llvm::StringRef)> onStatement,
                    llvm::function_ref<void(llvm::StringRef)> onDirective);

} // namespace cufort::driver
