#include "codegen/Support/SourceName.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "llvm/ADT/StringExtras.h"

std::string cufort::codegen::sourceName(llvm::StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  if (parts.first != fir::NameUniquer::NameKind::NOT_UNIQUED)
    return parts.second.name;
  // Procedures outside modules have an underscore behind their names.
  symbol.consume_back("_");
  return symbol.str();
}

std::string cufort::codegen::sourceModule(llvm::StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  return parts.second.modules.empty() ? "" : parts.second.modules.front();
}

/// `module::procedure`.
static std::string qualifiedName(llvm::StringRef symbol) {
  std::string module = cufort::codegen::sourceModule(symbol);
  return (module.empty() ? "" : module + "::") + cufort::codegen::sourceName(symbol);
}

std::string cufort::codegen::kernelName(llvm::StringRef symbol) {
  if (!symbol.consume_front("_QQcufkernel_"))
    return "kernel '" + qualifiedName(symbol) + "'";
  auto [procedure, number] = symbol.rsplit('_');
  bool isForAnyGrid = number.consume_back("s");
  return "CUF kernel " + number.str() + " in " +
         (procedure == "_QQmain" ? "the main program" : "'" + qualifiedName(procedure) + "'") +
         (isForAnyGrid ? " (by strides)" : "");
}

std::string cufort::codegen::procedureName(llvm::StringRef symbol) {
  return symbol.starts_with("_QQcufkernel_") ? kernelName(symbol) : "'" + qualifiedName(symbol) + "'";
}

std::string cufort::codegen::withSourceNames(llvm::StringRef text) {
  auto isNamePart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  std::string result;
  while (!text.empty()) {
    llvm::StringRef word = text.take_while(isNamePart);
    result += word.starts_with("_Q") ? sourceName(word) : word.str();
    text = text.drop_front(word.size());
    llvm::StringRef between = text.take_until(isNamePart);
    result += between;
    text = text.drop_front(between.size());
  }
  return result;
}
