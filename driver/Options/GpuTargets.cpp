#include "driver/Options/GpuTargets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cufort::driver;

namespace {

constexpr GpuArchitecture architectures[] = {
    {50, 6000, 12090}, {52, 6050, 12090}, {53, 6050, 12090}, {60, 8000, 12090}, {61, 8000, 12090},   {62, 8000, 12090},
    {70, 9000, 12090}, {72, 9020, 12090}, {75, 10000, 0},    {80, 11000, 0},    {86, 11010, 0},      {87, 11040, 0},
    {88, 13000, 0},    {89, 11080, 0},    {90, 11080, 0},    {100, 12080, 0},   {101, 12080, 12090}, {103, 12090, 0},
    {110, 13000, 0},   {120, 12080, 0},   {121, 12090, 0},
};

bool isKnown(unsigned arch) {
  return llvm::any_of(architectures, [&](const GpuArchitecture &known) { return known.arch == arch; });
}

/// Architectures that CUDA dropped before version 12: named in build files that are still in use.
bool isPast(unsigned arch) { return llvm::is_contained({10u, 11u, 12u, 13u, 20u, 21u, 30u, 32u, 35u, 37u}, arch); }

/// Returns the first architecture of a generation, or 0.
unsigned archOfGeneration(llvm::StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Cases({"tesla", "cc1x", "cc1"}, 10)
      .Cases({"fermi", "cc2x", "cc2"}, 20)
      .Cases({"kepler", "cc3x", "cc3"}, 30)
      .Cases({"maxwell", "cc5x", "cc5"}, 50)
      .Cases({"pascal", "cc6x", "cc6"}, 60)
      .Cases({"volta", "cc7x", "cc7"}, 70)
      .Case("turing", 75)
      .Cases({"ampere", "cc8x", "cc8"}, 80)
      .Case("ada", 89)
      .Cases({"hopper", "cc9x"}, 90)
      .Case("blackwell", 100)
      .Default(0);
}

/// Takes the prefix of an architecture's name off `name`; returns false if it has none.
bool consumePrefix(llvm::StringRef &name, bool &odd) {
  odd = false;
  if (name.consume_front("sm_") || name.consume_front("compute_") || name.consume_front("sm"))
    return true;
  if (!name.consume_front("cc"))
    return false;
  odd = name.consume_front("n");
  return true;
}

GpuName withArch(unsigned arch, char suffix, bool odd) {
  GpuName result;
  result.tooOld = isPast(arch);
  result.arch = result.tooOld ? architectures[0].arch : arch;
  result.suffix = suffix;
  result.oddSpelling = odd;
  return result;
}

} // namespace

llvm::ArrayRef<GpuArchitecture> cufort::driver::gpuArchitectures() { return architectures; }

bool cufort::driver::ptxasSupports(unsigned cudaVersion, unsigned arch) {
  // Point releases do not change the list: 12.9.1 counts as 12.9.
  unsigned version = cudaVersion / 10 * 10;
  return llvm::any_of(architectures, [&](const GpuArchitecture &known) {
    return known.arch == arch && version >= known.firstToolkit && (!known.lastToolkit || version <= known.lastToolkit);
  });
}

std::optional<GpuName> cufort::driver::parseGpuName(llvm::StringRef name) {
  name.consume_back("+");
  if (unsigned arch = archOfGeneration(name))
    return withArch(arch, 0, false);
  bool odd;
  if (!consumePrefix(name, odd))
    return std::nullopt;
  char suffix = 0;
  if (name.size() > 2 && (name.back() == 'a' || name.back() == 'f')) {
    suffix = name.back();
    name = name.drop_back();
  }
  unsigned arch;
  if (name.getAsInteger(10, arch) || !(isKnown(arch) || isPast(arch)))
    return std::nullopt;
  if ((suffix == 'a' && arch < 90) || (suffix == 'f' && arch < 100))
    return std::nullopt;
  return withArch(arch, suffix, odd);
}

bool cufort::driver::looksLikeGpuName(llvm::StringRef name) {
  bool odd;
  if (!consumePrefix(name, odd) || name.empty())
    return false;
  return llvm::all_of(name.drop_back(name.ends_with("a") || name.ends_with("f")), llvm::isDigit);
}

std::string cufort::driver::listOfGpuNames() {
  std::string list;
  for (const GpuArchitecture &known : architectures)
    list += (list.empty() ? "cc" : ", cc") + std::to_string(known.arch);
  return list;
}
