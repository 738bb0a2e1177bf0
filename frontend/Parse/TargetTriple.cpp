// Flang asks for the target of this machine at every variable of every module, to see whether it is one where integers
// are aligned in another way. LLVM puts the answer together from texts each time, and reading that takes as long again.
// Both are wrapped by the linker (--wrap, see CMakeLists.txt): the second time, the answer is known.

#include "llvm/TargetParser/Triple.h"
#include <optional>
#include <string>

#define DEFAULT_TRIPLE "_ZN4llvm3sys22getDefaultTargetTripleB5cxx11Ev"
#define READ_TRIPLE "_ZN4llvm6TripleC1EONSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

std::string originalDefaultTriple() asm("__real_" DEFAULT_TRIPLE);
std::string defaultTriple() asm("__wrap_" DEFAULT_TRIPLE);
void readOriginalTriple(llvm::Triple *triple, std::string &&text) asm("__real_" READ_TRIPLE);
void readTriple(llvm::Triple *triple, std::string &&text) asm("__wrap_" READ_TRIPLE);

std::string defaultTriple() {
  static const std::string triple = originalDefaultTriple();
  return triple;
}

/// A constructor: there is no object in `triple` yet.
void readTriple(llvm::Triple *triple, std::string &&text) {
  static std::optional<llvm::Triple> last;
  if (last && last->str() == text) {
    new (triple) llvm::Triple(*last);
    return;
  }
  readOriginalTriple(triple, std::move(text));
  last = *triple;
}
