// Old sources have form feeds between program units, for printers. Flang's prescanner knows no such character. The
// linker lets it read a file by `openSource` (--wrap, see CMakeLists.txt), where those in front of a line become
// blanks.

#include "flang/Parser/source.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

using namespace Fortran;

/// SourceFile::Open.
bool flangOpenSource(parser::SourceFile *file, std::string path, llvm::raw_ostream &error) asm(
    "__real__ZN7Fortran6parser10SourceFile4OpenENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERN4llvm11raw_"
    "ostreamE");

/// What Flang's parser calls in its place.
bool openSource(parser::SourceFile *file, std::string path, llvm::raw_ostream &error) asm(
    "__wrap__ZN7Fortran6parser10SourceFile4OpenENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERN4llvm11raw_"
    "ostreamE");

bool openSource(parser::SourceFile *file, std::string path, llvm::raw_ostream &error) {
  if (!flangOpenSource(file, std::move(path), error))
    return false;
  // The buffer is the file's own.
  llvm::ArrayRef<char> content = file->content();
  llvm::MutableArrayRef<char> text(const_cast<char *>(content.data()), content.size());
  bool isInFront = true;
  for (char &character : text) {
    if (isInFront && character == '\f')
      character = ' ';
    isInFront = character == '\n' || (isInFront && character == ' ');
  }
  return true;
}
