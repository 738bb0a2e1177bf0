#include "test/unit/cudafor/CudaForTest.h"
#include "test/unit/runtime/TestImage.h"

using namespace cufort::rt;
using namespace cufort::rt::fake;

namespace {

class Symbols : public CudaForTest {
protected:
  Symbols() {
    image.variable("table", shadow, sizeof shadow);
    image.add();
    device().sizes["table_"] = sizeof shadow;
  }
  FortranDescriptor text(std::string &name) {
    FortranDescriptor descriptor = describe(name.data(), name.size(), {});
    descriptor.type = 40; // a character string
    return descriptor;
  }
  TestImage image;
  char shadow[80];
  std::string name = "Table  ", unknown = "chair";
  float data[20] = {};
};

TEST_F(Symbols, AreFoundByNameInAnyCase) {
  void *address = nullptr;
  int narrowSize = 0;
  int64_t wideSize = 0;
  EXPECT_EQ(cufort_cudaGetSymbolAddress(&address, text(name)), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<CUdeviceptr>(address), device().globals["table_"]);
  EXPECT_EQ(cufort_cudaGetSymbolSize4(&narrowSize, text(name)), cudaSuccess);
  EXPECT_EQ(cufort_cudaGetSymbolSize8(&wideSize, text(name)), cudaSuccess);
  EXPECT_EQ(narrowSize, 80);
  EXPECT_EQ(wideSize, 80);
  EXPECT_EQ(cufort_cudaGetSymbolAddress(&address, text(unknown)), cudaErrorInvalidSymbol);
}

TEST_F(Symbols, ACPtrRemembersTheNameThatItWasAssigned) {
  const void *symbol = nullptr, *same = nullptr;
  void *address = nullptr;
  cufort_symbolOfName(&symbol, text(name));
  cufort_symbolOfName(&same, text(name));
  EXPECT_EQ(symbol, same);
  name = "overwritten";
  EXPECT_EQ(cufort_cudaGetSymbolAddress(&address, addressArgument(symbol, "__builtin_c_ptr")), cudaSuccess);
  EXPECT_NE(address, nullptr);
  EXPECT_EQ(cufort_cudaGetSymbolAddress(&address, addressArgument(data, "__builtin_c_ptr")), cudaErrorInvalidSymbol)
      << "an address that is no name";
}

TEST_F(Symbols, CopiesAreInElementsAndStayInside) {
  FortranDescriptor array = describe(data, 4, {20});
  EXPECT_EQ(cufort_cudaMemcpyToSymbol(text(name), array, narrow(20), nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(cufort_cudaMemcpyToSymbol(text(name), array, narrow(20), &narrow(1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cufort_cudaMemcpyFromSymbol(array, text(name), narrow(-1), nullptr, nullptr, nullptr),
            cudaErrorInvalidValue);
  int wrongDirection = 9;
  EXPECT_EQ(cufort_cudaMemcpyFromSymbol(array, text(name), narrow(5), nullptr, &wrongDirection, nullptr),
            cudaErrorInvalidMemcpyDirection);
  data[3] = 7;
  EXPECT_EQ(cufort_cudaMemcpyToSymbolAsync(text(name), describe(data + 3, 4, {}), narrow(1), &narrow(15), nullptr,
                                           &wide(0x5000)),
            cudaSuccess);
  EXPECT_EQ(cufort_cudaMemcpyFromSymbolAsync(array, text(name), narrow(2), &narrow(15), nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(data[0], 7.0f);
}

} // namespace
