// The first architectures that have what CUDA Fortran offers: compute capabilities times ten.
#pragma once

namespace cufort::cufx {

constexpr unsigned firstWithHalf = 60;    ///< arithmetic of real(2)
constexpr unsigned firstWithGrids = 70;   ///< attributes(grid_global)
constexpr unsigned firstWithMatches = 70; ///< match_any_sync and match_all_sync
constexpr unsigned firstWithNanosleep = 70;
constexpr unsigned firstWithHalfMatrices = 70;   ///< tensor cores for real(2)
constexpr unsigned firstWithDoubleMatrices = 80; ///< tensor cores for real(8)
constexpr unsigned firstWithAsyncBarriers = 80;
constexpr unsigned firstWithClusters = 90;
constexpr unsigned firstWithBulkCopies = 90;

} // namespace cufort::cufx
