// CUDA arrays of two and three dimensions, and copies of one and two dimensions to, from and between them (guide 4.9).
// Positions and sizes in a row are in elements of the program's array, like counts, or in bytes for an address and
// between two CUDA arrays.
#include "runtime/CudaDriver/ArrayFormat.h"
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaArray.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/CudaFor/SectionCopies.h"
#include "runtime/Stream/DefaultStream.h"
#include <algorithm>
#include <cstdlib>
#include <memory>

namespace cufort::rt {

namespace {

/// Sets `format` to that of channels of `bits` bits of `kind`.
Result formatOf(int kind, int bits, CUarray_format &format) {
  static constexpr struct {
    int kind, bits;
    CUarray_format format;
  } formats[] = {{ChannelSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
                 {ChannelSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
                 {ChannelSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
                 {ChannelUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
                 {ChannelUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
                 {ChannelUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
                 {ChannelFloat, 16, CU_AD_FORMAT_HALF},
                 {ChannelFloat, 32, CU_AD_FORMAT_FLOAT}};
  for (const auto &known : formats)
    if (known.kind == kind && known.bits == bits) {
      format = known.format;
      return {};
    }
  return Result(cudaErrorInvalidChannelDescriptor, "cudaChannelFormatDesc",
                "channels of " + std::to_string(bits) + " bits");
}

/// Fills in the format and the number of channels, which must all have the same bits.
Result describeChannels(const ChannelFormat &channels, CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  unsigned count = 0;
  while (count < 4 && bits[count] > 0)
    ++count;
  for (unsigned i = 0; i < 4; ++i)
    if (bits[i] != (i < count ? bits[0] : 0))
      return Result(cudaErrorInvalidChannelDescriptor, "channels of different sizes");
  descriptor.NumChannels = count;
  return formatOf(channels.kind, bits[0], descriptor.Format);
}

int allocate(CudaArray &array, const ChannelFormat &channels, const Extent &extent) {
  return withContext([&](const Current &current) {
    array.handle = nullptr;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
    if (Result result = describeChannels(channels, descriptor); !result)
      return result;
    if (extent.width < 1 || extent.height < 0 || extent.depth < 0)
      return Result(cudaErrorInvalidValue, "an extent of a CUDA array");
    descriptor.Width = static_cast<size_t>(extent.width);
    descriptor.Height = static_cast<size_t>(extent.height);
    descriptor.Depth = static_cast<size_t>(extent.depth);
    return Result(current.table->array3DCreate(&array.handle, &descriptor), "cuArray3DCreate");
  });
}

Result rowBytesOf(const Current &current, const CudaArray &array, size_t &bytes) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
  CUresult result = current.table->array3DGetDescriptor(&descriptor, array.handle);
  bytes = descriptor.Width * descriptor.NumChannels * channelBytes(descriptor.Format);
  return Result(result, "cuArray3DGetDescriptor");
}

/// One side of a copy: an array and where in it, or memory.
struct Place {
  CUarray array = nullptr;
  size_t x = 0, y = 0; ///< bytes, rows
  CUdeviceptr address = 0;
  size_t pitch = 0;
  size_t limit = SIZE_MAX; ///< bytes from `address` on, if they are known

  /// True if `rows` rows of `width` bytes end in memory that is there.
  bool holds(size_t width, size_t rows) const {
    return array || (width <= limit && (rows <= 1 || pitch <= (limit - width) / (rows - 1)));
  }
};

/// The elements of a section in a row, for copies that know arrays only.
class ContiguousCopy {
public:
  ContiguousCopy(const Current &current, const Operand &section)
      : current(current), section(section), memory(nullptr, &std::free) {}

  /// Copies the section; the elements are in `copy` then.
  Result make(Operand &copy) {
    memory.reset(static_cast<char *>(std::malloc(std::max<size_t>(bytes(), 1))));
    if (!memory)
      return Result(cudaErrorMemoryAllocation, "malloc");
    copy.address = copy.array.base = memory.get();
    auto stride = static_cast<int64_t>(copy.array.elementBytes);
    for (int i = 0; i < copy.array.rank; ++i) {
      copy.array.stride[i] = stride;
      stride *= copy.array.extent[i];
    }
    return finished(copySections(current, copy, section, section.array.elements(), 0));
  }

  /// Gives the elements back to the section.
  Result store(const Operand &copy) {
    return finished(copySections(current, section, copy, section.array.elements(), 0));
  }

  size_t bytes() const { return section.array.elements() * section.array.elementBytes; }

private:
  Result finished(Result result) {
    Result waited(current.table->streamSynchronize(toStream(0)), "cuStreamSynchronize");
    return result.ok() ? waited : result;
  }

  const Current &current;
  const Operand &section;
  std::unique_ptr<char, decltype(&std::free)> memory;
};

Result copyRows(const Current &current, const Place &dst, const Place &src, size_t width, size_t height) {
  CUDA_MEMCPY2D copy = {};
  copy.dstMemoryType = dst.array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  copy.dstArray = dst.array;
  copy.dstXInBytes = dst.x;
  copy.dstY = dst.y;
  copy.dstDevice = dst.address;
  copy.dstPitch = dst.pitch;
  copy.srcMemoryType = src.array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  copy.srcArray = src.array;
  copy.srcXInBytes = src.x;
  copy.srcY = src.y;
  copy.srcDevice = src.address;
  copy.srcPitch = src.pitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  return Result(current.table->memcpy2DUnaligned(&copy), "cuMemcpy2D");
}

/// Moves a place forward by `bytes`, which stay in its row; `rowBytes`: of its array.
void advance(Place &place, size_t bytes, size_t rowBytes) {
  if (!place.array) {
    place.address += bytes;
    return;
  }
  place.x += bytes;
  if (place.x == rowBytes) {
    place.x = 0;
    ++place.y;
  }
}

/// Copies `bytes` bytes that follow one another, from the end of a row of an array to the beginning of the next.
Result copyConsecutive(const Current &current, Place dst, Place src, size_t bytes) {
  size_t rowBytes[2] = {SIZE_MAX, SIZE_MAX};
  const Place *places[2] = {&dst, &src};
  for (int i = 0; i < 2; ++i) {
    if (!places[i]->array)
      continue;
    if (Result result = rowBytesOf(current, {places[i]->array}, rowBytes[i]); !result)
      return result;
    if (places[i]->x >= rowBytes[i])
      return Result(cudaErrorInvalidValue, "a position behind the end of a row");
  }
  while (bytes > 0) {
    size_t part = std::min({bytes, rowBytes[0] - dst.x, rowBytes[1] - src.x});
    if (Result result = copyRows(current, dst, src, part, 1); !result)
      return result;
    advance(dst, part, rowBytes[0]);
    advance(src, part, rowBytes[1]);
    bytes -= part;
  }
  return {};
}

/// Sets `place` to column `x` and row `y` of `array`; `unit`: bytes of one of `x`.
Result placeIn(const CudaArray &array, Any x, Any y, size_t unit, Place &place) {
  place.array = array.handle;
  if (!array.handle)
    return Result(cudaErrorInvalidResourceHandle, "a CUDA array that is not allocated");
  Result result = bytesOf(integerOf(x), unit, place.x);
  return result.ok() ? bytesOf(integerOf(y), 1, place.y) : result;
}

/// Sets `place` to the program's memory, whose rows are `pitch` apart.
Result placeOf(const Operand &memory, const FortranDescriptor *pitch, Place &place) {
  if (!memory.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  place.address = memory.device();
  return pitch ? bytesOf(integerOf(*pitch), memory.unit, place.pitch) : Result();
}

/// Which side of a copy the program's memory is.
enum class Side { Source, Target };

/// Runs a copy between a CUDA array and memory. `body` takes the two places and the unit.
template <typename Body>
int withPlaces(const CudaArray &array, Any x, Any y, Side side, Any memory, const FortranDescriptor *pitch,
               const int *direction, Body body) {
  return withContext([&](const Current &current) {
    const Operand given = operandOf(memory);
    Operand operand = given;
    ContiguousCopy copy(current, given);
    bool isSection = given.address && !given.isContiguous();
    Place inArray, inMemory;
    Result result = checkDirection(direction);
    if (result.ok())
      result = placeIn(array, x, y, operand.unit, inArray);
    if (result.ok() && isSection) {
      result = copy.make(operand);
      inMemory.limit = copy.bytes();
    }
    if (result.ok())
      result = placeOf(operand, pitch, inMemory);
    if (result.ok())
      result = body(current, inArray, inMemory, operand.unit);
    return result.ok() && isSection && side == Side::Target ? copy.store(operand) : result;
  });
}

/// The same between two CUDA arrays, in bytes.
template <typename Body>
int withArrays(const CudaArray &dst, Any dstX, Any dstY, const CudaArray &src, Any srcX, Any srcY, const int *direction,
               Body body) {
  return withContext([&](const Current &current) {
    Place to, from;
    Result result = checkDirection(direction);
    if (result.ok())
      result = placeIn(dst, dstX, dstY, 1, to);
    if (result.ok())
      result = placeIn(src, srcX, srcY, 1, from);
    return result.ok() ? body(current, to, from) : result;
  });
}

/// Copies `width` by `height`; `unit`: bytes of one of a width.
Result copyRectangle(const Current &current, const Place &dst, const Place &src, Any width, Any height, size_t unit) {
  size_t bytes = 0, rows = 0;
  Result result = bytesOf(integerOf(width), unit, bytes);
  if (result.ok())
    result = bytesOf(integerOf(height), 1, rows);
  if (!result || bytes == 0 || rows == 0)
    return result;
  for (const Place *place : {&dst, &src})
    if (!place->array && place->pitch < bytes)
      return Result(cudaErrorInvalidPitchValue, "a pitch is smaller than the width");
  if (!dst.holds(bytes, rows) || !src.holds(bytes, rows))
    return Result(cudaErrorInvalidValue, "a section that is smaller than the copy");
  return copyRows(current, dst, src, bytes, rows);
}

Result copyCount(const Current &current, const Place &dst, const Place &src, Any count, size_t unit) {
  size_t bytes = 0;
  Result result = bytesOf(integerOf(count), unit, bytes);
  if (result.ok() && (!dst.holds(bytes, 1) || !src.holds(bytes, 1)))
    return Result(cudaErrorInvalidValue, "a section that is smaller than the copy");
  return result.ok() ? copyConsecutive(current, dst, src, bytes) : result;
}

} // namespace

Result elementBytesOf(const Current &current, const CudaArray &array, size_t &bytes) {
  CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
  CUresult result = current.table->array3DGetDescriptor(&descriptor, array.handle);
  bytes = descriptor.NumChannels * channelBytes(descriptor.Format);
  return Result(result, "cuArray3DGetDescriptor");
}

extern "C" {

int cufort_cudaMallocCudaArray(CudaArray *array, const ChannelFormat *channels, Any width, Any height) {
  return allocate(*array, *channels, {integerOf(width), integerOf(height), 0});
}

int cufort_cudaMalloc3DCudaArray(CudaArray *array, const ChannelFormat *channels, const Extent *extent) {
  return allocate(*array, *channels, *extent);
}

int cufort_cudaFreeCudaArray(const CudaArray *array) {
  return withContext([&](const Current &current) {
    return Result(array->handle ? current.table->arrayDestroy(array->handle) : CUDA_SUCCESS, "cuArrayDestroy");
  });
}

int cufort_cudaMemcpyToArray(const CudaArray *dst, Any dstX, Any dstY, Any src, Any count, const int *direction) {
  return withPlaces(*dst, dstX, dstY, Side::Source, src, nullptr, direction,
                    [&](const Current &current, const Place &array, const Place &memory, size_t unit) {
                      return copyCount(current, array, memory, count, unit);
                    });
}

int cufort_cudaMemcpyFromArray(Any dst, const CudaArray *src, Any srcX, Any srcY, Any count, const int *direction) {
  return withPlaces(*src, srcX, srcY, Side::Target, dst, nullptr, direction,
                    [&](const Current &current, const Place &array, const Place &memory, size_t unit) {
                      return copyCount(current, memory, array, count, unit);
                    });
}

int cufort_cudaMemcpyArrayToArray(const CudaArray *dst, Any dstX, Any dstY, const CudaArray *src, Any srcX, Any srcY,
                                  Any count, const int *direction) {
  return withArrays(*dst, dstX, dstY, *src, srcX, srcY, direction,
                    [&](const Current &current, const Place &to, const Place &from) {
                      return copyCount(current, to, from, count, 1);
                    });
}

int cufort_cudaMemcpy2DToArray(const CudaArray *dst, Any dstX, Any dstY, Any src, Any srcPitch, Any width, Any height,
                               const int *direction) {
  return withPlaces(*dst, dstX, dstY, Side::Source, src, &srcPitch, direction,
                    [&](const Current &current, const Place &array, const Place &memory, size_t unit) {
                      return copyRectangle(current, array, memory, width, height, unit);
                    });
}

int cufort_cudaMemcpy2DFromArray(Any dst, Any dstPitch, const CudaArray *src, Any srcX, Any srcY, Any width, Any height,
                                 const int *direction) {
  return withPlaces(*src, srcX, srcY, Side::Target, dst, &dstPitch, direction,
                    [&](const Current &current, const Place &array, const Place &memory, size_t unit) {
                      return copyRectangle(current, memory, array, width, height, unit);
                    });
}

int cufort_cudaMemcpy2DArrayToArray(const CudaArray *dst, Any dstX, Any dstY, const CudaArray *src, Any srcX, Any srcY,
                                    Any width, Any height, const int *direction) {
  return withArrays(*dst, dstX, dstY, *src, srcX, srcY, direction,
                    [&](const Current &current, const Place &to, const Place &from) {
                      return copyRectangle(current, to, from, width, height, 1);
                    });
}

} // extern "C"

} // namespace cufort::rt
