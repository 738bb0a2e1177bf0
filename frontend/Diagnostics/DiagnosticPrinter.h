// Prints what the stages after the front end have to say, in the form of the front end's own messages.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace cufort::frontend {

/// Handles the diagnostics of `context` as long as it lives. The file that the user called `input` keeps this name.
/// Warnings are left out, and not counted, unless `showWarnings` is true. What MLIR says about mistakes of the compiler
/// becomes one sentence at the same place, unless `showInternals` is true.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, llvm::StringRef input, bool showWarnings, bool showInternals,
                    llvm::raw_ostream &out);

  /// How many warnings were printed.
  unsigned warningCount() const { return warnings; }

private:
  void handle(mlir::Diagnostic &diagnostic);
  void print(mlir::Location location, llvm::StringRef kind, llvm::StringRef text);
  llvm::StringRef nameOf(llvm::StringRef file) const;
  llvm::StringRef sourceLine(llvm::StringRef file, unsigned line);

  std::string input;
  std::string inputPath; ///< the absolute path of `input`
  bool showWarnings;
  bool showInternals;
  llvm::raw_ostream &out;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
  bool saidInternal = false;
  unsigned warnings = 0;
};

} // namespace cufort::frontend
