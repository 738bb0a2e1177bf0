// What leads from where an array starts to an element.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Instructions.h"

namespace cufort::codegen {

/// Replaces the address `element` by one for which all that leads to it from an origin is added up before it is added
/// to the origin, so that arrays with the same sum share it. Constants stay where they are. Returns true if it did:
/// then nothing uses `element` any more.
bool addUpDistances(llvm::GetElementPtrInst &element, llvm::function_ref<bool(llvm::Value &)> isOrigin);

} // namespace cufort::codegen
