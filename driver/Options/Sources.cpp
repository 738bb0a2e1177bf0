#include "driver/Options/Sources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;

namespace {

FileTraits fortran(SourceForm form, bool preprocess, bool cuda = false) {
  return {FileKind::Fortran, form, preprocess, cuda};
}

FileTraits other(FileKind kind) { return {kind, SourceForm::Free, false, false}; }

/// Returns true for libx.so.1.2.
bool isVersionedLibrary(llvm::StringRef name) {
  size_t at = name.rfind(".so.");
  return at != llvm::StringRef::npos &&
         llvm::all_of(name.drop_front(at + 4), [](char c) { return c == '.' || llvm::isDigit(c); });
}

} // namespace

FileTraits cufort::driver::classifyFile(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  if (isVersionedLibrary(name))
    return other(FileKind::SharedLibrary);
  return llvm::StringSwitch<FileTraits>(llvm::sys::path::extension(name))
      .Case(".cuf", fortran(SourceForm::Free, false, true))
      .Case(".CUF", fortran(SourceForm::Free, true, true))
      .Cases({".f90", ".f95", ".f03", ".f08", ".f18"}, fortran(SourceForm::Free, false))
      .Cases({".F90", ".F95", ".F03", ".F08", ".F18"}, fortran(SourceForm::Free, true))
      .Cases({".f", ".for", ".ftn"}, fortran(SourceForm::Fixed, false))
      .Cases({".F", ".FOR", ".FTN", ".fpp", ".FPP"}, fortran(SourceForm::Fixed, true))
      .Case(".c", other(FileKind::C))
      .Cases({".cpp", ".cc", ".cxx", ".C", ".c++", ".CPP"}, other(FileKind::Cxx))
      .Case(".cu", other(FileKind::CudaCxx))
      .Case(".s", other(FileKind::Assembly))
      .Cases({".S", ".sx"}, other(FileKind::AssemblyWithCpp))
      .Cases({".o", ".obj", ".lo"}, other(FileKind::Object))
      .Case(".a", other(FileKind::Archive))
      .Case(".so", other(FileKind::SharedLibrary))
      .Default(other(FileKind::Other));
}

std::optional<FileTraits> cufort::driver::classifyLanguage(llvm::StringRef language) {
  return llvm::StringSwitch<std::optional<FileTraits>>(language)
      .Cases({"cuda", "cuf"}, fortran(SourceForm::Free, false, true))
      .Cases({"cuda-cpp-input", "CUF"}, fortran(SourceForm::Free, true, true))
      .Cases({"f95", "f90"}, fortran(SourceForm::Free, false))
      .Case("f95-cpp-input", fortran(SourceForm::Free, true))
      .Case("f77", fortran(SourceForm::Fixed, false))
      .Case("f77-cpp-input", fortran(SourceForm::Fixed, true))
      .Case("c", other(FileKind::C))
      .Case("c++", other(FileKind::Cxx))
      .Case("assembler", other(FileKind::Assembly))
      .Case("assembler-with-cpp", other(FileKind::AssemblyWithCpp))
      .Default(std::nullopt);
}
