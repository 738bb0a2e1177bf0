// References to arrays in WHERE and FORALL, copied to a place before these statements.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// Returns a copy of `designate` before the outermost WHERE or FORALL that it stands in, inside loops over the values
/// of the indices for which FORALL evaluates it; `designate` itself if it stands in none. It is null if its subscripts
/// need more than calculations and values that the statement does not change.
hlfir::DesignateOp copyBeforeAssignment(hlfir::DesignateOp designate);

} // namespace cufort::cufx
