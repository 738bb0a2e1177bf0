// The kinds of failure that decide the driver's exit status.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cufort::driver {

/// The command line is wrong: exit status 2.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;
  explicit UsageError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string text;
};

/// Something failed and the user has been told: exit status 1, no further message.
class AlreadyReported : public llvm::ErrorInfo<AlreadyReported> {
public:
  static char ID;
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
};

/// Returns a UsageError with `message`: lower case, no full stop, says what to do.
llvm::Error usageError(const llvm::Twine &message);

/// Returns an AlreadyReported.
llvm::Error alreadyReported();

/// Returns an error with `message` that makes the exit status 1.
llvm::Error failure(const llvm::Twine &message);

} // namespace cufort::driver
