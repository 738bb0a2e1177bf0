// Which elements of arrays an array expression reads.
#pragma once

#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace cufort::cufx {

/// True if writing to `written` may change what is read from `array`.
bool mayOverlap(mlir::Value written, mlir::Value array);

/// True if the expression or array `value` may be read from `memory`.
bool mayRead(mlir::Value value, mlir::Value memory);

/// True if an element of `array` may be read for another element of the expression or array `value` than the one with
/// its subscripts.
bool mayReadElsewhere(mlir::Value value, mlir::Value array);

/// The variable or section that `array` is; what the descriptor of an allocatable or pointer is loaded from.
mlir::Value arrayName(mlir::Value array);

/// True if elements in the same place of two arrays of a statement are one, or there is no element that is in both.
bool areSameInPlace(mlir::Value a, mlir::Value b);

/// True if every element of the expression `value`, made of elemental operations, is made of the element of `array` in
/// the same place: `array` has the shape of the expression.
bool readsInPlace(mlir::Value value, mlir::Value array);

/// A section that an array expression reads in place, and how many elements it is ahead of another section.
struct ShiftedRead {
  mlir::Value section;
  int64_t distance;
};

/// What the expression `value` of one dimension reads of the array that `written` is a section of; nullopt if it may
/// read other elements of it than those of such sections. Neighbours in the sections are neighbours in the array.
std::optional<llvm::SmallVector<ShiftedRead>> shiftedReads(hlfir::ElementalOp value, hlfir::DesignateOp written);

} // namespace cufort::cufx
