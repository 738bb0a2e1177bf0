// The Fortran front end: Flang's libraries, run in this process, from source text to HLFIR.
#pragma once

#include "frontend/Parse/FrontendOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace llvm {
class TargetMachine;
}

namespace cufort::frontend {

/// Writes the preprocessed text of the source to `out`. Problems are reported to `diagnostics`.
mlir::LogicalResult preprocess(const FrontendOptions &options, llvm::raw_ostream &out,
                               llvm::raw_ostream &diagnostics);

/// Parses and checks the source and writes its module files, nothing more.
mlir::LogicalResult checkSyntax(const FrontendOptions &options, llvm::TargetMachine &target,
                                llvm::raw_ostream &diagnostics);

/// Returns the source as one module of FIR, HLFIR and cuf operations for the host `target`, or null after the
/// errors have been reported to `diagnostics` with file, line, column and caret. Writes the source's module files.
/// The module's operations belong to `context`, which must have the dialects of codegen's registry loaded.
mlir::OwningOpRef<mlir::ModuleOp> lowerToHLFIR(mlir::MLIRContext &context, const FrontendOptions &options,
                                               llvm::TargetMachine &target, llvm::raw_ostream &diagnostics);

} // namespace cufort::frontend
