// Array expressions of host code whose arrays are all on the device, so that a kernel can evaluate them.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/ArraysInKernel.h"
#include "mlir-dialects/Cufx/Transforms/DeviceScalars.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/LineReductions.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace cufort::cufx {

/// True for a named constant, an array constructor of constants, and a part of one: device code has it as well.
bool isNamedConstant(mlir::Value array);

/// An array that the expression or array `value` is or reads and the host cannot read, or null.
mlir::Value hiddenArrayIn(mlir::Value value);
inline bool readsHiddenArray(mlir::Value value) { return bool(hiddenArrayIn(value)); }

/// A host array that the expression or array `value` is or reads, or null.
mlir::Value hostArrayIn(mlir::Value value);

/// An array expression, or an array, that can be evaluated one element at a time in device code: operations on
/// elements, TRANSPOSE, RESHAPE, SPREAD, CSHIFT, EOSHIFT of device arrays, and SUM and its like with DIM. Scalars are
/// of the host or of the device.
class DeviceExpression {
public:
  /// True if `value` is such an expression. A host array in it, or a call, makes it none.
  static bool isOne(mlir::Value value);

  /// Loads at the insertion point of `builder`, in host code, what is not different for each element. The expression
  /// adds its arrays to `arrays`, those of the kernel that evaluates it.
  DeviceExpression(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value root,
                   std::shared_ptr<ArraysInKernel> arrays = std::make_shared<ArraysInKernel>());

  const std::shared_ptr<ArraysInKernel> &arraysInKernel() const { return arrays; }

  const llvm::SmallVector<mlir::Value> &extents() const { return rootExtents; }
  mlir::Type elementType() const;

  /// An array whose elements the expression is, with the dimensions in another order: for each of its dimensions the
  /// number, counted from 1, of that which it becomes.
  struct Permutation {
    hlfir::Entity array;
    llvm::SmallVector<mlir::Value> order;
  };
  std::optional<Permutation> permutation();

  /// The element with these subscripts, which count from 1. `builder` may be in device code.
  mlir::Value element(mlir::ValueRange subscripts) { return element(root, subscripts); }
  /// The same of `part`, an expression that this one is made of.
  mlir::Value element(mlir::Value part, mlir::ValueRange subscripts);

  /// The reductions with DIM that the expression is made of.
  llvm::ArrayRef<mlir::Value> lineReductions() const { return reductions; }
  llvm::SmallVector<mlir::Value> extentsOf(mlir::Value part);
  /// How many elements a line of `reduction` has.
  mlir::Value lengthOf(mlir::Value reduction) const { return lineLengths.at(reduction); }

  /// Who takes which elements of a line: every `step`-th from `first` on, or all if these are null. Lanes of a warp
  /// that are for one line combine what they have.
  struct Share {
    mlir::Value first, step;
    bool isOfLane = false;
  };

  /// From here on elements are for another kernel.
  void beginKernel(Share share);

  /// From here on `reduction` is one of `partials`, which has `count` values for each line, along its first dimension.
  void usePartials(mlir::Value reduction, mlir::Value partials, mlir::Value count);
  void dropPartials() { partials.clear(); }

private:
  /// What has been made of parts of lines.
  struct Partials {
    mlir::Value array, count;
  };

  /// How a RESHAPE finds its element: the extents of its argument, its own, and how far apart neighbours in each of its
  /// dimensions are in the argument.
  struct Reshape {
    llvm::SmallVector<mlir::Value> argument, extents, strides;
  };

  /// A CSHIFT or EOSHIFT: how far, in a dimension with how many elements, and what EOSHIFT fills in. CSHIFT's distance
  /// is not negative, and less than the extent. Distances and boundaries that each line has its own of are null.
  struct Shift {
    mlir::Value distance, extent, boundary;
    unsigned dimension;
  };

