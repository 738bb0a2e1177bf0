// Code for values of one derived type, one element at a time.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROps.h"

namespace cufort::cufx {

/// A component of a derived type.
struct Component {
  int32_t number;
  llvm::StringRef name;
  mlir::Type type;

  bool isAllocatable() const {
    auto box = mlir::dyn_cast<fir::BaseBoxType>(type);
    return box && mlir::isa<fir::HeapType>(box.getEleTy());
  }
  bool isPointer() const { return mlir::isa<fir::BaseBoxType>(type) && !isAllocatable(); }
  /// The type of the component, or of its elements, if that is a derived type.
  fir::RecordType record() const { return mlir::dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type)); }
  /// The derived type of what an allocatable component holds, or null.
  fir::RecordType recordInside() const;
};

llvm::SmallVector<Component> componentsOf(fir::RecordType record);

/// Generates code at the insertion point of a builder. Records are given by their addresses.
class RecordBuilder {
public:
  /// If `callsDefined`, components are assigned by the ASSIGNMENT(=) of their type, if it has one, as in a statement.
  RecordBuilder(fir::FirOpBuilder &builder, mlir::Location loc, bool callsDefined = false)
      : module(builder.getModule()), builder(builder), loc(loc), callsDefined(callsDefined) {}

  /// Runs `body` with the address of each element of `entity`.
  void forEachElement(hlfir::Entity entity, llvm::function_ref<void(mlir::Value, mlir::ValueRange)> body);
  /// The address of an element, or of a scalar if there are no `indices`.
  mlir::Value elementAt(hlfir::Entity entity, mlir::ValueRange indices);

  /// Gives the components their default initial values. Reports pointer components that begin at a target.
  mlir::LogicalResult initialize(mlir::Value record, fir::RecordType type);
  /// Frees what the allocatable components hold.
  void destroy(mlir::Value record, fir::RecordType type);
  /// Assigns to `to`, which has values, from another record that is no part of what `to` holds.
  void assign(mlir::Value to, mlir::Value from, fir::RecordType type);
  /// The same unless they are the same record: x = x changes nothing.
  void assignUnlessSame(mlir::Value to, mlir::Value from, fir::RecordType type);
  /// Defines a function of the device that destroys and initialises a record of type `type`, if it needs that.
  void defineReset(fir::RecordType type);
  /// What `type` has for which that is not possible, or an empty string.
  llvm::StringRef whyNotReset(fir::RecordType type);
  /// Makes `to`, which has no values, a copy of `from`.
  void copyToNew(mlir::Value to, mlir::Value from, fir::RecordType type);
  /// Moves the values of `from` to `to`; neither had or has any then.
  void move(mlir::Value to, mlir::Value from) {
    fir::CopyOp::create(builder, loc, asReference(from), asReference(to), /*no_overlap=*/true);
  }

  /// Frees what the allocatable at `address` holds, and leaves it unallocated.
  void deallocate(mlir::Value address, const Component &component);
  /// Returns a descriptor, of the type of `component`, of new memory with a copy of `source`, with its bounds.
  mlir::Value allocateCopy(hlfir::Entity source, const Component &component);
  /// Memory of the device's heap for a scalar of `type`, or an array of such elements; the kernel ends if there is
  /// none.
  mlir::Value allocate(mlir::Type type, mlir::ValueRange lengths, mlir::ValueRange extents);
  mlir::Value asReference(mlir::Value address);

private:
  // Types that hold themselves: RecordFunctions.cpp
  void callDestroy(mlir::Value record, fir::RecordType type);
  void callAssign(mlir::Value to, mlir::Value from, fir::RecordType type);
  void defineDestroy(mlir::func::FuncOp func, fir::RecordType type);
  void defineAssign(mlir::func::FuncOp func, fir::RecordType type);
  void defineResetOf(mlir::func::FuncOp func, fir::RecordType type);
  mlir::func::FuncOp findOrDefine(llvm::StringRef prefix, fir::RecordType type, unsigned parameters,
                                  void (RecordBuilder::*define)(mlir::func::FuncOp, fir::RecordType));
  /// What the allocatable scalar `component` of `record` holds, or null.
  mlir::Value heldBy(mlir::Value record, const Component &component);
  void setUnallocated(mlir::Value address, mlir::Type type);

  mlir::Value addressOf(mlir::Value record, const Component &component);
  /// A component that is an array, or a scalar, as a variable.
  hlfir::Entity variableOf(mlir::Value address, mlir::Type type);

  mlir::LogicalResult initializeComponent(mlir::Value record, fir::RecordType type, const Component &component);
  bool needsInitialization(fir::RecordType type);
  /// The constant with the initial value of `component`, or null.
  fir::GlobalOp initialValue(fir::RecordType type, const Component &component);
  /// True if the initial value of a pointer is the address of a variable.
  bool beginsAtTarget(fir::RecordType type, const Component &component);

  void destroyComponent(mlir::Value record, const Component &component);
  void assignComponent(mlir::Value to, mlir::Value from, const Component &component);
  void copy(mlir::Value to, mlir::Value from, mlir::Type type);
  void assignPlain(mlir::Value to, mlir::Value from, const Component &component);
  void assignAllocatable(mlir::Value to, mlir::Value from, const Component &component);
  /// True if copying the bytes of a component with `type` does not assign it.
  bool isAssignedInParts(fir::RecordType type);
  /// Assigns a component, or an element of one that is an array.
  void assignInComponent(mlir::Value to, mlir::Value from, fir::RecordType type, bool isArray);
  void callDefinedAssignment(mlir::func::FuncOp procedure, mlir::Value to, mlir::Value from);

  mlir::ModuleOp module;
  fir::FirOpBuilder &builder;
  mlir::Location loc;
  bool callsDefined;
};

} // namespace cufort::cufx
