// Strings as the functions of the device library compare them.
#pragma once

#include "codegen/DeviceLibrary/ArrayResults.h"

namespace cufort::device {

/// The character of a string at `position`; the shorter of two counts as filled up with blanks.
inline unsigned char characterAt(const char *string, unsigned long bytes, unsigned long position) {
  return position < bytes ? string[position] : ' ';
}

/// Less than 0, 0 or greater than 0, as `a` stands before, with or behind `b`.
inline int compareStrings(const char *a, unsigned long aBytes, const char *b, unsigned long bBytes) {
  for (unsigned long i = 0; i < aBytes || i < bBytes; ++i)
    if (int difference = characterAt(a, aBytes, i) - characterAt(b, bBytes, i))
      return difference;
  return 0;
}

inline unsigned long lengthWithoutBlanks(const char *string, unsigned long bytes) {
  while (bytes && string[bytes - 1] == ' ')
    --bytes;
  return bytes;
}

/// Stores the string that stands behind all others, or before them, in the memory at `place`. Of no strings it is the
/// one that every string stands behind or before.
inline void storeExtreme(char *place, const Descriptor &strings, const Descriptor *mask, bool isMax) {
  unsigned long bytes = strings.elementBytes;
  const char *extreme = nullptr;
  for (long i = 0; i < elementCount(strings); ++i) {
    const char *string = elementAddress(strings, i);
    if (!isSelected(mask, i))
      continue;
    int order = extreme ? compareStrings(string, bytes, extreme, bytes) : 0;
    if (!extreme || (isMax ? order > 0 : order < 0))
      extreme = string;
  }
  for (unsigned long i = 0; i < bytes; ++i)
    place[i] = extreme ? extreme[i] : isMax ? '\0' : '\xff';
}

} // namespace cufort::device
