// The switch between two flows of control on one host thread (x86-64, System V ABI).
#pragma once

namespace cufort::rt::emulated {

extern "C" {
/// Suspends the caller, stores how to resume it in `*saved`, and resumes `target`. Returns when somebody resumes
/// `*saved`. Keeps what the ABI makes callee-saved: rbx, rbp, r12-r15 and the control bits of mxcsr and the x87 unit.
void cufortEmuSwitchContext(void **saved, void *target);
}

/// Returns a context that, when resumed, calls `entry(argument)` on the stack that ends at `stackTop`. `entry` must not
/// return. The control words are the caller's.
void *makeContext(char *stackTop, void (*entry)(void *), void *argument);

} // namespace cufort::rt::emulated
