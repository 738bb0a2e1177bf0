// The container of a program's GPU code; its layout is declared in runtime/ABI/RuntimeABI.h.

#include "codegen/DeviceLink/GpuImages.h"
#include "runtime/ABI/DeviceFacts.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <zstd.h>

using namespace cufort::codegen;

/// One zstd frame of `bytes`, or nothing if that is no smaller.
static std::string compress(llvm::StringRef bytes) {
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), /*compressionLevel=*/9);
  if (ZSTD_isError(size) || size >= bytes.size())
    return "";
  frame.resize(size);
  return frame;
}

/// What the runtime has to know of `images` (CufortFatFlags).
static uint32_t flagsOf(const std::vector<GpuImage> &images) {
  // The variables are there if code that needs them is.
  auto has = [&](llvm::StringRef variable) {
    return llvm::any_of(images, [&](const GpuImage &image) { return llvm::StringRef(image.bytes).contains(variable); });
  };
  uint32_t prints = has("cufortPrintedLines") ? CufortFatPrints : 0;
  bool asks = has(CUFORT_DEVICE_FACTS) || has(CUFORT_DEVICE_PROPERTIES);
  return prints | (asks ? CufortFatAsksDevice : 0);
}

std::string cufort::codegen::packFatBinary(const std::vector<GpuImage> &images) {
  CufortFatHeader header{CUFORT_FAT_MAGIC, 2, static_cast<uint32_t>(images.size()), flagsOf(images), 0};
  std::vector<CufortFatMember> members;
  std::string payload;
  uint64_t start = sizeof(header) + images.size() * sizeof(CufortFatMember);
  for (const GpuImage &image : images) {
    std::string frame = image.kind == CufortFatPTX ? compress(image.bytes) : "";
    llvm::StringRef stored = frame.empty() ? llvm::StringRef(image.bytes) : llvm::StringRef(frame);
    payload.resize(llvm::alignTo(payload.size(), 8));
    CufortFatMember member{};
    member.kind = image.kind;
    member.arch = image.arch;
    member.flags = image.suffix == 'a';
    member.zstd = !frame.empty();
    member.offset = start + payload.size();
    member.storedSize = stored.size();
    member.size = image.bytes.size();
    members.push_back(member);
    payload += stored;
  }
  header.size = start + payload.size();
  std::string result(reinterpret_cast<const char *>(&header), sizeof(header));
  result.append(reinterpret_cast<const char *>(members.data()), members.size() * sizeof(CufortFatMember));
  return result + payload;
}
