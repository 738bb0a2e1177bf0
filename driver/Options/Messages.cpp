#include "driver/Options/Messages.h"
#include "driver/Options/Errors.h"

using namespace cufort::driver;

void Messages::print(const char *severity, const llvm::Twine &text) {
  // One write per message: several drivers may share a terminal.
  std::string line = (program + ": " + severity + text + "\n").str();
  os << line;
  os.flush();
}

void Messages::warning(const llvm::Twine &text) {
  if (warnings && printed.insert(text.str()).second)
    print("warning: ", text);
}

int Messages::report(llvm::Error error) {
  int status = 0;
  llvm::handleAllErrors(
      std::move(error),
      [&](const UsageError &usage) {
        this->error(usage.message());
        status = 2;
      },
      [&](const AlreadyReported &) { status = std::max(status, 1); },
      [&](const llvm::ErrorInfoBase &other) {
        this->error(other.message());
        status = std::max(status, 1);
      });
  return status;
}
