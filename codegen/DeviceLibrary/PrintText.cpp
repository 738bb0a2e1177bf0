// Lines of list-directed output whose number of items is known at run time only: the text is put together in memory of
// the device's heap, for one vprintf. The spelling is that of the formats which other lines have
// (RaiseDevicePrint.cpp).

#include "codegen/DeviceLibrary/Decimal.h"
#include "codegen/DeviceLibrary/FortranDescriptor.h"

using namespace cufort::device;

namespace {

/// The state of one line, in the 32 bytes that the compiled code provides.
struct Line {
  char *text; ///< null if the heap is full: then the line stays empty
  long length;
  long capacity;
  bool followsText; ///< adjacent strings are not separated
};

/// Types of array elements, which RaiseDevicePrint.cpp names.
enum ElementType { Integer = 0, Real = 1, Complex = 2, Logical = 3, Character = 4 };

/// Returns room for `count` more characters and the zero at the end, or null.
char *extend(Line &line, long count) {
  long needed = line.length + count + 1;
  if (needed > line.capacity) {
    long capacity = needed > 2 * line.capacity ? needed : 2 * line.capacity;
    auto *text = line.capacity && !line.text ? nullptr : static_cast<char *>(malloc(capacity));
    if (text && line.text)
      copyElement(text, line.text, line.length);
    free(line.text);
    line.text = text;
    line.capacity = capacity;
  }
  if (!line.text)
    return nullptr;
  char *place = line.text + line.length;
  line.length += count;
  return place;
}

void append(Line &line, const char *characters, long count) {
  if (char *place = extend(line, count))
    copyElement(place, characters, count);
}

void append(Line &line, char character) { append(line, &character, 1); }

void appendInteger(Line &line, long value) {
  char digits[20];
  int first = 20;
  unsigned long rest = value < 0 ? -static_cast<unsigned long>(value) : value;
  do
    digits[--first] = '0' + rest % 10;
  while (rest /= 10);
  if (value < 0)
    append(line, '-');
  append(line, digits + first, 20 - first);
}

/// Not a part of its callers, since it takes much memory of the stack.
__attribute__((noinline)) void appendReal(Line &line, double value, int digits) {
  char text[maxDecimalLength];
  append(line, text, formatDecimal(text, value, digits));
}

/// Significant digits of a real number of `bytes` bytes.
int digitsOf(unsigned long bytes) { return bytes == 2 ? 5 : bytes == 4 ? 8 : 16; }

double realAt(const char *address, unsigned long bytes) {
  if (bytes == 2)
    return *reinterpret_cast<const _Float16 *>(address);
  return bytes == 4 ? *reinterpret_cast<const float *>(address) : *reinterpret_cast<const double *>(address);
}

} // namespace

/// The name of a number that is not finite.
extern "C" const char *cufortSpecialName(double value) { return value != value ? "NaN" : value > 0 ? "Inf" : "-Inf"; }

extern "C" void cufortLineBegin(Line *line) { *line = {nullptr, 0, 0, false}; }

extern "C" void cufortLineInteger(Line *line, long value) {
  append(*line, ' ');
  appendInteger(*line, value);
  line->followsText = false;
}

extern "C" void cufortLineReal(Line *line, double value, int digits) {
  append(*line, ' ');
  appendReal(*line, value, digits);
  line->followsText = false;
}

extern "C" void cufortLineComplex(Line *line, double real, double imaginary, int digits) {
  append(*line, " (", 2);
  appendReal(*line, real, digits);
  append(*line, ',');
  appendReal(*line, imaginary, digits);
  append(*line, ')');
  line->followsText = false;
}

extern "C" void cufortLineLogical(Line *line, int value) {
  append(*line, value ? " T" : " F", 2);
  line->followsText = false;
}

extern "C" void cufortLineText(Line *line, const char *text, long length) {
  if (!line->followsText)
    append(*line, ' ');
  append(*line, text, length);
  line->followsText = true;
}

/// The elements of an array of an intrinsic type, or a scalar.
extern "C" void cufortLineArray(Line *line, const Descriptor *array, int type) {
  long count = elementCount(*array);
  unsigned long bytes = array->elementBytes;
  for (long i = 0; i < count; ++i) {
    const char *element = elementAddress(*array, i);
    if (type == Integer)
      cufortLineInteger(line, integerAt(element, bytes));
    else if (type == Real)
      cufortLineReal(line, realAt(element, bytes), digitsOf(bytes));
    else if (type == Complex)
      cufortLineComplex(line, realAt(element, bytes / 2), realAt(element + bytes / 2, bytes / 2), digitsOf(bytes / 2));
    else if (type == Logical)
      cufortLineLogical(line, integerAt(element, bytes) != 0);
    else
      cufortLineText(line, element, bytes);
  }
}

extern "C" long cufortElementCount(const Descriptor *array) { return elementCount(*array); }

extern "C" char *cufortElementAddress(const Descriptor *array, long number) { return elementAddress(*array, number); }

/// Returns the line with a zero at its end.
extern "C" const char *cufortLineResult(Line *line) {
  append(*line, "", 1);
  return line->text ? line->text : "";
}

extern "C" void cufortLineEnd(Line *line) { free(line->text); }
