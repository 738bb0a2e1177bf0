#include "runtime/Launch/Trial.h"
#include "runtime/Context/RelaxedCapture.h"
#include "runtime/Stream/DefaultStream.h"
#include "runtime/Support/Environment.h"
#include "runtime/Trace/TraceLine.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace cufort::rt {

namespace {

/// Launches of each contender that are measured; one is enough for those that take long, in milliseconds.
constexpr int mostLaunches = 2;
constexpr float longMs = 1;
/// Code that takes less, with the events, is not worth the trial: what is measured then is the launch more than the code.
constexpr float shortMs = 0.008f;
/// A contender goes on as long as it takes at most so many times the best, and so much more.
constexpr float closeRatio = 1.04f, closeMs = 0.004f;
/// What an alternative has to save to be taken: less is noise.
constexpr float worthwhileRatio = 0.98f, worthwhileMs = 0.001f;

/// It cannot be measured.
void giveUp(Contender &contender) {
  contender.isOut = true;
  contender.leastMs = std::numeric_limits<float>::infinity();
}

int launchesOf(const Contender &contender) {
  return contender.measured > 0 && contender.leastMs >= longMs ? 1 : mostLaunches;
}

bool isDone(const Contender &contender) { return contender.isOut || contender.measured >= launchesOf(contender); }

Contender &bestOf(Trials &trials) {
  auto isFaster = [](const Contender &a, const Contender &b) { return a.leastMs < b.leastMs; };
  return *std::min_element(trials.contenders.begin(), trials.contenders.end(), isFaster);
}

void dropSlow(Trials &trials) {
  float best = bestOf(trials).leastMs;
  for (Contender &each : trials.contenders)
    each.isOut |= each.measured > 0 && each.leastMs > closeRatio * best + closeMs;
}

/// Ends the trials if enough is known.
void settle(Trials &trials) {
  const Contender &usual = trials.contenders.front(), &best = bestOf(trials);
  bool isShort = usual.measured > 0 && usual.leastMs < shortMs;
  if (!isShort && !std::all_of(trials.contenders.begin(), trials.contenders.end(), isDone))
    return;
  bool isWorthwhile = !isShort && std::isfinite(usual.leastMs) && best.leastMs < worthwhileRatio * usual.leastMs &&
                      best.leastMs < usual.leastMs - worthwhileMs;
  KernelFunction *fastest = isWorthwhile ? best.code : usual.code;
  debugLog("trial of '%s': %.4f ms, '%s' %.4f ms", usual.code->symbol, double(usual.leastMs), fastest->symbol,
           double(isWorthwhile ? best.leastMs : usual.leastMs));
  trials.fastest.store(fastest, std::memory_order_release);
}

void destroy(const DriverTable &table, const Measurement &measurement) {
  if (measurement.begin)
    table.eventDestroy(measurement.begin);
  if (measurement.end)
    table.eventDestroy(measurement.end);
}

LaunchShape shapeOf(const LaunchConfig &config) {
  LaunchShape shape = {};
  std::copy(config.grid, config.grid + 3, shape.grid);
  std::copy(config.block, config.block + 3, shape.block);
  shape.sharedBytes = config.sharedBytes;
  return shape;
}

} // namespace

Trial::Trial(const Current &current, const LoadedKernel &kernel, KernelFunction &code, const LaunchConfig &config)
    : current(current), kernel(kernel), config(config), usual(code), chosen(&code) {
  if (!mayTry())
    return;
  if (const char *asked = environment().alternative) {
    chooseByName(asked);
    return;
  }
  LaunchShape shape = shapeOf(config);
  Trials *trials = code.alternatives->find(shape);
  if (KernelFunction *fastest = trials ? trials->fastest.load(std::memory_order_acquire) : nullptr) {
    chosen = fastest;
    return;
  }
  std::unique_lock<std::mutex> lock(code.alternatives->mutex, std::try_to_lock);
  if (!lock || isCapturing(*current.table, toStream(config.stream)))
    return;
  trials = begunTrials(shape);
  if (trials)
    choose(*trials);
}

/// Chooses the alternative whose name ends in $`name`, if it can be launched.
void Trial::chooseByName(const char *name) {
  for (KernelFunction &each : usual.alternatives->codes) {
    const char *suffix = std::strrchr(each.symbol, '$');
    if (suffix && !std::strcmp(suffix + 1, name) && canLaunch(each))
      chosen = &each;
  }
}

