// Output of GPUs: up to a number of lines of each launch, and then a line that says so. The driver would drop lines
// without a word when its buffer is full; the runtime makes the buffer large enough for this number.

extern "C" int vprintf(const char *format, const void *arguments);

namespace {

constexpr unsigned lineLimit = 4096; // CUDA Fortran guide, section on PRINT in device code

unsigned launchNumber() {
  unsigned long number;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
  return unsigned(number);
}

} // namespace

/// The launch that has printed last, in the upper half, and how many lines it has printed. By its name the runtime
/// knows that a program prints.
extern "C" unsigned long cufortPrintedLines = 0;

/// Returns how many lines this launch has printed before; counts no further than one more than the limit. Launches that
/// run at the same time make each other count from the beginning.
static unsigned countLine() {
  const unsigned long launch = static_cast<unsigned long>(launchNumber()) << 32;
  unsigned long before = __atomic_load_n(&cufortPrintedLines, __ATOMIC_RELAXED);
  for (;;) {
    bool isSame = before >> 32 == launch >> 32;
    unsigned lines = isSame ? unsigned(before) : 0;
    if (lines > lineLimit)
      return lines;
    if (__atomic_compare_exchange_n(&cufortPrintedLines, &before, launch | (lines + 1), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return lines;
  }
}

/// Prints one line: `format` and `arguments` are those of CUDA's vprintf.
extern "C" void cufortPrintLine(const char *format, const void *arguments) {
  unsigned lines = countLine();
  if (lines < lineLimit)
    vprintf(format, arguments);
  else if (lines == lineLimit)
    vprintf("cufort: a kernel prints more than 4096 lines: the rest is lost\n", nullptr);
}
