// Values of derived types in device code, whose runtime library has no descriptions of types: their initial values, the
// assignment of allocatable components, and their end.
#pragma once

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

namespace cufort::cufx {

/// True if `record` has allocatable components, or components that have some.
bool holdsAllocatables(fir::RecordType record);

/// True if allocatable components of `record` hold others of its own type, directly or inside others, or hold such
/// types.
bool holdsItself(fir::RecordType record);

/// The derived type of a variable if it is known when the program is compiled, or null.
fir::RecordType staticRecordType(mlir::Type variable);

/// The following generate code at the insertion point of `builder`, for all elements of a variable that is neither an
/// allocatable nor a pointer.

/// Gives the components their default initial values. Reports pointer components that begin at a target.
mlir::LogicalResult initializeRecords(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity variable);

/// Deallocates the allocatable components.
void destroyRecords(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity variable);

/// Assigns `from`, a scalar or of the same shape, to `to`. What allocatable components of `from` hold is copied; other
/// components are assigned by the ASSIGNMENT(=) of their type, if it has one. If not `mayOverlap`, `from` is neither a
/// part of `to` nor of what that holds, or they are the same scalar and there are no such assignments.
void assignRecords(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity to, hlfir::Entity from,
                   bool mayOverlap);

/// Makes `to`, which has no values, a copy of `from`.
void copyRecords(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity to, hlfir::Entity from);

/// Makes the allocatable at `descriptor` a copy of `from`, in the same way. It is allocated again only if its shape is
/// another.
void reallocateRecords(fir::FirOpBuilder &builder, mlir::Location loc, mlir::Value descriptor, hlfir::Entity from,
                       bool mayOverlap);

/// Assigns the elements that `from` gives. False if they are not values of variables, and nothing has been done then.
bool assignElementalRecords(fir::FirOpBuilder &builder, mlir::Location loc, hlfir::Entity to, hlfir::ElementalOp from,
                            bool reallocates);

} // namespace cufort::cufx
