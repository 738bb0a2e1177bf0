// WHERE constructs whose elements do not need each other.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/ArraysInKernel.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace cufort::cufx {

/// The masks, expressions and targets of a WHERE construct with all that is nested in it.
struct WhereParts {
  explicit WhereParts(hlfir::WhereOp where);

  llvm::SmallVector<mlir::Region *> regions; ///< Each of them yields
  llvm::SmallVector<mlir::Value> read;       ///< what the regions yield, null for something else: targets as well
  llvm::SmallVector<mlir::Value> targets;
};

/// True if all of `where` may be done for one element after the other: no mask or expression reads another element of
/// what is assigned to. Each of its regions yields something.
bool isForEachElement(hlfir::WhereOp where);

/// True if `region` of a WHERE construct reads a scalar that may be an element of `target`: it may be another one for
/// each element.
bool readsScalarOf(mlir::Region &region, mlir::Value target);

/// Does a WHERE construct that is for each element. Who derives says how the elements of masks and expressions are
/// made.
class WhereByElement {
public:
  virtual ~WhereByElement() = default;

protected:
  explicit WhereByElement(hlfir::WhereOp where);

  /// Moves in front of the construct what is the same for all elements.
  void evaluateBefore();
  /// Does the construct for the element with `subscripts`, which count from 1, at the insertion point of `builder`.
  void assign(mlir::ValueRange subscripts);
  /// Erases the construct, and the expressions that it was for.
  void erase();

  /// Called for the mask or expression `region`, whose value is `value`, in front of the construct.
  virtual void prepare(mlir::Region &region, mlir::Value value) = 0;
  /// The element with `subscripts` of the mask or expression `region`.
  virtual mlir::Value element(mlir::Region &region, mlir::ValueRange subscripts) = 0;

  fir::FirOpBuilder builder;
  hlfir::WhereOp where;
  mlir::Location loc;
  const WhereParts parts;
  std::shared_ptr<ArraysInKernel> arrays = std::make_shared<ArraysInKernel>();

private:
  void assignWhere(mlir::Region &mask, mlir::Region &body, mlir::ValueRange subscripts);
  void assignElsewhere(hlfir::ElseWhereOp elsewhere, mlir::ValueRange subscripts);
  void assignAll(mlir::Region &body, mlir::ValueRange subscripts);
  void store(hlfir::RegionAssignOp assign, mlir::ValueRange subscripts);

  llvm::DenseMap<mlir::Region *, mlir::Value> targets; ///< arrays that are assigned to
};

} // namespace cufort::cufx
