// Three tables (switches, words, accepted words) and one loop over the pieces of a list.
#include "driver/Options/GpuOptions.h"
#include "driver/Options/Errors.h"
#include "driver/Options/GpuTargets.h"
#include "driver/Options/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace cufort::driver;

namespace {

/// A value with a counterpart that starts with "no".
struct GpuSwitch {
  llvm::StringLiteral name;
  bool DeviceSettings::*member;
  llvm::StringLiteral help;
};

const GpuSwitch switches[] = {
    {"rdc", &DeviceSettings::relocatable, "finish device code at link time (default); nordc: in every object"},
    {"fastmath", &DeviceSettings::fastMath, "approximate division, square root and functions; implies flushz"},
    {"fma", &DeviceSettings::fma, "multiply and add may become one operation (default)"},
    {"flushz", &DeviceSettings::flushDenormals, "flush single-precision denormal numbers to zero"},
    {"unroll", &DeviceSettings::unroll, "unroll loops in device code (default)"},
    {"check", &DeviceSettings::checks, "check array bounds in device code"},
    {"charstring", &DeviceSettings::charStrings, "character strings longer than 1 in device code"},
    {"madconst", &DeviceSettings::constantModuleData, "descriptors of module arrays in constant memory"},
};

/// A value without counterpart. `apply` gets what follows the colon, if the name ends with one.
struct GpuWord {
  llvm::StringLiteral name;
  llvm::Error (*apply)(GpuRequest &request, llvm::StringRef argument);
  llvm::StringLiteral help;
};

template <MemoryModel model>
llvm::Error setMemory(GpuRequest &request, llvm::StringRef) {
  request.device.memory = model;
  return llvm::Error::success();
}

template <DebugInfo level>
llvm::Error setDebug(GpuRequest &request, llvm::StringRef) {
  request.device.debug = level;
  return llvm::Error::success();
}

template <bool GpuRequest::*member>
llvm::Error setRequest(GpuRequest &request, llvm::StringRef) {
  request.*member = true;
  return llvm::Error::success();
}

template <bool DeviceSettings::*member, bool value>
llvm::Error setDevice(GpuRequest &request, llvm::StringRef) {
  request.device.*member = value;
  return llvm::Error::success();
}

llvm::Error setMemoryMode(GpuRequest &request, llvm::StringRef argument) {
  // Of what follows the mode only separate:pinnedalloc says what is done; the others say how, which is our choice.
  auto [mode, how] = argument.split(':');
  if (mode == "separate")
    request.device.memory = how == "pinnedalloc" ? MemoryModel::Pinned : MemoryModel::Separate;
  else if (mode == "managed")
    request.device.memory = MemoryModel::Managed;
  else if (mode == "unified")
    request.device.memory = MemoryModel::Unified;
  else
    return unknownValue("-gpu=mem:", mode, {"separate", "managed", "unified"});
  return llvm::Error::success();
}

llvm::Error setMaxRegisters(GpuRequest &request, llvm::StringRef argument) {
  llvm::Expected<unsigned> count = parseNumber("-gpu=maxregcount:", argument);
  if (!count)
    return count.takeError();
  if (*count < 16 || *count > 255)
    return usageError("'-gpu=maxregcount:" + argument + "': a thread can have 16 to 255 registers");
  request.device.maxRegisters = *count;
  return llvm::Error::success();
}

llvm::Error setLoadCache(GpuRequest &request, llvm::StringRef argument) {
  if (argument != "L1" && argument != "L2")
    return unknownValue("-gpu=loadcache:", argument, {"L1", "L2"});
  request.device.loadsBypassL1 = argument == "L2";
  return llvm::Error::success();
}

const GpuWord words[] = {
    {"ccnative", setRequest<&GpuRequest::native>, "the GPUs in this machine; also: native"},
    {"ccall", setRequest<&GpuRequest::all>, "every architecture the toolkit knows; also: all"},
    {"ccall-major", setRequest<&GpuRequest::allMajor>, "the first of each generation; also: all-major"},
    {"native", setRequest<&GpuRequest::native>, ""},
    {"all", setRequest<&GpuRequest::all>, ""},
    {"all-major", setRequest<&GpuRequest::allMajor>, ""},
    {"mem:", setMemoryMode, "separate (default), managed (ALLOCATABLE data), unified (all data)"},
    {"managed", setMemory<MemoryModel::Managed>, "the same as mem:managed"},
    {"pinned", setMemory<MemoryModel::Pinned>, "ALLOCATABLE data is page-locked; also: mem:separate:pinnedalloc"},
    {"nopinned", setMemory<MemoryModel::Separate>, ""},
    {"nomanaged", setMemory<MemoryModel::Separate>, ""},
    {"unified", setMemory<MemoryModel::Unified>, "the same as mem:unified"},
    {"nounified", setMemory<MemoryModel::Separate>, ""},
    {"lineinfo", setDebug<DebugInfo::Lines>, "line numbers for profilers"},
    {"nolineinfo", setDebug<DebugInfo::None>, ""},
    {"debug", setDebug<DebugInfo::Full>, "full debug information, no optimisation of device code"},
    {"nodebug", setDebug<DebugInfo::None>, ""},
    {"ptxinfo", setDevice<&DeviceSettings::printInfo, true>, "print registers and memory of every kernel"},
    {"maxregcount:", setMaxRegisters, "at most this many registers per thread"},
    {"loadcache:", setLoadCache, "L1 (default) or L2: where global loads are cached"},
    {"L1", setDevice<&DeviceSettings::loadsBypassL1, false>, ""},
    {"noL1", setDevice<&DeviceSettings::loadsBypassL1, true>, ""},
    {"keep", setRequest<&GpuRequest::keep>, "leave intermediate files next to the sources"},
    {"keepgpu", setRequest<&GpuRequest::keep>, ""},
    {"keepbin", setRequest<&GpuRequest::keep>, ""},
    {"keepptx", setRequest<&GpuRequest::keep>, ""},
    {"emu", setDevice<&DeviceSettings::emulatedOnly, true>, "code for the emulated device only"},
};

/// Accepted because builds give them; what they ask for is done anyway or means nothing here.
const llvm::StringLiteral acceptedWords[] = {"cuda",
                                             "beta",
                                             "llvm",
                                             "nollvm",
                                             "nvvm",
                                             "mul24",
                                             "nomul24",
                                             "pin",
                                             "safecache",
                                             "nosafecache",
                                             "wait",
                                             "nowait",
                                             "zeroinit",
                                             "nozeroinit",
                                             "interceptdeallocations",
                                             "nointerceptdeallocations",
                                             "implicitsections",
                                             "noimplicitsections",
                                             "autocollapse",
                                             "noautocollapse",
                                             "stacklimit:",
                                             "nostacklimit",
                                             "tripcount:",
                                             "uniform_math",
                                             "math_uniform",
                                             "lto",
                                             "nolto",
                                             "nouniform_math",
                                             "keepsource",
                                             "tensorcores",
                                             "sectionsize:"};

/// Accepted, with a warning that they do nothing yet.
const llvm::StringLiteral laterWords[] = {"autocompare", "deepcopy", "nodeepcopy", "time",
                                          "redundant",   "nvlamath", "nonvlamath"};

/// Returns true if `value` is `name`, or starts with a `name` that ends with a colon.
bool matches(llvm::StringRef value, llvm::StringRef name) {
  return name.ends_with(":") ? value.starts_with(name) : value == name;
}

/// Handles cudaX.Y, cudaX.x, cudaX and the older bare X.Y; returns false if `value` is none of these.
bool setToolkit(llvm::StringRef value, GpuRequest &request) {
  bool prefixed = value.consume_front("cuda");
  auto [majorText, minorText] = value.split('.');
  unsigned major, minor = 0;
  if ((minorText.empty() && !prefixed) || majorText.getAsInteger(10, major))
    return false;
  bool anyMinor = minorText.empty() || minorText.equals_insensitive("x");
  if (!anyMinor && minorText.getAsInteger(10, minor))
    return false;
  request.toolkit = major * 1000 + minor * 10;
  request.toolkitAnyMinor = anyMinor;
  return true;
}

bool setSwitch(llvm::StringRef value, GpuRequest &request) {
  for (const GpuSwitch &entry : switches) {
    bool on = value == entry.name;
    if (!on && !(value.starts_with("no") && value.drop_front(2) == entry.name))
      continue;
    request.device.*entry.member = on;
    if (on && entry.member == &DeviceSettings::fastMath)
      request.device.flushDenormals = true;
    return true;
  }
  return false;
}

/// Handles the name of an architecture; returns false if `value` is none.
bool setTarget(llvm::StringRef option, llvm::StringRef value, GpuRequest &request, Messages &messages) {
  std::optional<GpuName> name = parseGpuName(value);
  if (!name)
    return false;
  std::string arch = "cc" + std::to_string(name->arch);
  if (name->tooOld)
    messages.warning("'" + option + value + "': no CUDA version in use supports this GPU; making code for " + arch);
  else if (name->oddSpelling)
    messages.warning("'" + option + value + "' is taken as '" + arch + "'");
  request.targets.push_back({name->arch, name->suffix});
  return true;
}

llvm::SmallVector<llvm::StringRef, 64> knownValues() {
  llvm::SmallVector<llvm::StringRef, 64> known;
  static llvm::SmallVector<std::string, 32> archNames;
  if (archNames.empty())
    for (const GpuArchitecture &arch : gpuArchitectures())
      archNames.push_back("cc" + std::to_string(arch.arch));
  known.append(archNames.begin(), archNames.end());
  for (const GpuWord &word : words)
    known.push_back(word.name);
  for (const GpuSwitch &entry : switches)
    known.push_back(entry.name);
  static const llvm::StringLiteral negative[] = {"nordc", "nofma", "noflushz", "nofastmath", "nounroll", "cudaX.Y"};
  known.append(std::begin(negative), std::end(negative));
  return known;
}

llvm::Error unknownGpuValue(llvm::StringRef option, llvm::StringRef value) {
  if (looksLikeGpuName(value))
    return usageError("unknown GPU '" + value + "' in '" + option + value + "'; known: " + listOfGpuNames());
  return unknownValue(option, value, knownValues());
}

llvm::Error addGpuValue(llvm::StringRef option, llvm::StringRef value, GpuRequest &request, Messages &messages) {
  if (setSwitch(value, request) || setTarget(option, value, request, messages) || setToolkit(value, request))
    return llvm::Error::success();
  for (const GpuWord &word : words)
    if (matches(value, word.name))
      return word.apply(request, value.drop_front(word.name.size()));
  auto isValue = [&](llvm::StringRef name) { return matches(value, name); };
  if (llvm::any_of(acceptedWords, isValue))
    return llvm::Error::success();
  if (!llvm::any_of(laterWords, isValue))
    return unknownGpuValue(option, value);
  messages.warning("'" + option + value + "' has no effect yet");
  return llvm::Error::success();
}

} // namespace

