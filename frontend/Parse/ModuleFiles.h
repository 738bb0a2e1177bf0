// Repairs of the module files that Flang writes.
#pragma once

#include "mlir/Support/LLVM.h"

namespace Fortran::parser {
struct Program;
}

namespace cufort::frontend {

/// Makes the module files of the modules in `program` readable where Flang's are not: for a component with a CUDA
/// attribute, Flang writes a statement that is not allowed in a derived type definition. And joins statements that would
/// take long to read. Fails with a message on `diagnostics` if a file cannot be written.
mlir::LogicalResult repairModuleFiles(const Fortran::parser::Program &program, llvm::StringRef moduleDirectory,
                                      llvm::raw_ostream &diagnostics);

} // namespace cufort::frontend
