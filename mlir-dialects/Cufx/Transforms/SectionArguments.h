// Sections as arguments of procedures that device code calls.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Has device code copy the sections that it passes to dummies of explicit shape, of assumed size or with CONTIGUOUS in
/// loops, to temporaries that later passes can put on the stack. Lowering to Flang's runtime would take each from the
/// heap of the device.
void copySectionArguments(mlir::ModuleOp module);

} // namespace cufort::cufx
