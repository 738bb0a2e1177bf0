#include "driver/Toolchain/CudaToolkit.h"
#include "driver/Toolchain/Environment.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace cufort::driver;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string readFile(const llvm::Twine &file) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Returns 13000 for "13.0", "13.0.88" or "13.0, V13.0.88"; 0 if `text` does not start with a version.
unsigned parseVersion(llvm::StringRef text) {
  unsigned major = 0, minor = 0;
  text = text.ltrim();
  if (text.consumeInteger(10, major) || !text.consume_front(".") || text.consumeInteger(10, minor))
    return 0;
  return major * 1000 + minor * 10;
}

unsigned versionFromJson(llvm::StringRef root) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(readFile(root + "/version.json"));
  if (!json) {
    llvm::consumeError(json.takeError());
    return 0;
  }
  const llvm::json::Object *top = json->getAsObject();
  const llvm::json::Object *cuda = top ? top->getObject("cuda") : nullptr;
  return cuda ? parseVersion(cuda->getString("version").value_or("")) : 0;
}

/// Returns the version after the first `key` in `text`, or 0.
unsigned versionAfter(llvm::StringRef text, llvm::StringRef key) {
  size_t at = text.find(key);
  return at == llvm::StringRef::npos ? 0 : parseVersion(text.drop_front(at + key.size()));
}

unsigned versionFromHeader(llvm::StringRef root) {
  std::string header = readFile(root + "/include/cuda.h");
  llvm::StringRef text = header;
  constexpr llvm::StringLiteral key = "#define CUDA_VERSION ";
  size_t at = text.find(key);
  unsigned version = 0;
  if (at != llvm::StringRef::npos)
    text.drop_front(at + key.size()).ltrim().consumeInteger(10, version);
  return version;
}

unsigned findVersion(const CudaToolkit &toolkit) {
  if (unsigned version = versionFromJson(toolkit.root))
    return version;
  if (unsigned version = versionAfter(readFile(toolkit.root + "/version.txt"), "CUDA Version "))
    return version;
  if (unsigned version = versionFromHeader(toolkit.root))
    return version;
  if (unsigned version = versionAfter(path::filename(toolkit.root), "cuda-"))
    return version;
  if (toolkit.ptxas.empty())
    return 0;
  return versionAfter(outputOf({toolkit.ptxas, "--version"}), "release ");
}

/// Describes the toolkit at `root`, or nothing if none of its parts is there.
std::optional<CudaToolkit> describe(llvm::StringRef root, llvm::StringRef foundBy) {
  CudaToolkit toolkit;
  llvm::SmallString<128> real;
  if (fs::real_path(root, real))
    return std::nullopt;
  toolkit.root = real.str();
  toolkit.foundBy = foundBy;
  toolkit.ptxas = ifExists(real + "/bin/ptxas");
  toolkit.nvcc = ifExists(real + "/bin/nvcc");
  for (const char *where : {"/nvvm/libdevice/", "/libdevice/"})
    if (toolkit.libdevice.empty())
      toolkit.libdevice = ifExists(real + where + "libdevice.10.bc");
  if (toolkit.ptxas.empty() && toolkit.libdevice.empty() && toolkit.nvcc.empty())
    return std::nullopt;
  if (toolkit.ptxas.empty())
    toolkit.ptxas = findOnPath({"ptxas"});
#if defined(__aarch64__)
  const char *target = "/targets/sbsa-linux/lib";
#else
  const char *target = "/targets/x86_64-linux/lib";
#endif
  for (const char *directory : {"/lib64", target, "/lib"})
    if (fs::is_directory(real + directory))
      toolkit.libraryDirs.push_back((real + directory).str());
  toolkit.version = findVersion(toolkit);
  return toolkit;
}

/// Returns the root above `<root>/bin/<program>`, through symbolic links, or an empty string.
std::string rootOf(llvm::StringRef program) {
  llvm::SmallString<128> real;
  if (program.empty() || fs::real_path(program, real))
    return "";
  return path::parent_path(path::parent_path(real)).str();
}

/// Returns /usr/local/cuda-*, the highest version first.
std::vector<std::string> installedVersions() {
  std::vector<std::string> roots;
  std::error_code error;
  for (fs::directory_iterator at("/usr/local", error), end; !error && at != end; at.increment(error))
    if (path::filename(at->path()).starts_with("cuda-"))
      roots.push_back(at->path());
  llvm::sort(roots, [](const std::string &a, const std::string &b) {
    return versionAfter(a, "cuda-") > versionAfter(b, "cuda-");
  });
  return roots;
}

} // namespace

std::string cufort::driver::cudaVersionText(unsigned version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string CudaToolkit::versionText() const { return version ? cudaVersionText(version) : "of unknown version"; }

std::vector<CudaToolkit> cufort::driver::findCudaToolkits() {
  std::vector<CudaToolkit> toolkits;
  if (environment("CUFORT_CUDA_HOME") == "none")
    return toolkits;
  auto add = [&](llvm::StringRef root, llvm::StringRef foundBy) {
    if (root.empty())
      return;
    std::optional<CudaToolkit> toolkit = describe(root, foundBy);
    if (toolkit && llvm::none_of(toolkits, [&](const CudaToolkit &known) { return known.root == toolkit->root; }))
      toolkits.push_back(std::move(*toolkit));
  };
  for (const char *variable : {"CUFORT_CUDA_HOME", "NVHPC_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"})
    add(environment(variable), variable);
  for (const char *program : {"nvcc", "ptxas"})
    add(rootOf(findOnPath({program})), "PATH");
  add("/usr/local/cuda", "default");
  for (const std::string &root : installedVersions())
    add(root, "default");
  add("/opt/cuda", "default");
  add("/usr/lib/cuda", "default");
  return toolkits;
}

const CudaToolkit *cufort::driver::chooseToolkit(llvm::ArrayRef<CudaToolkit> toolkits, unsigned wanted, bool anyMinor) {
  for (const CudaToolkit &toolkit : toolkits)
    if (!wanted || (anyMinor ? toolkit.version / 1000 == wanted / 1000 : toolkit.version == wanted))
      return &toolkit;
  return nullptr;
}
