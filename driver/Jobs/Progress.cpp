#include "driver/Jobs/Progress.h"
#include "driver/Jobs/ProgressPage.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace cufort::driver;

ProgressPage *cufort::driver::activePage = nullptr;

ProgressPage *cufort::driver::newProgressPage() {
  void *memory = mmap(nullptr, sizeof(ProgressPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<ProgressPage *>(memory);
}

void cufort::driver::deleteProgressPage(ProgressPage *page) {
  if (page)
    munmap(page, sizeof(ProgressPage));
}

void cufort::driver::copyText(char *target, uint32_t size, const char *text, uint32_t length) {
  length = std::min(length, size - 1);
  std::memcpy(target, text, length);
  target[length] = 0;
}

void cufort::driver::noteProgress(llvm::StringRef activity, llvm::StringRef file, unsigned line) {
  ProgressPage *page = activePage;
  if (!page || page->writing.exchange(1))
    return;
  uint32_t next = page->current == 1 ? 1 : 0;
  ProgressNote &note = page->notes[next];
  copyText(note.activity, sizeof(note.activity), activity.data(), activity.size());
  copyText(note.file, sizeof(note.file), file.data(), file.size());
  note.line = line;
  page->current = next + 1;
  page->writing = 0;
}
