// The images for all targets of a program, several at a time: nothing depends on another target.

#include "codegen/DeviceLink/GpuImages.h"
#include "codegen/DeviceLink/MachineCode.h"
#include "codegen/Process/ForkedWork.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <thread>

using namespace llvm;
using namespace cufort::codegen;

using Images = std::vector<GpuImage>;

std::string GpuImage::fileSuffix() const {
  std::string version = std::to_string(arch) + (suffix ? std::string(1, suffix) : "");
  return ".cc" + version + (kind == CufortFatPTX ? ".ptx" : ".cubin");
}

StringRef GpuImage::fileContents() const { return StringRef(bytes).drop_back(kind == CufortFatPTX); }

static Expected<Images> generateImages(const Module &module, const CodegenOptions &options, const GpuTarget &target) {
  auto code = generatePTX(module, options, target);
  if (!code)
    return code.takeError();
  Images images;
  bool asksPtxas = target.cubin || options.kernelInfo || options.ptxInfo;
  if (asksPtxas && !options.ptxas.empty()) {
    auto cubin = assemblePTX(*code, options, target);
    // A ptxas that is too new for the GPU has nothing to report, and no machine code was asked of it.
    if (!cubin && !target.cubin)
      errs() << "cufort: warning: no resources of kernels for " << target.name() << ": " << toString(cubin.takeError())
             << '\n';
    else if (!cubin)
      return cubin.takeError();
    else if (target.cubin)
      images.push_back({CufortFatCubin, target.arch, target.suffix, std::move(*cubin)});
  }
  if (target.ptx || options.ptxas.empty()) {
    code->ptx.push_back('\0');
    images.push_back({CufortFatPTX, target.arch, target.suffix, std::move(code->ptx)});
  }
  if (!images.empty() && !code->versions.empty())
    images.push_back({CufortFatVersions, target.arch, target.suffix, encodeVersions(code->versions)});
  return images;
}

namespace {

/// What stands before the bytes of an image on the way from one process to another.
struct Head {
  unsigned kind, arch;
  char suffix;
  size_t bytes;
};

} // namespace

static SmallVector<char, 0> encode(const Images &images) {
  SmallVector<char, 0> result;
  raw_svector_ostream out(result);
  for (const GpuImage &image : images) {
    Head head = {image.kind, image.arch, image.suffix, image.bytes.size()};
    out.write(reinterpret_cast<const char *>(&head), sizeof(head));
    out << image.bytes;
  }
  return result;
}

/// Adds the images in `bytes` to `images`.
static void decode(StringRef bytes, Images &images) {
  while (!bytes.empty()) {
    Head head;
    memcpy(&head, bytes.data(), sizeof(head));
    bytes = bytes.drop_front(sizeof(head));
    images.push_back({head.kind, head.arch, head.suffix, bytes.take_front(head.bytes).str()});
    bytes = bytes.drop_front(head.bytes);
  }
}

Expected<Images> cufort::codegen::generateGpuImages(const Module &module, const CodegenOptions &options) {
  if (options.gpus.size() == 1)
    return generateImages(module, options, options.gpus.front());
  size_t most = std::max(1u, std::thread::hardware_concurrency()), next = 0;
  std::deque<ForkedWork> running;
  Images images;
  while (next < options.gpus.size() || !running.empty()) {
    for (; next < options.gpus.size() && running.size() < most; ++next)
      running.emplace_back([&]() -> ForkedWork::Result {
        auto made = generateImages(module, options, options.gpus[next]);
        return made ? ForkedWork::Result(encode(*made)) : made.takeError();
      });
    auto made = running.front().wait();
    running.pop_front();
    if (!made)
      return made.takeError();
    decode(StringRef(made->data(), made->size()), images);
  }
  return images;
}
