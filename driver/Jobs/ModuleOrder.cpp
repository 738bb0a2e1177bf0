#include "driver/Jobs/ModuleOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace cufort::driver;

namespace {

using Graph = std::vector<std::vector<Dependency>>;

void waitForAllBefore(std::vector<Dependency> &dependencies, size_t source) {
  for (size_t earlier = 0; earlier < source; ++earlier)
    if (llvm::none_of(dependencies, [&](const Dependency &known) { return known.source == earlier; }))
      dependencies.push_back({earlier, ""});
}

Graph commandOrder(size_t count) {
  Graph graph(count);
  for (size_t source = 0; source < count; ++source)
    waitForAllBefore(graph[source], source);
  return graph;
}

/// Returns true if there is a way to compile all: take what waits for nothing, again and again.
bool hasOrder(const Graph &graph) {
  std::vector<bool> done(graph.size());
  for (size_t left = graph.size(); left > 0;) {
    size_t before = left;
    for (size_t source = 0; source < graph.size(); ++source) {
      auto isDone = [&](const Dependency &dependency) { return done[dependency.source]; };
      if (done[source] || !llvm::all_of(graph[source], isDone))
        continue;
      done[source] = true;
      --left;
    }
    if (left == before)
      return false;
  }
  return true;
}

/// Maps each module to the first source that defines it.
llvm::StringMap<size_t> findProviders(llvm::ArrayRef<ModuleInfo> sources) {
  llvm::StringMap<size_t> providers;
  for (size_t source = 0; source < sources.size(); ++source)
    for (const std::string &module : sources[source].provides)
      providers.try_emplace(module, source);
  return providers;
}

} // namespace

std::vector<std::vector<Dependency>>
cufort::driver::orderSources(llvm::ArrayRef<ModuleInfo> sources,
                             llvm::function_ref<bool(llvm::StringRef module)> exists) {
  llvm::StringMap<size_t> providers = findProviders(sources);
  Graph graph(sources.size());
  bool afterOpaque = false;
  for (size_t source = 0; source < sources.size(); ++source) {
    bool unclear = afterOpaque;
    for (const std::string &module : sources[source].uses) {
      auto provider = providers.find(module);
      if (provider == providers.end())
        unclear |= !exists(module);
      else if (provider->second != source && !sources[source].provides.count(module))
        graph[source].push_back({provider->second, module});
    }
    if (unclear)
      waitForAllBefore(graph[source], source);
    afterOpaque |= sources[source].opaque;
  }
  return hasOrder(graph) ? graph : commandOrder(sources.size());
}
