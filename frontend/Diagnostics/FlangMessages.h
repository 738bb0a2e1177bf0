// What a user is shown of the messages that Flang's parser and semantics collect.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace Fortran::parser {
class AllCookedSources;
class Messages;
} // namespace Fortran::parser

namespace cufort::frontend {

/// Which messages are printed besides errors.
enum class Shown {
  Nothing,
  Warnings, ///< of what may well be a mistake
  Remarks   ///< also of what other compilers may not take
};

/// How many columns of a line are read in fixed form; 0 in free form.
using FixedColumns = int;

/// Prints the first error of `messages`, which come from the parser or the preprocessor. The parser tries one
/// alternative after the other, and what follows an error is its echo. `cuda` says whether CUDA Fortran is on. With an
/// error in a statement that has text behind the `columns` goes a note that this was not read. Without an error the
/// warnings that `shown` asks for are printed. Returns how many.
unsigned printParserMessages(Fortran::parser::Messages &messages, const Fortran::parser::AllCookedSources &sources,
                             bool cuda, FixedColumns columns, Shown shown, llvm::raw_ostream &out);

/// Prints the `messages` of the semantics in the order of the source, at most one error per line. When a module
/// cannot be read, everything else is a consequence and is left out. Nothing is said about the module files in
/// `ownModules`, which belong to the compiler. The note about text behind the `columns` is printed as above. Returns
/// how many warnings were printed.
unsigned printSemanticMessages(Fortran::parser::Messages &messages, const Fortran::parser::AllCookedSources &sources,
                               llvm::StringRef ownModules, FixedColumns columns, Shown shown, llvm::raw_ostream &out);

} // namespace cufort::frontend
