// What a round of a loop costs.
#pragma once

#include <optional>

namespace llvm {
class Loop;
class TargetTransformInfo;
} // namespace llvm

namespace cufort::codegen {

/// What a copy of a round of `loop` costs, in the units of LLVM's code size, or nothing if it must not be copied:
/// threads meet in it, unless that `mayMeet` allows it, or it calls procedures.
std::optional<unsigned> costOfRound(const llvm::Loop &loop, const llvm::TargetTransformInfo &target,
                                    bool mayMeet = false);

} // namespace cufort::codegen