  void prepare(mlir::Value value);
  void prepareElemental(hlfir::ElementalOp elemental);
  void prepareReshape(hlfir::ReshapeOp reshape);
  void prepareShift(mlir::Operation *op, mlir::Value array, mlir::Value distance, mlir::Value boundary);
  mlir::Value withoutOperand(mlir::Value extent);
  mlir::Value elementOfElemental(hlfir::ElementalOp elemental, mlir::ValueRange subscripts);
  mlir::Value valueInKernel(mlir::Value value, const mlir::IRMapping &values);
  void cloneBlock(mlir::Block &block, mlir::IRMapping &values);
  void cloneBranches(fir::IfOp branches, mlir::IRMapping &values);
  mlir::Value elementOfReshape(hlfir::ReshapeOp reshape, mlir::ValueRange subscripts);
  mlir::Value elementOfLine(mlir::Value reduction, const LineReduction &line, mlir::ValueRange subscripts);
  mlir::Value alongLine(ReductionKind kind, mlir::Type type, mlir::Value length,
                        llvm::function_ref<mlir::Value(mlir::Value number)> element);
  mlir::Value selectsAny(const LineReduction &line, mlir::Value length, mlir::ValueRange subscripts);
  mlir::Value elementOfPartials(const Partials &partials, mlir::Value number, mlir::ValueRange subscripts);
  mlir::Value contribution(const LineReduction &line, mlir::Type type, mlir::ValueRange subscripts);
  /// The element of `lines` for the line in `dimension` that the element with `subscripts` is in.
  mlir::Value elementOfLines(mlir::Value lines, unsigned dimension, mlir::ValueRange subscripts);
  mlir::Value elementOfCyclicShift(hlfir::CShiftOp op, mlir::ValueRange subscripts);
  mlir::Value elementOfEndOffShift(hlfir::EOShiftOp op, mlir::ValueRange subscripts);

  fir::FirOpBuilder &builder;
  mlir::Location loc;
  mlir::Value root;
  llvm::SmallVector<mlir::Value> rootExtents;
  std::shared_ptr<ArraysInKernel> arrays;
  llvm::DenseMap<mlir::Value, Reshape> reshapes;
  llvm::DenseMap<mlir::Operation *, Shift> shifts;
  llvm::SmallVector<mlir::Value> reductions;            ///< with DIM
  llvm::DenseMap<mlir::Value, mlir::Value> lineLengths; ///< by reduction with DIM
  llvm::DenseMap<mlir::Value, Partials> partials;       ///< likewise
  Share share;
  DeviceScalars scalars; ///< that the kernel reads
};

/// An array and an expression of its shape that gives it its values.
struct Evaluation {
  DeviceExpression *expression;
  hlfir::Entity array; ///< no pointer or allocatable
};

/// A kernel that does `evaluations`, all of one shape, in this order for each element. The expressions have been made
/// with the same arrays.
void evaluateTogether(fir::FirOpBuilder &builder, mlir::Location loc, llvm::ArrayRef<Evaluation> evaluations);

/// A kernel that gives each element of `array`, which has the shape of `expression`, its value.
void evaluateInto(fir::FirOpBuilder &builder, mlir::Location loc, DeviceExpression &expression, hlfir::Entity array);

/// An array in device memory, and its end.
hlfir::DeclareOp createDeviceTemporary(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Type element,
                                       mlir::ValueRange extents);
void freeDeviceTemporary(fir::FirOpBuilder &builder, hlfir::DeclareOp temporary);

/// Erases those of the expressions `values` that nothing needs any more, and what only they need.
void eraseExpressions(llvm::ArrayRef<mlir::Value> values);
inline void eraseExpression(mlir::Value value) { eraseExpressions(value); }

/// A CUF kernel over arrays of `extents`. Returns its subscripts, first dimension first; `builder` is in its body.
/// With `results`, every iteration changes these scalars as `reductions` (fir.reduce_attr) say.
cuf::KernelOp createKernelOver(fir::FirOpBuilder &builder, mlir::Location loc, mlir::ValueRange extents,
                               llvm::SmallVectorImpl<mlir::Value> &subscripts, mlir::ValueRange results = {},
                               llvm::ArrayRef<mlir::Attribute> reductions = {});

} // namespace cufort::cufx
