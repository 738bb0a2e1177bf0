// Real numbers as decimal text, correctly rounded, as C's %#.<digits>g has them; but Fortran's names of NaN and Inf.
#pragma once

namespace cufort::device {

constexpr int maxDecimalLength = 32;

namespace decimal {

/// A number without error: words of nine decimal digits, the most significant one first. A real(8) has at most 309
/// digits before the point and 1074 behind it.
struct Number {
  static constexpr unsigned base = 1000000000;
  static constexpr int maxWords = 168;
  unsigned word[maxWords];
  int first, last; ///< the words in use: first <= i < last
  int point;       ///< the words before it are the integer part

  explicit Number(unsigned long mantissa) : first(40), last(43), point(43) {
    for (int i = 42; i >= 40; --i, mantissa /= base)
      word[i] = mantissa % base;
  }

  void shiftLeft(int bits) { // at most 29
    unsigned carry = 0;
    for (int i = last - 1; i >= first; --i) {
      unsigned long shifted = (static_cast<unsigned long>(word[i]) << bits) + carry;
      word[i] = shifted % base;
      carry = shifted / base;
    }
    if (carry)
      word[--first] = carry;
  }

  void shiftRight(int bits) { // at most 9
    unsigned remainder = 0;
    for (int i = first; i < last; ++i) {
      unsigned lost = word[i] & ((1u << bits) - 1);
      word[i] = (word[i] >> bits) + remainder;
      remainder = (base >> bits) * lost;
    }
    if (remainder)
      word[last++] = remainder;
    while (first < last - 1 && word[first] == 0)
      ++first;
  }

  /// Digit `number`, counted from the first digit of word `first`.
  int digit(int number) const {
    int index = first + number / 9;
    if (index >= last)
      return 0;
    unsigned rest = word[index];
    for (int i = 8 - number % 9; i > 0; --i)
      rest /= 10;
    return rest % 10;
  }

  bool isZeroFrom(int number) const {
    for (int end = 9 * (last - first); number < end; ++number)
      if (digit(number))
        return false;
    return true;
  }
};

/// Writes `count` digits of `number` behind its leading zeros, rounded to even, and returns the exponent of the first.
inline int roundedDigits(const Number &number, char *digits, int count) {
  int leading = 0;
  while (!number.digit(leading))
    ++leading;
  int exponent = 9 * (number.point - number.first) - 1 - leading;
  for (int i = 0; i < count; ++i)
    digits[i] = '0' + number.digit(leading + i);
  int next = number.digit(leading + count);
  bool isTie = next == 5 && number.isZeroFrom(leading + count + 1);
  if (next < 5 || (isTie && digits[count - 1] % 2 == 0))
    return exponent;
  int at = count - 1;
  while (at >= 0 && digits[at] == '9')
    digits[at--] = '0';
  if (at >= 0) {
    ++digits[at];
    return exponent;
  }
  digits[0] = '1';
  return exponent + 1;
}

inline int copy(char *to, const char *text) {
  int length = 0;
  for (; text[length]; ++length)
    to[length] = text[length];
  return length;
}

/// d.ddde±xx
inline int writeWithExponent(char *to, const char *digits, int count, int exponent) {
  int length = 0;
  to[length++] = digits[0];
  to[length++] = '.';
  for (int i = 1; i < count; ++i)
    to[length++] = digits[i];
  to[length++] = 'e';
  to[length++] = exponent < 0 ? '-' : '+';
  int size = exponent < 0 ? -exponent : exponent;
  if (size >= 100)
    to[length++] = '0' + size / 100;
  to[length++] = '0' + size / 10 % 10;
  to[length++] = '0' + size % 10;
  return length;
}

/// With the point among the digits, or zeros before them.
inline int writeFixed(char *to, const char *digits, int count, int exponent) {
  int length = 0;
  if (exponent < 0)
    length = copy(to, "0.");
  for (int i = -1; i > exponent; --i)
    to[length++] = '0';
  for (int i = 0; i < count; ++i) {
    to[length++] = digits[i];
    if (i == exponent)
      to[length++] = '.';
  }
  return length;
}

} // namespace decimal

/// Writes `value` with `count` significant digits, 17 at most, to `to` and returns the number of characters.
inline int formatDecimal(char *to, double value, int count) {
  unsigned long bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  int length = 0;
  int biased = bits >> 52 & 0x7ff;
  unsigned long fraction = bits & ((1ul << 52) - 1);
  if (biased == 0x7ff && fraction)
    return decimal::copy(to, "NaN");
  if (bits >> 63)
    to[length++] = '-';
  if (biased == 0x7ff)
    return length + decimal::copy(to + length, "Inf");
  char digits[17];
  if (!biased && !fraction) {
    for (int i = 0; i < count; ++i)
      digits[i] = '0';
    return length + decimal::writeFixed(to + length, digits, count, 0);
  }
  decimal::Number number(biased ? fraction | 1ul << 52 : fraction);
  for (int left = (biased ? biased : 1) - 1075; left > 0; left -= 29)
    number.shiftLeft(left < 29 ? left : 29);
  for (int right = 1075 - (biased ? biased : 1); right > 0; right -= 9)
    number.shiftRight(right < 9 ? right : 9);
  int exponent = decimal::roundedDigits(number, digits, count);
  if (exponent < -4 || exponent >= count)
    return length + decimal::writeWithExponent(to + length, digits, count, exponent);
  return length + decimal::writeFixed(to + length, digits, count, exponent);
}

} // namespace cufort::device
