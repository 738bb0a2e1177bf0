#include "runtime/Module/FatBinary.h"
#include "runtime/Module/Decompress.h"
#include <new>

namespace cufort::rt {

namespace {

Result invalid(std::string why) {
  return Result(cudaErrorInvalidKernelImage, "reading the fat binary", "fat binary: " + std::move(why));
}

/// Larger than any device code; what a damaged size field asks for is not allocated.
constexpr uint64_t largestMember = uint64_t(1) << 31;

bool inside(const CufortFatMember &member, uint64_t size) {
  return member.offset <= size && member.storedSize <= size - member.offset;
}

bool isPtx(const CufortFatMember &member) { return member.kind == CufortFatPTX; }

bool isCode(const CufortFatMember &member) { return isPtx(member) || member.kind == CufortFatCubin; }

bool isArchSpecific(const CufortFatMember &member) { return member.flags & 1; }

bool runsOn(const CufortFatMember &member, unsigned arch) {
  if (isArchSpecific(member))
    return member.arch == arch;
  if (isPtx(member))
    return member.arch <= arch;
  return member.arch / 10 == arch / 10 && member.arch % 10 <= arch % 10;
}

/// True if `a` is to be preferred to `b`, both of which run.
bool betterThan(const CufortFatMember &a, const CufortFatMember &b) {
  if (isPtx(a) != isPtx(b))
    return isPtx(b);
  if (a.arch != b.arch)
    return a.arch > b.arch;
  return isArchSpecific(a) && !isArchSpecific(b);
}

} // namespace

Result parseFatBinary(const CufortFatHeader *header, FatBinary &binary) {
  if (!header)
    return invalid("there is none");
  if (reinterpret_cast<uintptr_t>(header) % 8 != 0)
    return invalid("it is not 8-byte aligned");
  if (header->magic != CUFORT_FAT_MAGIC)
    return invalid("it does not begin with its magic number");
  if (header->version != 2)
    return invalid("version " + std::to_string(header->version) + " is not known");
  uint64_t size = header->size;
  if (size < sizeof *header || header->count > (size - sizeof *header) / sizeof(CufortFatMember))
    return invalid("it is too short for its " + std::to_string(header->count) + " members");
  binary = {reinterpret_cast<const char *>(header), reinterpret_cast<const CufortFatMember *>(header + 1),
            header->count, header->flags};
  for (unsigned i = 0; i < binary.count; ++i) {
    const CufortFatMember &member = binary.members[i];
    if (!inside(member, size) || member.size > largestMember || (!member.zstd && member.size != member.storedSize))
      return invalid("member " + std::to_string(i) + " does not lie inside it");
  }
  return {};
}

const CufortFatMember *chooseMember(const FatBinary &binary, int arch, bool forcePtx) {
  const CufortFatMember *best = nullptr;
  for (unsigned i = 0; i < binary.count; ++i) {
    const CufortFatMember &member = binary.members[i];
    bool mayRun = isPtx(member) || (isCode(member) && !forcePtx);
    if (mayRun && runsOn(member, static_cast<unsigned>(arch)) && (!best || betterThan(member, *best)))
      best = &member;
  }
  return best;
}

const CufortFatMember *versionsFor(const FatBinary &binary, const CufortFatMember &code) {
  for (const CufortFatMember *member = binary.members; member != binary.members + binary.count; ++member)
    if (member->kind == CufortFatVersions && !member->zstd && member->arch == code.arch && member->flags == code.flags)
      return member;
  return nullptr;
}

std::string listMembers(const FatBinary &binary) {
  std::string text;
  for (unsigned i = 0; i < binary.count; ++i) {
    const CufortFatMember &member = binary.members[i];
    if (!isCode(member))
      continue;
    text += text.empty() ? "" : ", ";
    text += (isPtx(member) ? "compute_" : "sm_") + std::to_string(member.arch) + (isArchSpecific(member) ? "a" : "");
  }
  return text.empty() ? "nothing" : text;
}

Result unpackMember(const FatBinary &binary, const CufortFatMember &member, MemberImage &image) {
  image.data = binary.bytes + member.offset;
  if (member.zstd) {
    image.owned.reset(new (std::nothrow) char[member.size ? member.size : 1]);
    if (!image.owned)
      return Result(cudaErrorMemoryAllocation, "decompressing device code");
    if (const char *wrong = cufortDecompress(image.owned.get(), member.size, image.data, member.storedSize))
      return invalid(std::string("a member cannot be decompressed: ") + wrong);
    image.data = image.owned.get();
  }
  bool terminated = member.size > 0 && static_cast<const char *>(image.data)[member.size - 1] == 0;
  if (isPtx(member) && !terminated)
    return invalid("PTX is not followed by a NUL");
  return {};
}

} // namespace cufort::rt
