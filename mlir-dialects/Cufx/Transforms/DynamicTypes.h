// The types that ALLOCATE gives to objects with CLASS in device code.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "llvm/ADT/DenseMap.h"

namespace cufort::cufx {

/// The type of an array or object, in memory of the same kind, with elements of type `element`.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Knows the types while the operations of a procedure are visited in their order. Objects are given by the addresses
/// of their descriptors.
class DynamicTypes {
public:
  /// Sets the type of an object that is not allocated, or of a pointer, which is associated with nothing then.
  /// Generates code before `op`. Fails for types whose end would need the type, with an error.
  mlir::LogicalResult set(mlir::Operation *op, mlir::Value descriptor, fir::RecordType type, bool isPointer);

  /// The same with the type of `source`, whose type or value the object is to have. Nothing is known of the object's
  /// type any more if that is not known.
  mlir::LogicalResult setLike(mlir::Operation *op, mlir::Value descriptor, mlir::Value source, bool isPointer);

  /// The descriptor as that of an object with TYPE, which it is by now; itself if it is no object with CLASS, and null
  /// if its type is not known.
  mlir::Value descriptorOf(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value descriptor) const;

private:
  llvm::DenseMap<mlir::Value, fir::RecordType> types;
};

/// The type that `description` describes, the address of a table for the runtime library; null if it is not known.
fir::RecordType describedType(mlir::Value description);

} // namespace cufort::cufx
