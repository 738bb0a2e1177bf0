// What a round of a loop costs.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace llvm {
class Instruction;
class Loop;
class TargetTransformInfo;
} // namespace llvm

namespace cufort::codegen {

/// What a copy of a round of `loop` costs, in the units of LLVM's code size, or nothing if it must not be copied:
/// threads meet in it, unless `mayMeet` allows that, or it calls functions, unless `mayCall` allows those that do not
/// write. Instructions of which `isFree` is true cost nothing.
std::optional<unsigned> costOfRound(
    const llvm::Loop &loop, const llvm::TargetTransformInfo &target, bool mayMeet = false, bool mayCall = false,
    llvm::function_ref<bool(const llvm::Instruction &)> isFree = [](const llvm::Instruction &) { return false; });

} // namespace cufort::codegen
