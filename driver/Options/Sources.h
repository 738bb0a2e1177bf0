// What an input file is, judged by its suffix.
#pragma once

#include "driver/Options/Settings.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace cufort::driver {

/// Who handles a file.
enum class FileKind {
  Fortran,         ///< cufort
  C,               ///< the C compiler, as for all kinds up to AssemblyWithCpp except the next two
  Cxx,             ///< the C++ compiler
  CudaCxx,         ///< nvcc
  Assembly,        ///< .s
  AssemblyWithCpp, ///< .S
  Object,          ///< the linker, as for all that follow
  Archive,
  SharedLibrary,
  Other ///< no suffix that is known: the linker knows better
};

/// What a suffix says about a file.
struct FileTraits {
  FileKind kind = FileKind::Other;
  SourceForm form = SourceForm::Free;
  bool preprocess = false;
  bool cuda = false;
};

/// Returns the traits of `path`. Suffixes are case sensitive: .F90 is preprocessed, .f90 is not.
FileTraits classifyFile(llvm::StringRef path);

/// Returns the traits that -x `language` gives to the files after it, or nothing for a language nobody knows.
std::optional<FileTraits> classifyLanguage(llvm::StringRef language);

/// Returns true for what a compiler turns into an object.
inline bool isSource(FileKind kind) { return kind < FileKind::Object; }

/// One input file of the command line.
struct InputFile {
  std::string path;
  FileTraits traits;
};

} // namespace cufort::driver
