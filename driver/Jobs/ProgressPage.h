// The memory that a child process shares with the driver.
#pragma once

#include <atomic>
#include <cstdint>

namespace cufort::driver {

/// One note of noteProgress(). Texts are cut to fit and end with NUL.
struct ProgressNote {
  char activity[200];
  char file[1000];
  uint32_t line;
};

/// Written by the child, also from signal handlers; read by the driver after the child's end. Two notes take turns, so
/// that `current` always names a whole one.
struct ProgressPage {
  std::atomic<uint32_t> current; ///< index + 1 into notes; 0: no note yet
  std::atomic<uint32_t> writing; ///< 1 while a thread writes a note: others skip theirs
  std::atomic<uint32_t> completed;
  std::atomic<int32_t> status;
  std::atomic<int32_t> signal;
  ProgressNote notes[2];
  char fatal[1000];
};

/// Returns a zeroed page that a child made by fork() shares, or null.
ProgressPage *newProgressPage();
void deleteProgressPage(ProgressPage *page);

/// The page that noteProgress() writes to: the child's own, null in the driver.
extern ProgressPage *activePage;

/// Copies `text` of `length` bytes to `target` of `size` bytes, cut to fit. Safe in signal handlers.
void copyText(char *target, uint32_t size, const char *text, uint32_t length);

} // namespace cufort::driver
