// Descriptors of arrays that several statements name, in the kernel that does these statements.
#pragma once

#include "mlir/IR/Region.h"

namespace cufort::cufx {

/// Lets the operations in `region` use descriptors that are loaded at its start, each once, instead of what has been
/// loaded before and what they load themselves: what has got its shape since is one array then, by whatever statement
/// it is named. Nothing in the region changes descriptors.
void renewDescriptors(mlir::Region &region);

} // namespace cufort::cufx
