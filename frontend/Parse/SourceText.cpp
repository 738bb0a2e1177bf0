#include "frontend/Parse/SourceText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

/// Beginnings of objects, archives and compressed files.
static constexpr llvm::StringLiteral binaryMarks[] = {"\x7f"
                                                      "ELF",
                                                      "!<arch>", "\x1f\x8b", "PK\x03\x04"};

bool cufort::frontend::isTextFile(llvm::StringRef path) {
  constexpr size_t inspected = 1024;
  // One null byte is a slip in a text, and gets a message with its place.
  constexpr size_t toleratedNulls = 8;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return true;
  llvm::StringRef start = (*file)->getBuffer().take_front(inspected);
  return start.count('\0') < toleratedNulls &&
         llvm::none_of(binaryMarks, [&](llvm::StringRef mark) { return start.starts_with(mark); });
}
