// Files for other programs to read and write.
#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace cufort::codegen {

/// A temporary file that goes with its scope.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix, llvm::StringRef contents = "");
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~TemporaryFile();

  llvm::StringRef name() const { return path; }
  /// What is in the file; nothing if it cannot be read.
  std::string read() const;

private:
  TemporaryFile() = default;
  llvm::SmallString<128> path;
};

} // namespace cufort::codegen
