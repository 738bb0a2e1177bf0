// What a round of a loop costs.
#pragma once

#include <optional>

namespace llvm {
class Loop;
class TargetTransformInfo;
} // namespace llvm

namespace cufort::codegen {

/// What a copy of a round of `loop` costs, in the units of LLVM's code size, or nothing if it must not be copied:
/// threads meet in it, unless `mayMeet` allows that, or it calls functions, unless `mayCall` allows those that do not
/// write.
std::optional<unsigned> costOfRound(const llvm::Loop &loop, const llvm::TargetTransformInfo &target,
                                    bool mayMeet = false, bool mayCall = false);

} // namespace cufort::codegen
