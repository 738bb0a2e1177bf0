// vprintf of device code. The argument buffer is CUDA's: each argument at its natural alignment, integers of less than
// four bytes widened to four, real(4) widened to double.
#include "runtime/Emulated/Launch.h"
#include "runtime/Emulated/Worker.h"
#include <cstdio>
#include <cstring>

using namespace cufort::rt::emulated;

namespace {

/// Reads the packed arguments one after the other.
class Arguments {
public:
  explicit Arguments(const void *buffer) : next(static_cast<const char *>(buffer)) {}
  template <typename T>
  T take() {
    next = reinterpret_cast<const char *>((reinterpret_cast<uintptr_t>(next) + sizeof(T) - 1) & ~(sizeof(T) - 1));
    T value;
    memcpy(&value, next, sizeof(T));
    next += sizeof(T);
    ++taken;
    return value;
  }
  int count() const { return taken; }

private:
  const char *next;
  int taken = 0;
};

/// One conversion specification, taken apart: the flags, width and precision as text, and what decides the type.
struct Conversion {
  char text[48] = "%";
  size_t length = 1;
  bool isLong = false;
  char type = 0;

  void append(char c) {
    if (length < sizeof text - 4)
      text[length++] = c;
  }
  void append(int number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    for (const char *digit = digits; *digit; ++digit)
      append(*digit);
  }
  /// Returns the text, ended by `suffix`, as printf wants it.
  const char *finish(const char *suffix) {
    strcpy(text + length, suffix);
    return text;
  }
};

/// The text that one call prints. Formats on the device thread's own small stack, hence the small pieces.
class Formatter {
public:
  Formatter(const char *format, const void *arguments) : format(format), arguments(arguments) {}

  std::string run() {
    while (*format) {
      size_t plain = strcspn(format, "%");
      out.append(format, plain);
      format += plain;
      if (*format)
        convert();
    }
    return std::move(out);
  }
  int argumentCount() const { return arguments.count(); }

private:
  /// Reads the specification behind '%', and the arguments that '*' in it stands for.
  Conversion parse() {
    Conversion conversion;
    ++format;
    while (*format && strchr("-+ #0123456789.*", *format)) {
      if (*format == '*')
        conversion.append(arguments.take<int>());
      else
        conversion.append(*format);
      ++format;
    }
    while (*format && strchr("hljztL", *format))
      conversion.isLong |= *format++ != 'h';
    if (*format)
      conversion.type = *format++;
    return conversion;
  }

  template <typename T>
  void put(const char *specification, T value) {
    char piece[512];
    int length = snprintf(piece, sizeof piece, specification, value);
    if (length < int(sizeof piece)) {
      out.append(piece, length > 0 ? size_t(length) : 0);
      return;
    }
    std::string large(size_t(length) + 1, '\0');
    snprintf(&large[0], large.size(), specification, value);
    out.append(large, 0, size_t(length));
  }

  void convert() {
    Conversion conversion = parse();
    char type[] = {conversion.type, 0}, longType[] = {'l', 'l', conversion.type, 0};
    switch (conversion.type) {
    case '%':
      out += '%';
      break;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (conversion.isLong)
        put(conversion.finish(longType), arguments.take<long long>());
      else
        put(conversion.finish(type), arguments.take<int>());
      break;
    case 'c':
      put(conversion.finish(type), arguments.take<int>());
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      put(conversion.finish(type), arguments.take<double>());
      break;
    case 'p':
      put(conversion.finish(type), arguments.take<void *>());
      break;
    case 's': {
      const char *string = arguments.take<const char *>();
      put(conversion.finish(type), string ? string : "(null)");
      break;
    }
    default: // not a conversion: shown as it is, as CUDA does
      out += conversion.finish(type);
    }
  }

  const char *format;
  Arguments arguments;
  std::string out;
};

} // namespace

extern "C" int32_t cufortEmuVprintf(const char *format, const void *arguments) {
  RuntimeCall call;
  Worker &worker = call.worker();
  const CufortEmuThread &thread = *cufortEmuThread;
  uint64_t block =
      thread.blockIdx[0] + thread.gridDim[0] * (thread.blockIdx[1] + uint64_t(thread.gridDim[1]) * thread.blockIdx[2]);
  worker.setMode(Mode::UserMemory);
  Formatter formatter(format, arguments);
  std::string text = formatter.run();
  worker.setMode(Mode::Runtime);
  worker.launch().prints.add(worker.gridPhase(), block, text);
  return formatter.argumentCount();
}
