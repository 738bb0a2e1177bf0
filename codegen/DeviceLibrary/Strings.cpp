// Intrinsic functions and comparison of strings, which Flang leaves to its runtime. Semantics: Fortran 2018 clause
// 16.9 for the function named, and 10.1.5.5.1 for comparison.

#include "codegen/DeviceLibrary/Strings.h"

using namespace cufort::device;

/// Less than 0, 0 or greater than 0, as the first string stands before, with or behind the second.
extern "C" int _FortranACharacterCompareScalar1(const char *a, const char *b, unsigned long aBytes,
                                                unsigned long bBytes) {
  return compareStrings(a, aBytes, b, bBytes);
}

extern "C" unsigned long _FortranALenTrim1(const char *string, unsigned long bytes) {
  return lengthWithoutBlanks(string, bytes);
}

//===-- INDEX, SCAN and VERIFY ------------------------------------------------------------------------------------===//

/// True if the `bytes` characters at `string` are those at `other`.
static bool areSame(const char *string, const char *other, unsigned long bytes) {
  for (unsigned long i = 0; i < bytes; ++i)
    if (string[i] != other[i])
      return false;
  return true;
}

/// The first position of `count`, or the last one if `isBack`, for which `fits` is true, counted from 1; 0 if there is
/// none.
template <typename Fits>
static unsigned long findPosition(unsigned long count, bool isBack, Fits fits) {
  for (unsigned long i = 0; i < count; ++i) {
    unsigned long position = isBack ? count - 1 - i : i;
    if (fits(position))
      return position + 1;
  }
  return 0;
}

/// An empty substring is everywhere, also behind the last character.
extern "C" unsigned long _FortranAIndex1(const char *string, unsigned long bytes, const char *substring,
                                         unsigned long substringBytes, bool isBack) {
  if (substringBytes > bytes)
    return 0;
  return findPosition(bytes - substringBytes + 1, isBack,
                      [=](unsigned long position) { return areSame(string + position, substring, substringBytes); });
}

static bool isInSet(char character, const char *set, unsigned long setBytes) {
  for (unsigned long i = 0; i < setBytes; ++i)
    if (set[i] == character)
      return true;
  return false;
}

extern "C" unsigned long _FortranAScan1(const char *string, unsigned long bytes, const char *set,
                                        unsigned long setBytes, bool isBack) {
  return findPosition(bytes, isBack, [=](unsigned long position) { return isInSet(string[position], set, setBytes); });
}

extern "C" unsigned long _FortranAVerify1(const char *string, unsigned long bytes, const char *set,
                                          unsigned long setBytes, bool isBack) {
  return findPosition(bytes, isBack, [=](unsigned long position) { return !isInSet(string[position], set, setBytes); });
}

/// The forms with KIND=: they store a scalar result of `bytes`.
static void storePosition(Descriptor &result, unsigned long position, unsigned long bytes) {
  result.rank = 0;
  allocateResult(result, bytes);
  storeInteger(result.base, bytes, position);
}

static bool isTrue(const Descriptor *back) { return back && integerAt(back->base, back->elementBytes); }

extern "C" void _FortranAIndex(Descriptor *result, const Descriptor *string, const Descriptor *substring,
                               const Descriptor *back, int kind, const char *, int) {
  storePosition(
      *result,
      _FortranAIndex1(string->base, string->elementBytes, substring->base, substring->elementBytes, isTrue(back)),
      kind);
}

extern "C" void _FortranAScan(Descriptor *result, const Descriptor *string, const Descriptor *set,
                              const Descriptor *back, int kind, const char *, int) {
  storePosition(*result, _FortranAScan1(string->base, string->elementBytes, set->base, set->elementBytes, isTrue(back)),
                kind);
}

extern "C" void _FortranAVerify(Descriptor *result, const Descriptor *string, const Descriptor *set,
                                const Descriptor *back, int kind, const char *, int) {
  storePosition(*result,
                _FortranAVerify1(string->base, string->elementBytes, set->base, set->elementBytes, isTrue(back)), kind);
}

//===-- Functions with a string as their result -------------------------------------------------------------------===//

/// A scalar string of `bytes`.
static char *allocateString(Descriptor &result, unsigned long bytes) {
  result.rank = 0;
  allocateResult(result, bytes);
  return result.base;
}

extern "C" void _FortranATrim(Descriptor *result, const Descriptor *string, const char *, int) {
  unsigned long bytes = lengthWithoutBlanks(string->base, string->elementBytes);
  copyElement(allocateString(*result, bytes), string->base, bytes);
}

/// A negative number of copies, which Fortran does not allow, is none.
extern "C" void _FortranARepeat(Descriptor *result, const Descriptor *string, long copies, const char *, int) {
  unsigned long bytes = string->elementBytes;
  char *place = allocateString(*result, copies > 0 ? copies * bytes : 0);
  for (long i = 0; i < copies; ++i)
    copyElement(place + i * bytes, string->base, bytes);
}

/// The characters from `first` on, then those before it, which are blanks.
static void rotate(char *to, const char *from, unsigned long bytes, unsigned long first) {
  copyElement(to, from + first, bytes - first);
  copyElement(to + bytes - first, from, first);
}

static unsigned long leadingBlanks(const char *string, unsigned long bytes) {
  unsigned long blanks = 0;
  while (blanks < bytes && string[blanks] == ' ')
    ++blanks;
  return blanks;
}

/// Gives `result` the shape of `strings`, and to each element a rotation of that of `strings`, which starts where
/// `first` says.
template <typename First>
static void adjust(Descriptor &result, const Descriptor &strings, First first) {
  unsigned long bytes = strings.elementBytes;
  result.rank = strings.rank;
  for (int i = 0; i < strings.rank; ++i)
    result.dim[i].extent = strings.dim[i].extent;
  allocateResult(result, bytes);
  for (long i = 0; i < elementCount(strings); ++i) {
    const char *string = elementAddress(strings, i);
    rotate(elementAddress(result, i), string, bytes, first(string, bytes));
  }
}

extern "C" void _FortranAAdjustl(Descriptor *result, const Descriptor *strings, const char *, int) {
  adjust(*result, *strings, leadingBlanks);
}

extern "C" void _FortranAAdjustr(Descriptor *result, const Descriptor *strings, const char *, int) {
  adjust(*result, *strings, lengthWithoutBlanks);
}

//===-- MAXVAL and MINVAL -----------------------------------------------------------------------------------------===//

static void extremeOfAll(Descriptor &result, const Descriptor &strings, const Descriptor *mask, bool isMax) {
  storeExtreme(allocateString(result, strings.elementBytes), strings, mask, isMax);
}

extern "C" void _FortranAMaxvalCharacter(Descriptor *result, const Descriptor *strings, const char *, int,
                                         const Descriptor *mask) {
  extremeOfAll(*result, *strings, mask, /*isMax=*/true);
}

extern "C" void _FortranAMinvalCharacter(Descriptor *result, const Descriptor *strings, const char *, int,
                                         const Descriptor *mask) {
  extremeOfAll(*result, *strings, mask, /*isMax=*/false);
}
