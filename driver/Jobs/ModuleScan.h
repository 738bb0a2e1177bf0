// A light reading of Fortran sources: which modules a file defines and which it uses.
#pragma once

#include "driver/Options/Settings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <vector>

namespace cufort::driver {

/// What a source file says about modules. Names are in lower case; a submodule is "ancestor:name".
struct ModuleInfo {
  std::set<std::string> provides;
  std::set<std::string> uses;        ///< without those that are INTRINSIC explicitly
  bool opaque = false;               ///< a module's name comes out of a macro: the file may define anything
  std::vector<std::string> included; ///< files that exist, in the order in which they are met
};

/// How the file is read.
struct ScanSettings {
  SourceForm form = SourceForm::Free;
  unsigned fixedColumns = 72; ///< 0: no limit
  bool cuda = false;          ///< lines with the sentinel !@cuf count
  bool preprocess = false;    ///< macros may stand for names
  std::vector<std::string> includeDirs;
  std::vector<std::string> macros; ///< names given with -D
};

/// Returns what the text of a file in `directory` says; included files that exist are read too. All branches of #if
/// count.
ModuleInfo scanModules(llvm::StringRef text, llvm::StringRef directory, const ScanSettings &settings);

/// The same for the file at `path`; a file that cannot be read says nothing.
ModuleInfo scanModulesOfFile(llvm::StringRef path, const ScanSettings &settings);

} // namespace cufort::driver
