#include "driver/Options/Errors.h"
#include "llvm/Support/raw_ostream.h"

using namespace cufort::driver;

char UsageError::ID = 0;
char AlreadyReported::ID = 0;

void UsageError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code UsageError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

void AlreadyReported::log(llvm::raw_ostream &os) const { os << "already reported"; }

std::error_code AlreadyReported::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

llvm::Error cufort::driver::usageError(const llvm::Twine &message) {
  return llvm::make_error<UsageError>(message.str());
}

llvm::Error cufort::driver::alreadyReported() { return llvm::make_error<AlreadyReported>(); }

llvm::Error cufort::driver::failure(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
