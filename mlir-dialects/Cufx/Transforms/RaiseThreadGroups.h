// The groups of module cooperative_groups.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// Replace a call of this_grid, this_thread_block or this_warp by a group of that type, computed from the predefined
/// variables.
void raiseThisGrid(fir::CallOp call);
void raiseThisThreadBlock(fir::CallOp call);
void raiseThisWarp(fir::CallOp call);

} // namespace cufort::cufx
