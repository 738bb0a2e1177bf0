#include "driver/Jobs/ModuleOrder.h"
#include <gtest/gtest.h>

using namespace cufort::driver;

namespace {

ModuleInfo source(std::set<std::string> provides, std::set<std::string> uses, bool opaque = false) {
  return {std::move(provides), std::move(uses), opaque};
}

/// The sources that each source waits for.
std::vector<std::set<size_t>> waits(const std::vector<ModuleInfo> &sources, std::set<std::string> existing = {}) {
  auto exists = [&](llvm::StringRef module) { return existing.count(module.str()) > 0; };
  std::vector<std::set<size_t>> result;
  for (const std::vector<Dependency> &dependencies : orderSources(sources, exists)) {
    result.emplace_back();
    for (const Dependency &dependency : dependencies)
      result.back().insert(dependency.source);
  }
  return result;
}

using Waits = std::vector<std::set<size_t>>;

TEST(ModuleOrder, WaitsForProviders) {
  EXPECT_EQ(waits({source({}, {"a", "b"}), source({"a"}, {"b"}), source({"b"}, {})}), Waits({{1, 2}, {2}, {}}));
}

TEST(ModuleOrder, IndependentSourcesWaitForNothing) {
  EXPECT_EQ(waits({source({"a"}, {}), source({"b"}, {"iso_c_binding"}), source({}, {})}, {"iso_c_binding"}),
            Waits({{}, {}, {}}));
}

TEST(ModuleOrder, AFileMayUseItsOwnModule) { EXPECT_EQ(waits({source({"a"}, {"a"})}), Waits({{}})); }

TEST(ModuleOrder, UnknownModuleWaitsForAllBefore) {
  EXPECT_EQ(waits({source({"a"}, {}), source({}, {}), source({}, {"secret"}), source({}, {})}),
            Waits({{}, {}, {0, 1}, {}}));
}

TEST(ModuleOrder, AllAfterAnOpaqueSourceWait) {
  EXPECT_EQ(waits({source({}, {}), source({}, {}, true), source({}, {}), source({}, {})}),
            Waits({{}, {}, {0, 1}, {0, 1, 2}}));
}

TEST(ModuleOrder, ACircleMeansCommandOrder) {
  EXPECT_EQ(waits({source({"a"}, {"b"}), source({"b"}, {"a"}), source({}, {})}), Waits({{}, {0}, {0, 1}}));
}

TEST(ModuleOrder, SaysWhichModuleIsWaitedFor) {
  std::vector<ModuleInfo> sources = {source({}, {"a"}), source({"a"}, {})};
  std::vector<std::vector<Dependency>> order = orderSources(sources, [](llvm::StringRef) { return false; });
  ASSERT_EQ(order[0].size(), 1u);
  EXPECT_EQ(order[0][0].module, "a");
}

} // namespace
