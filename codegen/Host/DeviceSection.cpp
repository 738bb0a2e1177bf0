// Device bitcode inside host objects.

#include "codegen/Host/DeviceSection.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace llvm::object;
using namespace cufort::codegen;

constexpr StringLiteral offloadSection = ".llvm.offloading";
constexpr StringLiteral gpuTriple = "nvptx64-nvidia-cuda";
constexpr StringLiteral emulatedTriple = "x86_64-cufort-emulated";

static std::string packImage(StringRef triple, const SmallVectorImpl<char> &bitcode) {
  OffloadBinary::OffloadingImage image;
  image.TheImageKind = IMG_Bitcode;
  image.TheOffloadKind = OFK_Cuda;
  image.StringData["triple"] = triple;
  image.StringData["producer"] = "cufort";
  image.Image = MemoryBuffer::getMemBuffer(StringRef(bitcode.data(), bitcode.size()), "", false);
  return OffloadBinary::write(image).str().str();
}

void cufort::codegen::embedDeviceBitcode(Module &host, const DeviceBitcode &bitcode) {
  std::string packed;
  for (const auto &[triple, bytes] : {std::pair(StringRef(gpuTriple), &bitcode.gpu),
                                      std::pair(StringRef(emulatedTriple), &bitcode.emulated)}) {
    if (bytes->empty())
      continue;
    packed += packImage(triple, *bytes);
    packed.resize(alignTo(packed.size(), OffloadBinary::getAlignment()));
  }
  if (!packed.empty())
    embedBufferInModule(host, MemoryBufferRef(packed, ""), offloadSection, Align(OffloadBinary::getAlignment()));
}

Error cufort::codegen::collectDeviceBitcode(StringRef path, CollectedBitcode &collected) {
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError("cannot read '" + path.str() + "': " + file.getError().message());
  SmallVector<OffloadFile> images;
  if (Error error = extractOffloadBinaries(**file, images))
    return error;
  for (OffloadFile &image : images) {
    OffloadBinary &binary = *image.getBinary();
    if (binary.getString("producer") != "cufort")
      continue;
    auto copy = MemoryBuffer::getMemBufferCopy(binary.getImage(), path);
    (binary.getTriple() == gpuTriple ? collected.gpu : collected.emulated).push_back(std::move(copy));
  }
  return Error::success();
}
