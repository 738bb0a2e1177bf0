// Copies by the routines of cudafor in device code. The calling thread copies, and is done when the routine returns:
// streams allow that.

#include "codegen/DeviceLibrary/RuntimeOrder.h"

using namespace cufort::device;

/// The descriptions of c_devptr and c_ptr, which a program has, too, if it uses them.
inline const TypeDescription deviceAddress asm("_QM__fortran_builtinsE$dt$__builtin_c_devptr") = {nullptr, nullptr};
inline const TypeDescription hostAddress asm("_QM__fortran_builtinsE$dt$__builtin_c_ptr") = {nullptr, nullptr};

namespace {

/// The memory that a TYPE(*) argument names.
struct Operand {
  char *address;
  unsigned long unit; ///< bytes that one of a count stands for: 1 for addresses and characters
  bool isAddress;     ///< a scalar c_devptr or c_ptr
  const Descriptor &array;
};

bool holdsAddress(const Descriptor &argument) {
  if (argument.rank != 0 || !hasType(argument))
    return false;
  const TypeDescription *type = typeOf(const_cast<Descriptor &>(argument));
  return type == &deviceAddress || type == &hostAddress;
}

Operand operandOf(const Descriptor &argument) {
  constexpr signed char character = 40; // CFI_type_char
  if (argument.base && holdsAddress(argument))
    return {*reinterpret_cast<char **>(argument.base), 1, true, argument};
  return {argument.base, argument.type == character ? 1 : argument.elementBytes, false, argument};
}

/// Sets `unit` to the bytes that one of a count stands for. False: arrays of different types.
bool unitOf(const Operand &dst, const Operand &src, unsigned long &unit) {
  unit = dst.isAddress || src.isAddress ? 1 : dst.unit;
  return unit == 1 || dst.unit == src.unit;
}

bool isContiguous(const Operand &operand) {
  if (operand.isAddress)
    return true;
  long stride = operand.array.elementBytes;
  for (int i = 0; i < operand.array.rank; ++i) {
    const Dimension &dim = operand.array.dim[i];
    if (dim.extent != 1 && dim.stride != stride)
      return false;
    stride *= dim.extent;
  }
  return true;
}

/// Directions are those between devices and that which leaves it to the addresses. Device code does not reach the
/// memory of the host.
bool isPossible(const int *direction) {
  constexpr int deviceToDevice = 3, byAddresses = 4;
  return !direction || *direction == deviceToDevice || *direction == byAddresses;
}

/// What an element of a section that is not contiguous is copied to or from, after `number` elements.
char *placeOf(const Operand &operand, long number, bool contiguous) {
  return contiguous ? operand.address + number * operand.array.elementBytes : elementAddress(operand.array, number);
}

Status copySections(const Operand &dst, const Operand &src, long count) {
  bool toDense = isContiguous(dst), fromDense = isContiguous(src);
  if ((!toDense && count > elementCount(dst.array)) || (!fromDense && count > elementCount(src.array)))
    return InvalidValue;
  for (long i = 0; i < count; ++i)
    copyElement(placeOf(dst, i, toDense), placeOf(src, i, fromDense), dst.array.elementBytes);
  return Success;
}

Status copy(const Descriptor &to, const Descriptor &from, const Descriptor &count, const int *direction) {
  Operand dst = operandOf(to), src = operandOf(from);
  unsigned long unit = 0;
  long bytes = 0;
  if (!isPossible(direction))
    return InvalidDirection;
  if (!unitOf(dst, src, unit) || !bytesOf(integerOf(count), unit, bytes))
    return InvalidValue;
  if (bytes == 0)
    return Success;
  if (!dst.address || !src.address)
    return InvalidValue;
  if (isContiguous(dst) && isContiguous(src)) {
    copyElement(dst.address, src.address, bytes);
    return Success;
  }
  return dst.isAddress || src.isAddress ? InvalidValue : copySections(dst, src, bytes / unit);
}

/// Pitches, width and height as passed.
struct Extents {
  const Descriptor &dstPitch, &srcPitch, &width, &height;
};

Status copyRows(const Descriptor &to, const Descriptor &from, const Extents &extents, const int *direction) {
  Operand dst = operandOf(to), src = operandOf(from);
  unsigned long unit = 0;
  long dstPitch = 0, srcPitch = 0, width = 0, height = integerOf(extents.height);
  if (!isPossible(direction))
    return InvalidDirection;
  if (!unitOf(dst, src, unit) || !bytesOf(integerOf(extents.dstPitch), unit, dstPitch) ||
      !bytesOf(integerOf(extents.srcPitch), unit, srcPitch) || !bytesOf(integerOf(extents.width), unit, width) ||
      height < 0)
    return InvalidValue;
  if (width == 0 || height == 0)
    return Success;
  if (dstPitch < width || srcPitch < width)
    return InvalidPitch;
  if (!dst.address || !src.address)
    return InvalidValue;
  for (long row = 0; row < height; ++row)
    copyElement(dst.address + row * dstPitch, src.address + row * srcPitch, width);
  return Success;
}

} // namespace

extern "C" {

int cufort_cudaMemcpy(const Descriptor *dst, const Descriptor *src, const Descriptor *count, const int *direction) {
  return copy(*dst, *src, *count, direction);
}

int cufort_cudaMemcpyAsync(const Descriptor *dst, const Descriptor *src, const Descriptor *count, const long *stream) {
  return isStream(*stream) ? copy(*dst, *src, *count, nullptr) : InvalidHandle;
}

int cufort_cudaMemcpyAsyncDirected(const Descriptor *dst, const Descriptor *src, const Descriptor *count,
                                   const int *direction, const Descriptor *stream) {
  return !stream || isStream(integerOf(*stream)) ? copy(*dst, *src, *count, direction) : InvalidHandle;
}

int cufort_cudaMemcpy2D(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                        const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                        const int *direction) {
  return copyRows(*dst, *src, {*dstPitch, *srcPitch, *width, *height}, direction);
}

int cufort_cudaMemcpy2DAsync(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                             const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                             const long *stream) {
  return isStream(*stream) ? copyRows(*dst, *src, {*dstPitch, *srcPitch, *width, *height}, nullptr) : InvalidHandle;
}

int cufort_cudaMemcpy2DAsyncDirected(const Descriptor *dst, const Descriptor *dstPitch, const Descriptor *src,
                                     const Descriptor *srcPitch, const Descriptor *width, const Descriptor *height,
                                     const int *direction, const Descriptor *stream) {
  if (stream && !isStream(integerOf(*stream)))
    return InvalidHandle;
  return copyRows(*dst, *src, {*dstPitch, *srcPitch, *width, *height}, direction);
}

} // extern "C"
