// The launch entry of the runtime ABI, and the scratch memory of CUF kernels' reductions.
#include "runtime/Context/Context.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Launch/DeviceLimits.h"
#include "runtime/Launch/Launch.h"
#include "runtime/Launch/Scratch.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Stream/ErrorState.h"
#include "runtime/Support/Environment.h"
#include "runtime/Trace/Statement.h"

namespace cufort::rt {

namespace {

/// Set when a reduction got no scratch memory: the kernel that would write to it must not run.
thread_local bool skipNextLaunch = false;

std::string launchName(const void *stub) {
  const CufortEntry *entry = findEntry(stub);
  return entry ? "kernel '" + std::string(entry->fortranName) + "'" : "a kernel";
}

} // namespace

void launchOrRecord(const void *stub, const LaunchConfig &config, void **params, const char *file, int line) {
  if (skipNextLaunch) {
    skipNextLaunch = false;
    return;
  }
  Result result = launchKernel(stub, config, params, file, line);
  if (result.ok())
    return;
  std::string what = launchName(stub) + " could not be launched";
  if (environment().launchCheck)
    printFailure(result, what, file, line);
  recordPending(result, what, file, line);
}

} // namespace cufort::rt

using namespace cufort::rt;

extern "C" void cufortLaunchKernel(void *kernel, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t blockX,
                                   int64_t blockY, int64_t blockZ, int64_t clusterX, int64_t clusterY, int64_t clusterZ,
                                   int64_t sharedBytes, int64_t stream, int32_t cooperative, void **params,
                                   const char *file, int32_t line) {
  LaunchConfig config;
  int64_t *extents[3] = {config.grid, config.block, config.cluster};
  const int64_t values[3][3] = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {clusterX, clusterY, clusterZ}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      extents[i][j] = values[i][j];
  config.sharedBytes = sharedBytes;
  config.stream = stream;
  config.cooperative = cooperative != 0;
  launchOrRecord(kernel, config, params, file, line);
}

extern "C" int64_t cufortThreadsAtOnce() {
  // The product with a few rounds is to fit.
  constexpr int64_t moreThanAnyLaunchHas = int64_t(1) << 56;
  Current current;
  const DeviceLimits *limits = nullptr;
  if (!cachedContext(current) && !currentContext(current))
    return moreThanAnyLaunchHas;
  if (usingEmulatedDevice() || !deviceLimits(current, limits))
    return moreThanAnyLaunchHas;
  return limits->multiprocessors * limits->threadsPerMultiprocessor;
}

static_assert(offsetof(FortranDescriptor, version) == CufortVersionOffset, "kernels read it");

extern "C" void cufortNoteStrides(void *descriptor, int64_t elementBytes) {
  auto &array = *static_cast<FortranDescriptor *>(descriptor);
  if (hasPlainStrides(array, elementBytes))
    array.version |= CUFORT_PLAIN_STRIDES;
}

extern "C" void *cufortReductionScratch(int32_t count, int64_t blocks, int64_t stream, const char *file, int32_t line) {
  StatementScope statement(file, line);
  void *scratch = nullptr;
  Result result = takeScratch(count, blocks, stream ? stream : threadDefaultStream(), scratch);
  if (!result) {
    recordPending(result, "no memory for a reduction", file, line);
    skipNextLaunch = true;
  }
  return scratch;
}

extern "C" void cufortReductionFetch(void *host, void *scratch, int32_t count, int64_t stream, const char *file,
                                     int32_t line) {
  StatementScope statement(file, line);
  skipNextLaunch = false;
  reportPending();
  if (!stream)
    stream = threadDefaultStream();
  requireSuccess(fetchResults(host, scratch, count, stream), "reduction", file, line);
  noteSynchronized(stream, /*allStreams=*/false);
  giveScratchBack(scratch);
}

extern "C" void cufortReductionRelease(void *scratch, int64_t stream, int32_t wait, const char *file, int32_t line) {
  skipNextLaunch = false;
  if (!scratch)
    return;
  if (!stream)
    stream = threadDefaultStream();
  giveScratchBackInOrder(scratch, stream);
  if (!wait || isCaptured(stream))
    return;
  requireSuccess(waitForStream(stream), "reduction", file, line);
  noteSynchronized(stream, /*allStreams=*/false);
}

extern "C" int64_t cufortUseStreamOf(void *target, void *source) {
  int64_t before = threadDefaultStream(), stream = 0;
  if (variableDefaultStream(target, stream) || (source && variableDefaultStream(source, stream)))
    setThreadDefaultStream(stream);
  return before;
}

extern "C" int32_t cufortVariablesHaveStreams() { return mayVariablesHaveStreams(); }

extern "C" void cufortUseStream(int64_t stream) { setThreadDefaultStream(stream); }

extern "C" void cufortWaitForManaged(void *address, const char *file, int32_t line) {
  StatementScope statement(file, line);
  int64_t stream = defaultStreamFor(address);
  reportPending();
  if (isCaptured(stream))
    return;
  Current current;
  Result result = currentContext(current);
  if (result.ok())
    result = stream ? waitForStream(stream) : Result(current.table->ctxSynchronize(), "cuCtxSynchronize");
  requireSuccess(result, "array function of managed data", file, line);
  noteSynchronized(stream, /*allStreams=*/!stream);
}
