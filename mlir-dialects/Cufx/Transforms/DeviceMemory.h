// Where a variable that device code names lives, and what is done with it.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/IR/Value.h"

namespace cufort::cufx {

/// The CUDA attribute of the variable that `memory` is, or is a part of; none for host data.
/// Follows declares, components, elements, conversions and loads of descriptors.
std::optional<cuf::DataAttribute> dataAttribute(mlir::Value memory);

/// Of a module, the components with the device attribute: an array of "type.component".
inline constexpr llvm::StringLiteral deviceComponentsAttribute = "cufx.device_components";

/// Of a module, the functions that return pointers with the device attribute, and what points to such: an array of
/// their names in FIR, "type.component", and "procedure#n" for dummy procedures, where n counts arguments from 0.
inline constexpr llvm::StringLiteral deviceFunctionsAttribute = "cufx.device_functions";

/// Of a module, its pointers with the texture attribute: an array of names of globals.
inline constexpr llvm::StringLiteral texturesAttribute = "cufx.textures";

/// Of a module, the DO statements with UNROLL and NOUNROLL before them: an array of "file:line:copies", with the file's
/// name without its folder, lines counted from 1, and how many copies of a round there are to be, 0 for all rounds.
inline constexpr llvm::StringLiteral unrollDirectivesAttribute = "cufx.unroll_directives";

/// Of a module: -gpu=mem: lets device code use the addresses of host data; "managed" for what is allocated, "unified"
/// for everything.
inline constexpr llvm::StringLiteral hostDataAttribute = "cufx.host_data";

/// True if the host cannot read `memory` where it lies: device and constant data, and what allocatable or pointer
/// components with the device attribute hold, or a part of these.
bool isHiddenFromHost(mlir::Value memory);

/// True if `memory` is managed or unified data, or a part of it, which host and device can use. What components of such
/// data describe may be memory of the host alone.
bool isSharedWithHost(mlir::Value memory);

/// True if device code can use the address `memory` as it is.
bool isDeviceAddressable(mlir::Value memory);

/// True for an object, or a part of it, of a type with device components that dummy arguments, pointers and temporaries
/// stand for. Lowering takes such objects for managed data, which their variables are. What others have made need not
/// be: functions, or ALLOCATE of objects whose declared type has no device components.
bool mayBeOfHost(mlir::Value memory);

/// "type.component" if `memory` is a component, else nothing.
std::string componentName(mlir::Value memory);

/// True if `memory` is a component of the variable behind it, or reached through one.
bool isInComponent(mlir::Value memory);

/// True if the variable behind `memory` is a target or a pointer, or is not known: other names may reach its memory.
bool mayHaveOtherNames(mlir::Value memory);

/// True if the memory behind `address` is read and nothing else, by the operations in `region` (all if null). Follows
/// computed addresses, and calls of procedures that this source defines.
bool isOnlyRead(mlir::Value address, mlir::Region *region = nullptr);

/// What `memory` is a part of: the allocation, the address of a global variable or the argument that its address comes
/// from, or of its descriptor.
mlir::Value memoryOf(mlir::Value memory);

/// True if only the device can read `memory`: it is device or constant data. A host temporary is not, although lowering
/// declares it under the attribute of the variable that it copies.
bool isDeviceOnly(mlir::Value memory);

/// True if `memory` is a local variable of a procedure, or a temporary in it.
bool isLocal(mlir::Value memory);

/// True if `record` has allocatable or pointer components, or components that have some.
bool holdsDescriptors(fir::RecordType record);

/// True if copying its bytes assigns an element of type `element`: a number, or a record of a known size without
/// allocatable or pointer components.
bool isPlainElement(mlir::Type element);

/// The name that the user gave the variable behind `memory`, for messages; empty if it has none.
llvm::StringRef variableName(mlir::Value memory);

} // namespace cufort::cufx
