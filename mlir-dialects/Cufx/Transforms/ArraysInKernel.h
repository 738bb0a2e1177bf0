// How kernels address the arrays of expressions and assignments.
//
// A section is addressed as the array that it is a section of, with other subscripts: u(1:n-2) and u(3:n) become u(i)
// and u(i+2). Of what addresses cost, all sections of one array share most then, as elements in a loop do.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "llvm/ADT/DenseMap.h"

namespace cufort::cufx {

/// The arrays of one kernel.
class ArraysInKernel {
public:
  /// Loads at the insertion point of `builder`, in host code, what it takes to address elements of `array`, which may
  /// be a pointer or allocatable.
  void prepare(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value array);

  /// True if `array` has been prepared.
  bool contains(mlir::Value array) const { return entities.contains(array); }

  /// True if `array` has been prepared and is a section, whose elements are those of another array.
  bool isSection(mlir::Value array) const { return sections.contains(array); }

  /// `array`, which has been prepared, dereferenced.
  hlfir::Entity entity(mlir::Value array) const { return entities.at(array); }

  /// The address of the element of `array`, which has been prepared, with `subscripts` that count from 1. `builder` may
  /// be in device code.
  mlir::Value place(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value array, mlir::ValueRange subscripts);

private:
  /// A subscript of an array: the element `first` only, or each `stride`-th element that follows it.
  struct Subscript {
    Sum first;
    mlir::Value stride; ///< null for a scalar
  };

  /// Elements of `array` by its own subscripts.
  struct Section {
    mlir::Value array;
    llvm::SmallVector<Subscript> subscripts;
  };

  void prepareSection(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::DesignateOp section);
  Sum indexOf(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value number);
  mlir::Value known(mlir::Value value);

  llvm::DenseMap<mlir::Value, hlfir::Entity> entities;                     ///< by what the expression names them
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> lowerBounds; ///< of those that are no sections
  llvm::DenseMap<mlir::Value, Section> sections;
  llvm::SmallVector<mlir::Value> knownValues;       ///< arrays and numbers that sections are made of, each once
  llvm::DenseMap<mlir::Value, mlir::Value> indices; ///< of such numbers
};

/// The lower bounds of `array`, as indices.
llvm::SmallVector<mlir::Value> lowerBoundsOf(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity array);

/// The element of `array` with `subscripts` that count from 1.
mlir::Value placeInArray(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity array,
                         mlir::ValueRange lowerBounds, mlir::ValueRange subscripts);

} // namespace cufort::cufx
