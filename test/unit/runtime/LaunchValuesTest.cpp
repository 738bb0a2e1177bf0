#include "runtime/Module/LaunchValues.h"
#include "runtime/Launch/Launch.h"
#include "runtime/Module/Module.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/TestImage.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace cufort::rt;
using fake::Calculation;
using fake::record;

namespace {

LaunchCalculation viewOf(const Calculation &calculation) {
  return {calculation.steps.data(),     static_cast<unsigned>(calculation.steps.size()),
          calculation.values.data(),    static_cast<unsigned>(calculation.values.size()),
          calculation.kernelParameters, calculation.versionParameters};
}

CufortStep step(CufortStepKind kind, unsigned bits, unsigned first = 0, unsigned second = 0, uint64_t value = 0) {
  return {static_cast<uint8_t>(kind),
          static_cast<uint8_t>(bits),
          static_cast<uint16_t>(first),
          static_cast<uint16_t>(second),
          0,
          value};
}

/// The result of `kind` for two parameters.
template <typename Number>
uint64_t resultOf(CufortStepKind kind, Number a, Number b) {
  constexpr unsigned bits = sizeof(Number) * 8;
  Calculation calculation = {
      {step(CufortStepParameter, bits, 0), step(CufortStepParameter, bits, 1), step(kind, bits, 0, 1)}, {}, 2, 2};
  EXPECT_TRUE(viewOf(calculation).isSound());
  void *params[] = {&a, &b};
  LaunchParameters parameters(params);
  parameters.calculate(viewOf(calculation));
  return parameters.result(2);
}

template <typename Signed, typename Unsigned>
void expectArithmetic(Unsigned a, Unsigned b) {
  auto x = static_cast<Signed>(a), y = static_cast<Signed>(b);
  unsigned distance = b % (sizeof b * 8);
  auto unsign = [](Signed number) { return static_cast<Unsigned>(number); };
  EXPECT_EQ(resultOf(CufortStepAdd, a, b), static_cast<Unsigned>(a + b));
  EXPECT_EQ(resultOf(CufortStepSubtract, a, b), static_cast<Unsigned>(a - b));
  EXPECT_EQ(resultOf(CufortStepMultiply, a, b), static_cast<Unsigned>(a * b));
  EXPECT_EQ(resultOf(CufortStepAnd, a, b), a & b);
  EXPECT_EQ(resultOf(CufortStepOr, a, b), a | b);
  EXPECT_EQ(resultOf(CufortStepXor, a, b), a ^ b);
  EXPECT_EQ(resultOf(CufortStepShiftLeft, a, b), static_cast<Unsigned>(a << distance));
  EXPECT_EQ(resultOf(CufortStepShiftRight, a, b), a >> distance);
  EXPECT_EQ(resultOf(CufortStepShiftRightSigned, a, b), unsign(x >> distance));
  EXPECT_EQ(resultOf(CufortStepMinSigned, a, b), unsign(std::min(x, y)));
  EXPECT_EQ(resultOf(CufortStepMaxSigned, a, b), unsign(std::max(x, y)));
  EXPECT_EQ(resultOf(CufortStepMinUnsigned, a, b), std::min(a, b));
  EXPECT_EQ(resultOf(CufortStepMaxUnsigned, a, b), std::max(a, b));
}

TEST(LaunchValues, AreThoseOfTheMachine) {
  std::mt19937_64 random(20261127);
  for (int i = 0; i < 1000; ++i) {
    uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
    expectArithmetic<int64_t>(a, b);
    expectArithmetic<int32_t>(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
    expectArithmetic<int32_t>(static_cast<uint32_t>(-a), static_cast<uint32_t>(b));
  }
}

TEST(LaunchValues, ReadPartsOfParametersAndExtendThem) {
  int32_t parts[3] = {7, -5, 9};
  Calculation calculation = {{step(CufortStepParameter, 32, 0, 0, 4), step(CufortStepSignExtend, 64, 0),
                              step(CufortStepConstant, 64, 0, 0, 12), step(CufortStepMultiply, 64, 1, 2)},
                             {},
                             1,
                             1};
  void *params[] = {parts};
  LaunchParameters parameters(params);
  parameters.calculate(viewOf(calculation));
  EXPECT_EQ(parameters.result(0), 0xfffffffbu);
  EXPECT_EQ(static_cast<int64_t>(parameters.result(3)), -60);
}

/// x / divisor as a kernel calculates it.
uint32_t quotient(uint32_t x, uint32_t divisor) {
  Calculation calculation = {{step(CufortStepParameter, 32, 0), step(CufortStepDivisionMultiplier, 32, 0),
                              step(CufortStepDivisionShift, 32, 0)},
                             {},
                             1,
                             1};
  void *params[] = {&divisor};
  LaunchParameters parameters(params);
  parameters.calculate(viewOf(calculation));
  return static_cast<uint32_t>(x * parameters.result(1) >> 31) >> parameters.result(2);
}

TEST(LaunchValues, DivideByMultiplication) {
  std::mt19937 random(20261127);
  constexpr uint32_t most = 1u << 31;
  auto expectQuotient = [](uint32_t x, uint32_t divisor) {
    EXPECT_EQ(quotient(x, divisor), x / divisor) << x << " / " << divisor;
  };
  auto expectQuotients = [&](uint32_t divisor) {
    uint32_t multiple = most / divisor * divisor;
    for (uint32_t x : {0u, 1u, divisor - 1, divisor, divisor + 1, multiple - 1, multiple, most - 1, most})
      expectQuotient(std::min(x, most), divisor);
    for (int i = 0; i < 20; ++i)
      expectQuotient(random() >> random() % 32 >> 1, divisor);
  };
  for (uint32_t divisor = 1; divisor < 2000; ++divisor)
    expectQuotients(divisor);
  for (unsigned shift = 1; shift < 31; ++shift)
    for (uint32_t divisor : {(1u << shift) - 1, 1u << shift, (1u << shift) + 1})
      expectQuotients(divisor);
  for (int i = 0; i < 2000; ++i)
    expectQuotients(2 + random() % (most - 2));
  expectQuotients(most - 1);
}

TEST(LaunchValues, OnlySoundCalculationsAreTaken) {
  auto isSound = [](const Calculation &calculation) { return viewOf(calculation).isSound(); };
  CufortStep parameter = step(CufortStepParameter, 64, 0), sum = step(CufortStepAdd, 64, 0, 0);
  EXPECT_TRUE(isSound({}));
  EXPECT_TRUE(isSound({{parameter, sum}, {{1, 1}, {0, 0}}, 1, 2}));
  EXPECT_FALSE(isSound({{parameter, sum}, {{0, 1}}, 1, 2})) << "the second parameter gets no value";
  EXPECT_FALSE(isSound({{parameter, sum}, {{2, 1}}, 1, 2}));
  EXPECT_FALSE(isSound({{parameter, sum}, {{1, 2}}, 1, 2}));
  EXPECT_FALSE(isSound({{parameter, sum}, {}, 0, 0})) << "there is no such parameter";
  EXPECT_FALSE(isSound({{sum, parameter}, {}, 1, 1})) << "a step uses itself";
  EXPECT_FALSE(isSound({{parameter, step(CufortStepAdd, 64, 0, 1)}, {}, 1, 1}));
  EXPECT_FALSE(isSound({{step(CufortStepParameter, 16, 0)}, {}, 1, 1}));
  EXPECT_FALSE(isSound({{step(CufortStepEnd, 64, 0)}, {}, 1, 1}));
  EXPECT_FALSE(isSound({{parameter}, {}, 2, 1}));
  EXPECT_FALSE(isSound({std::vector<CufortStep>(CufortMaxSteps + 1, parameter), {}, 1, 1}));
  EXPECT_FALSE(isSound({{parameter}, {}, 1, CufortMaxVersionParameters + 1}));
}

/// A kernel with a version for a first parameter from 2 on, which gets twice the second one and a third one.
class LaunchWithValues : public ::testing::Test {
protected:
  void SetUp() override {
    fake::install();
    Calculation calculation = {{step(CufortStepParameter, 32, 0), step(CufortStepParameter, 64, 1),
                                step(CufortStepAdd, 64, 1, 1), step(CufortStepMultiply, 64, 0, 1)},
                               {{1, 2}, {2, 3}},
                               2,
                               3};
    image.versions(record({{CufortTestStep, 0, 2, 0, INT32_MAX}}, {"scale_", "scale_$values"}, calculation));
    stub = image.kernel("scale");
    image.add();
    static DriverTable table;
    table = fake::table();
    table.launchKernel = [](CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            CUstream, void **params, void **) {
      launched = reinterpret_cast<fake::Function *>(function)->name;
      std::memcpy(&first, params[0], sizeof first);
      std::memcpy(&second, params[1], sizeof second);
      if (launched != "scale_")
        std::memcpy(&third, params[2], sizeof third);
      return CUDA_SUCCESS;
    };
    installDriverForTest(&table);
  }

  void TearDown() override { installDriverForTest(&fake::table()); }

  void launch(int32_t a, int64_t b) {
    void *params[] = {&a, &b};
    LaunchConfig config;
    ASSERT_TRUE(launchKernel(stub, config, params, "x.cuf", 12));
    EXPECT_EQ(first, a);
  }

  static inline std::string launched;
  static inline int32_t first;
  static inline int64_t second, third;
  fake::TestImage image;
  void *stub = nullptr;
};

TEST_F(LaunchWithValues, TheVersionGetsThem) {
  launch(3, -500000000000);
  EXPECT_EQ(launched, "scale_$values");
  EXPECT_EQ(second, -1000000000000);
  EXPECT_EQ(third, -1500000000000);
}

TEST_F(LaunchWithValues, TheKernelItselfGetsWhatWasPassed) {
  for (int32_t a : {1, 0, -7}) {
    launch(a, 40);
    EXPECT_EQ(launched, "scale_");
    EXPECT_EQ(second, 40);
  }
}

} // namespace
