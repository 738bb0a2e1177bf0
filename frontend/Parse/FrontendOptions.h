// What the Fortran front end needs to know about one source file. Plain data: no Flang header is needed to fill it in.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cufort::frontend {

/// A macro given with -D (value, possibly empty) or -U (no value).
struct Macro {
  std::string name;
  std::string value;
  bool undefine = false;
};

/// Settings of one compilation, as the command line gives them.
struct FrontendOptions {
  std::string input;              ///< path of the source file
  bool cuda = true;               ///< CUDA Fortran is on: attributes, chevrons, !$cuf, !@cuf
  bool fixedForm = false;         ///< columns 1-6 have their old meaning
  int fixedFormColumns = 72;      ///< 132 with -Mextend
  bool debugLines = false;        ///< -Mdlines: in fixed form, lines with D in column 1 are statements
  bool preprocess = false;        ///< macros are expanded
  bool backslashEscapes = false;  ///< -Mbackslash reversed: "\n" in a character constant is one character
  bool defaultReal8 = false;      ///< -r8
  unsigned integerKind = 4;       ///< -i8, -i2
  bool largeArrays = false;       ///< -mcmodel/-Mlarge_arrays: accepted, indices are 64-bit anyway
  bool managedMemory = false;     ///< -gpu=mem:managed: allocatables live in managed memory
  bool unifiedMemory = false;     ///< -gpu=mem:unified: host data may be used on the device
  bool openMP = false;            ///< -mp: OpenMP directives and lines that begin with !$ count
  bool saveLocals = false;        ///< -Msave: local variables keep their values
  std::string unformattedConvert; ///< byte order of unformatted files: "swap", "native" ...; empty: as is
  bool contract = true;           ///< multiply and add may become one operation on the host
  bool implicitNone = false;      ///< -Mdclchk
  bool warningsAreErrors = false;
  bool warnings = true;                       ///< what may well be a mistake
  bool remarks = false;                       ///< -Wall: also style, and what other compilers do not take
  bool warnNonstandard = false;               ///< -Mstandard: what is not standard Fortran
  std::vector<Macro> macros;                  ///< in command-line order
  std::vector<std::string> searchDirectories; ///< -I: include files and modules, before the compiler's own modules
  std::string moduleDirectory = ".";          ///< -J / -module: where .mod files are written, and searched
  std::string intrinsicModuleDirectory;       ///< the compiler's own .mod files
};

} // namespace cufort::frontend
