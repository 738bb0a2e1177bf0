// What a kernel says before it ends itself.
#pragma once

#include "mlir/IR/Builders.h"

namespace cufort::cufx {

/// `text` as part of a format, in which a percent sign is none.
std::string inFormat(std::string text);

/// Prints `what`, with `%d` and the like for `values`, behind the place in the source that `loc` is, with the numbers
/// of the block and of the thread, and ends the kernel.
void reportFailedCheck(mlir::OpBuilder &builder, mlir::Location loc, const std::string &what,
                       mlir::ValueRange values = {});

} // namespace cufort::cufx
