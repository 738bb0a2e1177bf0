// How the driver speaks to the user: "cufort: error: ..." on standard error.
#pragma once

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace cufort::driver {

/// Prints the driver's messages under the name by which it was called, each warning once.
class Messages {
public:
  Messages(std::string program, llvm::raw_ostream &os) : program(std::move(program)), os(os) {}

  void error(const llvm::Twine &text) { print("error: ", text); }
  void note(const llvm::Twine &text) { print("note: ", text); }

  /// Prints `text` unless it was printed before or warnings are off.
  void warning(const llvm::Twine &text);

  /// Takes `error`, prints it unless it says that it is reported already, and returns the exit status: 0 for success,
  /// 2 for a wrong command line, else 1.
  int report(llvm::Error error);

  void disableWarnings() { warnings = false; }
  llvm::StringRef programName() const { return program; }
  llvm::raw_ostream &stream() { return os; }

private:
  void print(const char *severity, const llvm::Twine &text);

  std::string program;
  llvm::raw_ostream &os;
  llvm::StringSet<> printed;
  bool warnings = true;
};

} // namespace cufort::driver
