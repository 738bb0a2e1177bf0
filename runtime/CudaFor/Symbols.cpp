// Module variables on the device (guide 4.9). A symbol is the name of a variable in a character string, or a c_ptr that
// one was assigned to: the assignment keeps a copy of the name, and the c_ptr points at it. It may also be the
// variable.
#include "runtime/CudaFor/Argument.h"
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/CudaFor/SectionCopies.h"
#include "runtime/Memory/CopyResult.h"
#include "runtime/Module/Module.h"
#include "runtime/Stream/DefaultStream.h"
#include <mutex>
#include <set>
#include <string>

namespace cufort::rt {

namespace {

/// The names that were assigned to a c_ptr. Never destroyed, because the program keeps their addresses.
struct Names {
  std::mutex mutex;
  std::set<std::string> all;
};

Names &names() {
  static auto *instance = new Names();
  return *instance;
}

/// Sets `name` to the name that `symbol` stands for.
Result nameOf(Any symbol, std::string &name) {
  Operand operand = operandOf(symbol);
  if (!operand.isAddress) {
    name.assign(operand.address, symbol.elementBytes);
    return {};
  }
  std::lock_guard<std::mutex> lock(names().mutex);
  for (const std::string &known : names().all)
    if (known.c_str() == operand.address) {
      name = known;
      return {};
    }
  return Result(cudaErrorInvalidSymbol, "symbol", "a c_ptr that no name was assigned to");
}

/// What a symbol stands for.
struct Symbol {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  std::string name; ///< for messages
};

/// True if `symbol` is a device variable and not the name of one. Only strings can be names.
bool isVariable(const Current &current, const Operand &symbol) {
  if (symbol.isAddress)
    return false;
  unsigned memory = 0;
  return current.table->pointerGetAttribute(&memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, symbol.device()) ==
             CUDA_SUCCESS &&
         memory == CU_MEMORYTYPE_DEVICE;
}

Result findSymbol(const Current &current, Any symbol, Symbol &found) {
  if (Operand operand = operandOf(symbol); isVariable(current, operand)) {
    found = {operand.device(), operand.array.elements() * operand.array.elementBytes, "the variable"};
    return {};
  }
  std::string name;
  if (Result result = nameOf(symbol, name); !result)
    return result;
  const void *host = findHostAddress(name.data(), name.size(), CufortEntryVariable);
  if (!host)
    return Result(cudaErrorInvalidSymbol, "symbol", "no device variable is called '" + name + "'");
  LoadedVariable variable;
  Result result = findVariable(current, host, variable);
  found = {variable.address, variable.bytes, "'" + name + "'"};
  return result;
}

/// How a copy to or from a symbol is to be done.
struct Order {
  const FortranDescriptor *offset;
  const int *direction;
  bool queued;
  int64_t stream;
};

Result copySymbol(const Current &current, Any symbol, Any memory, Any count, const Order &order, bool toSymbol) {
  Symbol found;
  Operand operand = operandOf(memory);
  size_t bytes = 0, offset = 0;
  Result result = checkDirection(order.direction);
  if (result.ok())
    result = findSymbol(current, symbol, found);
  if (result.ok())
    result = bytesOf(integerOf(count), operand.unit, bytes);
  if (result.ok() && order.offset)
    result = bytesOf(integerOf(*order.offset), operand.unit, offset);
  if (!result || bytes == 0)
    return result;
  if (!operand.address)
    return Result(cudaErrorInvalidValue, "an array that is not allocated");
  if (offset > found.bytes || bytes > found.bytes - offset)
    return Result(cudaErrorInvalidValue, "symbol",
                  std::to_string(offset + bytes) + " bytes, but " + found.name + " has " + std::to_string(found.bytes) +
                      " bytes");
  CUdeviceptr inSymbol = found.address + offset;
  if (!operand.isContiguous()) {
    Operand elements;
    elements.address = reinterpret_cast<char *>(inSymbol);
    elements.unit = operand.unit;
    return toSymbol ? copySections(current, elements, operand, bytes / operand.unit, order.stream)
                    : copySections(current, operand, elements, bytes / operand.unit, order.stream);
  }
  CUdeviceptr dst = toSymbol ? inSymbol : operand.device(), src = toSymbol ? operand.device() : inSymbol;
  CUresult copied = order.queued ? current.table->memcpyAsync(dst, src, bytes, toStream(order.stream))
                                 : current.table->memcpy(dst, src, bytes);
  return copyResult(current, copied, "cuMemcpy", {reinterpret_cast<void *>(dst), bytes},
                    {reinterpret_cast<void *>(src), bytes});
}

int copyTo(Any symbol, Any src, Any count, const Order &order) {
  return withContext(
      [&](const Current &current) { return copySymbol(current, symbol, src, count, order, /*toSymbol=*/true); });
}

int copyFrom(Any dst, Any symbol, Any count, const Order &order) {
  return withContext(
      [&](const Current &current) { return copySymbol(current, symbol, dst, count, order, /*toSymbol=*/false); });
}

} // namespace

extern "C" {

void cufort_symbolOfName(const void **symbol, Any name) {
  std::string text(static_cast<const char *>(name.base), name.elementBytes);
  std::lock_guard<std::mutex> lock(names().mutex);
  *symbol = names().all.insert(std::move(text)).first->c_str();
}

int cufort_cudaGetSymbolAddress(void **address, Any symbol) {
  return withContext([&](const Current &current) {
    Symbol found;
    Result result = findSymbol(current, symbol, found);
    *address = reinterpret_cast<void *>(found.address);
    return result;
  });
}

int cufort_cudaGetSymbolSize4(int *size, Any symbol) {
  int64_t bytes = 0;
  int code = cufort_cudaGetSymbolSize8(&bytes, symbol);
  *size = static_cast<int>(bytes);
  return code;
}

int cufort_cudaGetSymbolSize8(int64_t *size, Any symbol) {
  return withContext([&](const Current &current) {
    Symbol found;
    Result result = findSymbol(current, symbol, found);
    *size = static_cast<int64_t>(found.bytes);
    return result;
  });
}

int cufort_cudaMemcpyToSymbol(Any symbol, Any src, Any count, Optional offset, const int *direction) {
  return copyTo(symbol, src, count, {offset, direction, false, 0});
}

int cufort_cudaMemcpyToSymbolAsync(Any symbol, Any src, Any count, Optional offset, const int *direction,
                                   Optional stream) {
  return copyTo(symbol, src, count, {offset, direction, true, streamOf(stream)});
}

// The stream only says where the copy is queued: like every copy that is not "Async", it is complete on return.
int cufort_cudaMemcpyFromSymbol(Any dst, Any symbol, Any count, Optional offset, const int *direction,
                                Optional stream) {
  return copyFrom(dst, symbol, count, {offset, direction, false, 0});
}

int cufort_cudaMemcpyFromSymbolAsync(Any dst, Any symbol, Any count, Optional offset, const int *direction,
                                     Optional stream) {
  return copyFrom(dst, symbol, count, {offset, direction, true, streamOf(stream)});
}

} // extern "C"

} // namespace cufort::rt
