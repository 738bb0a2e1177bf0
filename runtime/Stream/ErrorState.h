// What has gone wrong and whom it was told: the thread's last CUDA error, and failures of statements that have no
// status variable. A kernel launch cannot fail visibly in Fortran, so its failure is kept ("pending") until the program
// asks for errors; if it does not ask, the next statement that needs the device, or the end of the program, reports it.
#pragma once

#include "runtime/Support/Result.h"
#include <cstdint>

namespace cufort::rt {

/// Returns the calling thread's last error and resets it, unless it is sticky (cudaGetLastError). Counts as having told
/// the program: a pending failure is dropped.
int takeLastError();

/// Returns the calling thread's last error without resetting it (cudaPeekAtLastError). Also drops a pending failure.
int peekLastError();

/// Records the outcome of an API routine that returns it to the program, and returns its code. cudaErrorNotReady is not
/// recorded. A pending failure with the same code is dropped, because the program is being told.
int finishCall(const Result &result);

/// Records a failure of a statement of the program that has no status variable, to be reported later. `what` is said
/// of the statement, as in "kernel 'increment' could not be launched". `file` may be null.
void recordPending(const Result &result, std::string what, const char *file, int line);

/// Reports a pending failure of the calling thread and ends the program with status 1. Returns if there is none.
void reportPending();

/// Ends the program with status 1 after "cufort: file:line: what: message" on stderr, if `result` is a failure. For
/// statements without a status variable. A pending failure of the thread is reported instead, being the older one.
/// An error that a kernel caused while it ran names the kernels that may have. Success does nothing: a statement that
/// has to report what is pending calls reportPending first.
void requireSuccess(const Result &result, const char *what, const char *file, int line);

/// Ends the program with status 1 after "cufort: file:line: text" on stderr. Output that the program has written to
/// files and to stdout is flushed first. `file` may be null.
[[noreturn]] void failProgram(const char *file, int line, const std::string &text);

/// Writes "cufort: file:line: what: why" to stderr. `file` may be null.
void printFailure(const Result &result, const std::string &what, const char *file, int line);

/// Writes every pending failure, of any thread, to stderr and drops it. For the end of the program.
void printAllPending();

/// True if the program has been told of the sticky error `code`, by a status or because it asked.
bool programKnowsOf(int code);

/// True once a failure has been written to stderr: the program must not end with status 0.
bool programHasFailed();

/// Notes that `kernelName` was launched from file:line on `stream`, for the report of a fault found later. All strings
/// must live forever. No lock, no allocation.
void noteLaunch(const char *kernelName, const char *file, int line, int64_t stream);

/// Notes that all work of the calling thread on `stream` is done without a fault; of all streams if `allStreams`.
void noteSynchronized(int64_t stream, bool allStreams);

/// Returns e.g. "kernel 'k' launched at x.cuf:12", or several joined by " or ", or "" if nothing is known.
std::string launchesThatMayHaveFailed();

/// Forgets the sticky error that the calling thread has met, if any, and its launches: the device has been reset.
void forgetFault();

/// Forgets the calling thread's errors and launches. For unit tests.
void clearErrorState();

} // namespace cufort::rt
