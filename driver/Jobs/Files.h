// The private directory of one invocation, and files that appear complete or not at all.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>

namespace cufort::driver {

/// A directory under TMPDIR that goes away, with all that is in it, when this object does.
class TempDirectory {
public:
  TempDirectory() = default;
  TempDirectory(TempDirectory &&other) { *this = std::move(other); }
  TempDirectory &operator=(TempDirectory &&other);
  ~TempDirectory() { remove(); }

  /// Makes the directory. Fails if TMPDIR is no directory that can be written.
  static llvm::Expected<TempDirectory> create();

  /// Returns an object whose path looks like that of a directory which is not made; for -###.
  static TempDirectory pretend();

  llvm::StringRef path() const { return root; }

  /// Returns a path in the directory for a file called `stem` plus `suffix`, never the same twice.
  std::string newFile(llvm::StringRef stem, llvm::StringRef suffix);

  /// The same for a directory, which is made.
  llvm::Expected<std::string> newDirectory(llvm::StringRef stem);

  /// Removes everything now.
  void remove();

private:
  std::string root;
  bool exists = false;
  llvm::StringSet<> used;
};

/// Moves the file `from` to `to`, replacing what is there in one step, also across file systems. What is not a regular
/// file (/dev/null, a pipe) is written into instead. Fails with the reason.
llvm::Error installFile(llvm::StringRef from, llvm::StringRef to);

/// Moves every file of the directory `from` into the directory `to`, as installFile() does.
llvm::Error installAll(llvm::StringRef from, llvm::StringRef to);

/// Removes the output `path` of an earlier build, so that nothing goes on with it after a failure. Only a regular file
/// goes: links and devices stay.
void removeOldOutput(llvm::StringRef path);

/// Fails if a file at `path` could not be written, with the reason.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace cufort::driver
