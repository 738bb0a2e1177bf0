#include "frontend/Diagnostics/DiagnosticPrinter.h"
#include "frontend/Diagnostics/MessageTexts.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace cufort::frontend;

namespace {

/// The place in a source that `location` means, or null.
mlir::FileLineColLoc placeOf(mlir::Location location) { return location->findInstanceOf<mlir::FileLineColLoc>(); }

/// True for a place in a module file, whose text is no source of the user.
bool isInModuleFile(mlir::Location location) {
  mlir::FileLineColLoc place = placeOf(location);
  return place && place.getFilename().getValue().ends_with(".mod");
}

/// The words that name a severity.
llvm::StringRef kindOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Note:
    return "note";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

} // namespace

DiagnosticPrinter::DiagnosticPrinter(mlir::MLIRContext *context, llvm::StringRef input, bool showWarnings,
                                     bool showInternals, llvm::raw_ostream &out)
    : ScopedDiagnosticHandler(context), input(input), showWarnings(showWarnings), showInternals(showInternals),
      out(out) {
  llvm::SmallString<128> path(input);
  llvm::sys::fs::make_absolute(path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  inputPath = path.str().str();
  setHandler([this](mlir::Diagnostic &diagnostic) { handle(diagnostic); });
}

void DiagnosticPrinter::handle(mlir::Diagnostic &diagnostic) {
  if (!showWarnings && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
    return;
  std::string text = diagnostic.str();
  if (!showInternals && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error && isInternal(text)) {
    // What follows a mistake of the compiler is its echo.
    if (!std::exchange(saidInternal, true))
      print(diagnostic.getLocation(), "error", "cufort cannot compile this statement yet; please report it");
    return;
  }
  print(diagnostic.getLocation(), kindOf(diagnostic.getSeverity()), text);
  // So is what follows such a message.
  saidInternal |= llvm::StringRef(text).starts_with("not yet implemented: ");
  warnings += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!isInModuleFile(note.getLocation()))
      print(note.getLocation(), kindOf(note.getSeverity()), note.str());
}

void DiagnosticPrinter::print(mlir::Location location, llvm::StringRef kind, llvm::StringRef text) {
  mlir::FileLineColLoc place = placeOf(location);
  if (!place || !place.getLine()) {
    out << input << ": " << kind << ": " << text << '\n';
    return;
  }
  llvm::StringRef line = sourceLine(place.getFilename(), place.getLine());
  unsigned column = place.getColumn();
  if (auto before = findName(line.substr(column ? column - 1 : 0), nameInStatement(text)))
    column += *before;
  out << nameOf(place.getFilename()) << ':' << place.getLine() << ':' << column << ": " << kind << ": " << text << '\n';
  if (!line.empty())
    out << "  " << line << '\n' << std::string(column + 1, ' ') << "^\n";
}

llvm::StringRef DiagnosticPrinter::nameOf(llvm::StringRef file) const {
  llvm::SmallString<128> path(file);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path == inputPath ? llvm::StringRef(input) : userPath(file);
}

llvm::StringRef DiagnosticPrinter::sourceLine(llvm::StringRef file, unsigned line) {
  std::unique_ptr<llvm::MemoryBuffer> &buffer = files[file];
  if (!buffer) {
    auto read = llvm::MemoryBuffer::getFile(file);
    if (!read)
      return "";
    buffer = std::move(*read);
  }
  llvm::StringRef text = buffer->getBuffer();
  for (; line > 1; --line)
    text = text.split('\n').second;
  return text.split('\n').first.rtrim('\r');
}
