#include "runtime/Module/KernelVersions.h"
#include "runtime/Module/Alternatives.h"
#include "runtime/Support/FloatTraps.h"
#include <cstring>

namespace cufort::rt {

KernelFunction::KernelFunction() = default;
KernelFunction::~KernelFunction() = default;

CUresult loadFunction(const Current &current, CUmodule module, const char *symbol, KernelFunction &code) {
  ExceptionsOff exceptionsOff;
  CUfunction function = nullptr;
  if (CUresult result = current.table->moduleGetFunction(&function, module, symbol); result != CUDA_SUCCESS)
    return result;
  auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    return current.table->funcGetAttribute(&value, which, function) == CUDA_SUCCESS ? value : 0;
  };
  code.dynamicSharedLimit.store(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), std::memory_order_relaxed);
  code.maxThreads.store(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), std::memory_order_relaxed);
  code.symbol = symbol;
  code.function.store(function, std::memory_order_release);
  return CUDA_SUCCESS;
}

namespace {

/// Takes a string off the front of the text between `text` and `end`; null if it does not end there.
const char *takeString(const char *&text, const char *end) {
  const char *begin = text;
  auto *nul = static_cast<const char *>(std::memchr(begin, 0, static_cast<size_t>(end - begin)));
  if (!nul)
    return nullptr;
  text = nul + 1;
  return begin;
}

/// True for tests of an axis of the launch.
bool isOfAxis(uint16_t kind) { return kind == CufortTestBlock || kind == CufortTestThreads; }

bool isSoundAlternative(const CufortTest &test) {
  return test.index <= 2 && (test.offset == 1 || test.offset == 2) && test.mask <= CufortMaxVersionParameters;
}

/// True if the tests of `record` name none but its variables and steps.
bool isSound(const VersionRecord &record) {
  size_t count = record.variables.size();
  if (!record.calculation.isSound())
    return false;
  if (record.isAlternative())
    return record.calculation.stepCount == 0 && count == 0 && isSoundAlternative(*record.tests);
  for (unsigned i = 0; i < record.testCount; ++i) {
    const CufortTest &test = record.tests[i];
    bool hasVariable = test.kind == CufortTestStrides || test.kind == CufortTestSame;
    if ((hasVariable && test.index >= count) || (test.kind == CufortTestSame && test.offset >= count) ||
        (isOfAxis(test.kind) && test.index > 2) ||
        (test.kind == CufortTestStep && test.index >= record.calculation.stepCount) ||
        test.kind < CufortTestParameter || test.kind > CufortTestThreads)
      return false;
  }
  return true;
}

/// Takes `count` items off the front of the bytes between `text` and `end`; null if there are not so many.
template <typename Item>
const Item *takeItems(const char *&text, const char *end, unsigned count) {
  if (static_cast<size_t>(end - text) / sizeof(Item) < count)
    return nullptr;
  auto *items = reinterpret_cast<const Item *>(text);
  text += count * sizeof(Item);
  return items;
}

/// Reads the record at `bytes`, all of which is there. False if it is none.
bool readRecord(const char *bytes, const CufortVersion &head, const char *&kernel, VersionRecord &record) {
  const char *end = bytes + head.bytes, *text = bytes + sizeof head;
  LaunchCalculation &calculation = record.calculation;
  calculation = {nullptr, head.stepCount, nullptr, head.valueCount, head.kernelParameters, head.versionParameters};
  record.testCount = head.testCount;
  calculation.steps = takeItems<CufortStep>(text, end, head.stepCount);
  record.tests = calculation.steps ? takeItems<CufortTest>(text, end, head.testCount) : nullptr;
  calculation.values = record.tests ? takeItems<CufortValue>(text, end, head.valueCount) : nullptr;
  if (!calculation.values)
    return false;
  kernel = takeString(text, end);
  record.symbol = kernel ? takeString(text, end) : nullptr;
  for (unsigned i = 0; record.symbol && i < head.variableCount; ++i)
    if (const char *name = takeString(text, end))
      record.variables.push_back(name);
  return record.symbol && record.variables.size() == head.variableCount && isSound(record);
}

uint32_t bitsAt(const void *parameter, uint32_t offset) {
  uint32_t bits;
  std::memcpy(&bits, static_cast<const char *>(parameter) + offset, sizeof bits);
  return bits;
}

/// The first 32 bits of `parameter`, with a sign; 0 if there is none.
int64_t numberIn(void *const *params, uint32_t parameter) {
  return parameter == CUFORT_NO_PARAMETER ? 0 : static_cast<int32_t>(bitsAt(params[parameter], 0));
}

bool hasThreads(const CufortTest &test, void *const *params, const int64_t grid[3], const int64_t block[3]) {
  int64_t least = numberIn(params, test.mask) - numberIn(params, test.offset) + static_cast<int32_t>(test.value);
  // An extent of -1 becomes one that depends on the code.
  return grid[test.index] >= 0 && grid[test.index] * block[test.index] >= least;
}

} // namespace

std::vector<VersionRecord> readVersions(const void *bytes, size_t size, const char *kernel) {
  std::vector<VersionRecord> records;
  auto *next = static_cast<const char *>(bytes), *end = next + size;
  while (static_cast<size_t>(end - next) >= sizeof(CufortVersion)) {
    auto &head = *reinterpret_cast<const CufortVersion *>(next);
    bool fits = head.bytes >= sizeof head && head.bytes <= static_cast<size_t>(end - next) &&
                head.bytes % alignof(CufortStep) == 0;
    const char *owner = nullptr;
    VersionRecord record = {};
    if (!fits || !readRecord(next, head, owner, record))
      break;
    if (!std::strcmp(owner, kernel))
      records.push_back(std::move(record));
    next += head.bytes;
  }
  return records;
}

bool KernelVersion::serves(LaunchParameters &parameters, const int64_t grid[3], const int64_t block[3]) const {
  parameters.calculate(record.calculation);
  void *const *params = parameters.ofKernel();
  auto versionOf = [&](uint32_t variable) {
    return static_cast<uint32_t>(strides[variable]->load(std::memory_order_relaxed));
  };
  for (const CufortTest *test = record.tests; test != record.tests + record.testCount; ++test) {
    bool holds = false;
    switch (test->kind) {
    case CufortTestParameter:
      holds = (bitsAt(params[test->index], test->offset) & test->mask) == test->value;
      break;
    case CufortTestStrides:
      holds = (versionOf(test->index) & test->mask) == test->value;
      break;
    case CufortTestSame:
      holds = versionOf(test->index) == versionOf(test->offset);
      break;
    case CufortTestBlock:
      holds = block[test->index] == test->value;
      break;
    case CufortTestStep:
      holds = parameters.result(test->index) >= test->offset && parameters.result(test->index) <= test->value;
      break;
    case CufortTestEqual:
      holds = bitsAt(params[test->index], test->offset) == bitsAt(params[test->mask], test->value);
      break;
    case CufortTestThreads:
      holds = hasThreads(*test, params, grid, block);
      break;
    }
    if (!holds)
      return false;
  }
  return true;
}

} // namespace cufort::rt