/// Code that waits for its whole grid has to fit at once, and what cannot run at all is to fail as ever.
bool Trial::mayTry() const {
  return usual.alternatives && environment().trials && !config.cooperative && config.cluster[0] == 0 &&
         usual.mayHave(config.threadsPerBlock());
}

Trial::~Trial() { destroy(*current.table, measurement); }

/// Returns the trials of launches of `shape`; null if there is no room for more.
Trials *Trial::begunTrials(const LaunchShape &shape) {
  Alternatives &all = *usual.alternatives;
  if (Trials *known = all.find(shape))
    return known;
  auto isFree = [](const std::atomic<Trials *> &each) { return !each.load(std::memory_order_relaxed); };
  auto free = std::find_if(all.trials.begin(), all.trials.end(), isFree);
  if (free == all.trials.end())
    return nullptr;
  auto *trials = new Trials;
  trials->shape = shape;
  trials->contenders.push_back({&usual});
  for (KernelFunction &code : all.codes)
    trials->contenders.push_back({&code});
  free->store(trials, std::memory_order_release);
  return trials;
}

/// Sets what to launch, and whether to measure it. The first launch is not measured: it may load code and bring data.
void Trial::choose(Trials &trials) {
  RelaxedCapture relaxed(current);
  collect(trials);
  if (KernelFunction *fastest = trials.fastest.load(std::memory_order_relaxed)) {
    chosen = fastest;
    return;
  }
  Contender *next = trials.hasBegun ? nextContender(trials) : nullptr;
  trials.hasBegun = true;
  if (!next)
    return;
  const DriverTable &table = *current.table;
  if (table.eventCreate(&measurement.begin, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
      table.eventCreate(&measurement.end, CU_EVENT_DEFAULT) != CUDA_SUCCESS)
    return;
  measurement.contender = static_cast<size_t>(next - trials.contenders.data());
  measuring = &trials;
  chosen = next->code;
  ++next->begun;
}

/// Takes up the measurements of launches that have ended.
void Trial::collect(Trials &trials) {
  const DriverTable &table = *current.table;
  auto takeUp = [&](const Measurement &each) {
    CUresult state = table.eventQuery(each.end);
    if (state == CUDA_ERROR_NOT_READY)
      return false;
    Contender &contender = trials.contenders[each.contender];
    float milliseconds = 0;
    if (state == CUDA_SUCCESS && table.eventElapsedTime(&milliseconds, each.begin, each.end) == CUDA_SUCCESS) {
      contender.leastMs = std::min(contender.leastMs, milliseconds);
      ++contender.measured;
    } else
      giveUp(contender);
    destroy(table, each);
    return true;
  };
  trials.pending.erase(std::remove_if(trials.pending.begin(), trials.pending.end(), takeUp), trials.pending.end());
  dropSlow(trials);
  settle(trials);
}

/// The contender that has been launched least of those that have to be; null if none has to.
Contender *Trial::nextContender(Trials &trials) {
  Contender *next = nullptr;
  for (Contender &each : trials.contenders)
    if (!each.isOut && each.begun < launchesOf(each) && (!next || each.begun < next->begun) && canLaunch(each))
      next = &each;
  return next;
}

/// False if `code` cannot be loaded, not have so many threads in a block, or has no blocks to take together.
bool Trial::canLaunch(KernelFunction &code) {
  return config.grid[code.pairedAxis] >= code.blocksEach && isLoaded(current, kernel, code, code.symbol) &&
         code.mayHave(config.threadsPerBlock());
}

/// The same; it is out for ever then.
bool Trial::canLaunch(Contender &contender) {
  if (!canLaunch(*contender.code))
    giveUp(contender);
  return !contender.isOut;
}

void Trial::begin() {
  if (measuring)
    isTimed = current.table->eventRecord(measurement.begin, toStream(config.stream)) == CUDA_SUCCESS;
}

bool Trial::end(CUresult launched) {
  Trials *trials = std::exchange(measuring, nullptr);
  if (!trials)
    return true;
  isTimed = isTimed && launched == CUDA_SUCCESS &&
            current.table->eventRecord(measurement.end, toStream(config.stream)) == CUDA_SUCCESS;
  std::lock_guard<std::mutex> lock(usual.alternatives->mutex);
  if (isTimed)
    trials->pending.push_back(std::exchange(measurement, {}));
  else
    giveUp(trials->contenders[measurement.contender]);
  bool isOver = launched == CUDA_SUCCESS || chosen == &usual;
  chosen = isOver ? chosen : &usual;
  return isOver;
}

} // namespace cufort::rt
