// Which of several codes that calculate the same is fastest: the first launches of a shape measure it.
#pragma once

#include "runtime/Launch/Launch.h"
#include "runtime/Module/Alternatives.h"

namespace cufort::rt {

/// A launch as far as alternatives to its code go. Never waits for the device.
class Trial {
public:
  /// `code` is what the launch, whose grid is known, runs if nothing is to be tried.
  Trial(const Current &current, const LoadedKernel &kernel, KernelFunction &code, const LaunchConfig &config);
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;
  ~Trial();

  /// What is to be launched.
  KernelFunction &code() const { return *chosen; }

  /// Call right before and right behind the launch, with what the driver said of it. Returns false if code is to be
  /// launched once more, which is what it would be without alternatives: this one cannot.
  void begin();
  bool end(CUresult launched);

private:
  bool mayTry() const;
  Trials *begunTrials(const LaunchShape &shape);
  void choose(Trials &trials);
  void collect(Trials &trials);
  Contender *nextContender(Trials &trials);
  bool canLaunch(Contender &contender);
  bool canLaunch(KernelFunction &code);
  void chooseByName(const char *name);

  const Current &current;
  const LoadedKernel &kernel;
  const LaunchConfig &config;
  KernelFunction &usual;
  KernelFunction *chosen;
  Trials *measuring = nullptr; ///< null if the launch is not measured
  bool isTimed = false;        ///< as far as it has come
  Measurement measurement;
};

} // namespace cufort::rt