llvm::Error cufort::driver::addGpuValues(llvm::StringRef option, llvm::StringRef list, GpuRequest &request,
                                         Messages &messages) {
  for (llvm::StringRef value : splitList(list))
    if (llvm::Error error = addGpuValue(option, value, request, messages))
      return error;
  return llvm::Error::success();
}

llvm::Expected<TargetRequest> cufort::driver::addTargetAccelerator(llvm::StringRef list, GpuRequest &request,
                                                                   Messages &messages) {
  TargetRequest targets;
  for (llvm::StringRef piece : splitList(list)) {
    auto [head, rest] = piece.split(':');
    if (head == "nvidia" || head == "tesla" || head == "gpu")
      targets.gpu = true;
    else if (head == "multicore")
      targets.multicore = true;
    else if (head == "host" || head == "x64")
      targets.host = true;
    else
      rest = piece; // a value that belongs to the target named before
    if (rest.empty())
      continue;
    targets.gpu = true;
    if (llvm::Error error = addGpuValue("-ta=", rest, request, messages))
      return error;
  }
  return targets;
}

void cufort::driver::forEachGpuValue(llvm::function_ref<void(llvm::StringRef value, llvm::StringRef help)> print) {
  print("cc<XY>", "an architecture: " + listOfGpuNames() + "; cc90a, cc100f ... for one architecture or family");
  for (const GpuWord &word : words)
    if (!word.help.empty())
      print(word.name, word.help);
  for (const GpuSwitch &entry : switches)
    print(("[no]" + entry.name).str(), entry.help);
  print("cuda<X.Y>", "the version of the CUDA toolkit to use");
}
