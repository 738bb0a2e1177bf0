// Loops that all threads of a block run side by side, round by round.
#pragma once

#include "codegen/DeviceLink/Uniformity.h"

namespace cufort::codegen {

/// What a round begins with, for calls: i32(i32 state) gives a RoundState, which is the same for all threads.
inline constexpr llvm::StringLiteral roundFunction = "__cufx_round";
/// Threads that are to find out how many rounds they need: {i64, i64}(i64) gives the least and the greatest operand.
inline constexpr llvm::StringLiteral extremesFunction = "__cufx_extremes";

/// Who is in the next round of a loop.
enum RoundState : unsigned { RoundOfNobody, RoundOfSome, RoundOfAll, RoundStateCount };

/// Rewrites the short innermost loops of `function` that all threads of a block come to together, so that each round
/// begins with a call of roundFunction: where threads meet there, one round is a loop over the threads, in which
/// neighbours access neighbouring elements. `originOf` is as for Uniformity. With `onlyStrides` only loops in strides
/// of the grid and the like, whose rounds are so far apart that it pays without meetings, too. True if there are any.
bool alignRounds(llvm::Function &function, llvm::function_ref<Uniformity::Origin(const llvm::Value &)> originOf,
                 bool onlyStrides);

} // namespace cufort::codegen
