// Kernels of the emulated device whose threads meet, as phases between the meetings.
//
// A kernel with barriers can run without a stack for each thread: all threads of a block run up to their next meeting
// point, one after the other in loops, then all run on from there. What a thread needs after a meeting lies in memory
// of its own meanwhile.
#pragma once

#include "codegen/DeviceLink/EmulatedIdentity.h"
#include <optional>
#include <vector>

namespace cufort::codegen {

/// What threads of a block do when they meet. The last two are ours: rounds of a loop (ThreadRounds.h).
enum class Meeting { Barrier, CountTrue, AllTrue, AnyTrue, Warp, VoteAll, VoteAny, Ballot, Shuffle, Extremes, Round };

/// The parameters of a phase behind those of the kernel's body.
enum PhaseParameter : unsigned {
  PhaseThread,      ///< i64: number of the thread in its block, from 0
  PhaseThreadCount, ///< i64: threads of the block
  PhaseValues,      ///< what threads keep over meetings
  PhaseVariables,   ///< the same memory; local variables are addressed by it, which pointers may point at
  PhaseSharedIn,    ///< what all threads keep over meetings, as the phases before have left it
  PhaseSharedOut,   ///< the same, as this phase leaves it
  PhaseOperandsIn,  ///< an i64 for each thread: what it came to the meeting with, or what it got from it
  PhaseOperandsOut, ///< the same for the next meeting
  PhaseParameterCount
};

/// What a thread does in a phase. `function` returns an i32: the number of the phase that follows for it, or 0 if it
/// ends.
struct PhaseCode {
  llvm::Function *function = nullptr;
  llvm::MDNode *accesses = nullptr; ///< mark of those that do not depend on other threads
};

struct Phase {
  llvm::SmallVector<PhaseCode, 1> code; ///< if it begins with a round, for each RoundState
  Meeting meeting = Meeting::Barrier;   ///< that it begins with; none in phase 0
  uint64_t sharedResult = 0;            ///< where the shared values have what the meeting gives to all threads
  llvm::SmallVector<unsigned> next;     ///< what can follow, in ascending order
  bool staysTogether = false;           ///< the same follows for all threads
};

/// Places in the memory that the phases of a block use, in bytes for each of emulatedThreads threads: first the numbers
/// of the phases that follow (i32), then the operands of two meetings (i64), then values and variables.
inline constexpr uint64_t emulatedThreads = 1024;
inline constexpr uint64_t phaseNumbersOffset = 0, phaseOperandsOffset = 4, phaseOperandsBytes = 8;

struct Phases {
  std::vector<Phase> list; ///< the first one begins at the start of the kernel
  /// Runs one thread from its meeting point on, waiting where others meet. It has the parameters of a phase and an i32,
  /// the number of the phase that begins with this meeting.
  llvm::Function *resume = nullptr;
  uint64_t sharedBytes = 0; ///< of what all threads keep
  uint64_t bytes = 0;       ///< of memory for a block, of up to emulatedThreads threads
};

/// True if `call` is a meeting that phases can begin with, or no meeting at all.
bool isMeetingOfPhases(const llvm::CallInst &call);

/// Makes phases of `body`, whose parameters are those of the kernel and, from number `firstIdentity` on, the identity;
/// `body` itself is left as it is. Returns nothing if it would need too much code or memory, or if threads do not meet
/// (`hasMeetings`) and have no loops in strides of the grid, of which one round is to be a phase.
std::optional<Phases> splitIntoPhases(llvm::Function &body, unsigned firstIdentity, bool hasMeetings);

} // namespace cufort::codegen
