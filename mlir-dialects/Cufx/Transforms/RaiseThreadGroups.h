// The groups of module cooperative_groups.
#pragma once

#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// Replace a call of this_grid, this_cluster, this_thread_block or this_warp by a group of that type, computed from the
/// predefined variables. The members of a cluster are its blocks, those of the others are threads.
void raiseThisGrid(fir::CallOp call);
void raiseThisCluster(fir::CallOp call);
void raiseThisThreadBlock(fir::CallOp call);
void raiseThisWarp(fir::CallOp call);

/// Replace a call of cluster_block_index, counted from 1, or of cluster_dim_blocks by a dim3.
void raiseClusterBlockIndex(fir::CallOp call);
void raiseClusterDimBlocks(fir::CallOp call);

} // namespace cufort::cufx
