// Loops over the elements of arrays, and of the values of array expressions, which need no memory for these.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// What a function of an array goes through: all elements of it, or those along one dimension for each element of its
/// result, if there is a mask only where that is true.
class ElementLoops {
public:
  /// `mask` and `dimension`, which counts from 1, may be null. Null if something of it is not known to be there, or
  /// cannot be gone through here.
  static std::optional<ElementLoops> create(mlir::Location loc, fir::FirOpBuilder &builder, mlir::Value array,
                                            mlir::Value mask, mlir::Value dimension);

  mlir::Type elementType() const { return array.getFortranElementType(); }
  bool isMasked() const { return static_cast<bool>(mask); }

  /// True if the elements can be gone through several times.
  bool isRepeatable() const;

  /// The number of subscripts of an element within what is gone through.
  unsigned rank() const { return dimension ? 1 : array.getRank(); }

  /// The result of type `type` of a function, one element of which `compute` gives: that element, or the value of an
  /// array expression.
  mlir::Value result(mlir::Type type, llvm::function_ref<mlir::Value()> compute);

  /// True, within `compute`, if there are elements, the mask left aside.
  mlir::Value hasElements();

  /// The new values of what a loop carries, from an element, its subscripts and the values before.
  using Step = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange, mlir::ValueRange)>;

  /// Within `compute`: what `start` has become after all elements, in array element order.
  llvm::SmallVector<mlir::Value> reduce(mlir::ValueRange start, Step step);

  /// Within `compute`: the subscripts, of type `type`, of the first element, or if `isBack` of the last one, that
  /// `test` is true for. Zeros if there is none.
  llvm::SmallVector<mlir::Value> search(mlir::Type type, mlir::Value isBack,
                                        llvm::function_ref<mlir::Value(mlir::Value)> test);

private:
  ElementLoops(mlir::Location loc, fir::FirOpBuilder &builder, hlfir::Entity array)
      : loc(loc), builder(builder), array(array) {}

  llvm::SmallVector<mlir::Value> loopExtents() const;
  llvm::SmallVector<mlir::Value> subscripts(mlir::ValueRange ofLoops) const;
  mlir::Value loadElement(mlir::Value of, mlir::ValueRange subscripts);
  mlir::Value isSelected(mlir::ValueRange ofLoops);
  llvm::SmallVector<mlir::Value> ifSelected(mlir::ValueRange ofLoops, mlir::ValueRange otherwise,
                                            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> compute);
  struct Search;
  llvm::SmallVector<mlir::Value> search(const Search &what, mlir::ValueRange outer);

  mlir::Location loc;
  fir::FirOpBuilder &builder;
  hlfir::Entity array;
  /// An array, or a truth value.
  mlir::Value mask;
  std::optional<unsigned> dimension;
  llvm::SmallVector<mlir::Value> extents;
  /// The subscripts of the element of the result that is being computed.
  llvm::SmallVector<mlir::Value> ofResult;
};

/// True if the elements of `elemental` can be made one by one where they are used.
inline bool isMadeWhereUsed(hlfir::ElementalOp elemental) { return !hlfir::elementalOpMustProduceTemp(elemental); }

/// The value of an array expression of type `type` with these elements.
mlir::Value createVector(mlir::Location loc, fir::FirOpBuilder &builder, mlir::Type type,
                         llvm::ArrayRef<mlir::Value> elements);

/// Erases array expressions that only their ends use, with what only they have used.
void eraseUnusedExpression(mlir::Value expression);

} // namespace cufort::cufx
