#include "codegen/Support/SourceName.h"
#include "flang/Optimizer/Support/InternalNames.h"

std::string cufort::codegen::sourceName(llvm::StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  if (parts.first != fir::NameUniquer::NameKind::NOT_UNIQUED)
    return parts.second.name;
  // Procedures outside modules have an underscore behind their names.
  symbol.consume_back("_");
  return symbol.str();
}
