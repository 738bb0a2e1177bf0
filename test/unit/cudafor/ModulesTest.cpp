// The Fortran sources of module cudafor against the C declarations that they have to agree with.
#include "runtime/CudaFor/CudaFor.h"
#include "runtime/Support/CudaError.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace cufort::rt;

namespace {

/// The text of a source with continuation lines joined and without comments.
std::string readModule(const std::string &name) {
  std::ifstream file(CUFORT_MODULES "/" + name + ".cuf");
  std::string text, line;
  while (std::getline(file, line)) {
    size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '!')
      continue;
    if (line.back() == '&')
      text += line.substr(0, line.size() - 1);
    else
      text += line + "\n";
  }
  return text;
}

std::vector<std::string> matches(const std::string &text, const std::string &pattern, int group = 1) {
  std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
    found.push_back((*it)[group]);
  return found;
}

/// Named constants and their values.
std::map<std::string, long> constants() {
  std::map<std::string, long> values;
  std::string text = readModule("cufort_cudafor_constants");
  std::vector<std::string> names = matches(text, "(\\w+) = -?\\d+"), numbers = matches(text, "\\w+ = (-?\\d+)");
  for (size_t i = 0; i < names.size(); ++i)
    values[names[i]] = std::stol(numbers[i]);
  return values;
}

TEST(Modules, ErrorCodesAreThoseOfTheRuntime) {
  std::map<std::string, long> values = constants();
  int codes = 0;
#define CUFORT_CUDA_ERROR(name, value, text)                                                                           \
  ++codes;                                                                                                             \
  EXPECT_EQ(values.count(#name), 1u) << #name;                                                                         \
  EXPECT_EQ(values[#name], value) << #name;
#include "runtime/Support/CudaErrors.def"
#undef CUFORT_CUDA_ERROR
  EXPECT_GT(codes, 100);
}

TEST(Modules, ConstantsThatTheDriverNumbersToo) {
  std::map<std::string, long> values = constants();
  EXPECT_EQ(values["cudaLimitMallocHeapSize"], CU_LIMIT_MALLOC_HEAP_SIZE);
  EXPECT_EQ(values["cudaFuncAttributeMaxDynamicSharedMemorySize"], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(values["cudaMemAdviseUnsetAccessedBy"], CU_MEM_ADVISE_UNSET_ACCESSED_BY);
  EXPECT_EQ(values["cudaEventDisableTiming"], CU_EVENT_DISABLE_TIMING);
  EXPECT_EQ(values["cudaHostRegisterMapped"], memHostRegisterDeviceMap);
  EXPECT_EQ(values["cudaMemAttachHost"], CU_MEM_ATTACH_HOST);
  EXPECT_EQ(values["cudaDeviceMapHost"], CU_CTX_MAP_HOST);
  EXPECT_EQ(values["cudaCpuDeviceId"], cpuDevice);
  EXPECT_EQ(values["cudaDevAttrMultiProcessorCount"], CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(values["cudaMemoryTypeManaged"], MemoryManaged);
}

/// One component of a derived type: "name:bytes of an element:count".
std::vector<std::string> components(const std::string &text, const std::string &type) {
  size_t begin = text.find(":: " + type + "\n"), end = text.find("end type", begin);
  std::istringstream body(text.substr(begin, end - begin));
  std::vector<std::string> found;
  std::string line;
  std::getline(body, line);
  while (std::getline(body, line)) {
    std::string bytes = line.find("integer(cuda_count_kind)") != std::string::npos ? "8"
                        : line.find("integer(4)") != std::string::npos             ? "4"
                                                                                   : "1";
    std::string names = line.substr(line.find("::") + 2);
    std::regex item("(\\w+)(?:\\((\\d+)\\))?");
    for (std::sregex_iterator it(names.begin(), names.end(), item), last; it != last; ++it)
      found.push_back((*it)[1].str() + ":" + bytes + ":" + ((*it)[2].matched ? (*it)[2].str() : "1"));
  }
  return found;
}

TEST(Modules, DevicePropertiesHaveTheLayoutOfTheCStruct) {
  std::vector<std::string> expected = {"name:1:1", "uuid:1:16", "totalGlobalMem:8:1"};
#define CUFORT_PROPERTY_INT(component, attribute) expected.push_back(#component ":4:1");
#define CUFORT_PROPERTY_SIZE(component, attribute) expected.push_back(#component ":8:1");
#define CUFORT_PROPERTY_INTS(component, count, ...) expected.push_back(#component ":4:" #count);
#include "runtime/CudaFor/DeviceProperties.def"
  EXPECT_EQ(components(readModule("cufort_cudafor_types"), "cudaDeviceProp"), expected);
}

TEST(Modules, OtherTypesHaveTheSizeOfTheCStructs) {
  std::string text = readModule("cufort_cudafor_types");
  auto bytes = [&](const std::string &type) {
    size_t sum = 0;
    for (const std::string &component : components(text, type))
      sum += std::stoul(component.substr(component.find(':') + 1));
    return sum;
  };
  // 76 bytes of components, padded to a multiple of 8.
  EXPECT_EQ(bytes("cudaFuncAttributes") + 4, sizeof(FunctionAttributes));
}

/// Every label that the modules call, from "bind(c, name="...")".
std::vector<std::string> labels() {
  std::vector<std::string> all;
  for (const char *module :
       {"cudafor", "cufort_cudafor_allocation", "cufort_cudafor_copies", "cufort_cudafor_volumes",
        "cufort_cudafor_symbols", "cufort_cudafor_graphs", "cufort_c_f_pointer", "curandex", "openacc"})
    for (std::string &label : matches(readModule(module), "bind\\(c, name=\"(\\w+)\"\\)"))
      all.push_back(label);
  return all;
}

TEST(Modules, LabelsAreDeclaredInTheHeaderAndNotCudas) {
  std::ifstream file(CUFORT_MODULES "/../../runtime/CudaFor/CudaFor.h");
  std::string header((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> all = labels();
  EXPECT_GT(all.size(), 150u);
  for (const std::string &label : all) {
    EXPECT_NE(header.find(" " + label + "("), std::string::npos) << label << " is not in CudaFor.h";
    EXPECT_TRUE(label.rfind("cufort_", 0) == 0 || label.rfind("cudafor", 0) == 0)
        << label << " could be a name of CUDA's runtime library";
  }
}

TEST(Modules, EveryFunctionOfTheHeaderIsCalled) {
  std::ifstream file(CUFORT_MODULES "/../../runtime/CudaFor/CudaFor.h");
  std::string header((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> all = labels();
  for (const std::string &function : matches(header, "\\b((?:cufort_|cudafor)\\w+)\\("))
    EXPECT_NE(std::find(all.begin(), all.end(), function), all.end()) << function << " is called by no module";
}

} // namespace
