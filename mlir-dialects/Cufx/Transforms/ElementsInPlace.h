// Elements of arrays in array expressions that are those with the place of the expression's element.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// True if `element`, in hlfir.elemental, is the element of an array with the place of the expression's element: its
/// subscripts are the operation's in order, counted from the lower bounds of the array.
bool isElementInPlace(hlfir::DesignateOp element);

} // namespace cufort::cufx
