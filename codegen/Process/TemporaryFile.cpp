#include "codegen/Process/TemporaryFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using cufort::codegen::TemporaryFile;

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix, StringRef contents) {
  TemporaryFile file;
  int descriptor;
  if (std::error_code problem = sys::fs::createTemporaryFile("cufort", suffix, descriptor, file.path))
    return createStringError("cannot create a temporary file: " + problem.message());
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << contents;
  return std::move(file);
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    sys::fs::remove(path);
}

std::string TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}
