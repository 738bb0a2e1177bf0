// Device code may call everything that libdevice defines: each function exists, with the type that libdevice gives it.
#include "runtime/Emulated/Math/DeviceMath.h"
#include <gtest/gtest.h>
#include <string>
#include <type_traits>

namespace cufort::rt::emulated {
namespace {

/// The letter for a type in LibdeviceFunctions.def. LLVM's integers have no sign.
template <typename T>
constexpr char letter() {
  if constexpr (std::is_void<T>::value)
    return 'v';
  else if constexpr (std::is_pointer<T>::value)
    return 'p';
  else if constexpr (std::is_floating_point<T>::value)
    return sizeof(T) == 4 ? 'f' : 'd';
  else
    return sizeof(T) == 2 ? 'h' : sizeof(T) == 4 ? 'i' : 'l';
}

template <typename Result, typename... Parameters>
std::string typeOf(Result (*)(Parameters...)) {
  return std::string{letter<Result>(), letter<Parameters>()...};
}

TEST(MathList, EveryFunctionOfLibdeviceExists) {
  int count = 0;
#define LIBDEVICE(name, type)                                                                                          \
  ++count;                                                                                                             \
  EXPECT_EQ(typeOf(name), type) << #name;
#include "test/unit/emulated/LibdeviceFunctions.def"
  EXPECT_EQ(count, 349);
}

} // namespace
} // namespace cufort::rt::emulated
