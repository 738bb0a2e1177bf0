// The fat binary of an image: checking it, choosing the member that a device runs, and unpacking that member.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Support/Result.h"
#include <cstddef>
#include <memory>
#include <string>

namespace cufort::rt {

/// A checked view of a fat binary: every member lies inside it. Does not own the bytes.
struct FatBinary {
  const char *bytes = nullptr;
  const CufortFatMember *members = nullptr;
  unsigned count = 0;
  unsigned flags = 0; ///< CufortFatFlags or-ed together
};

/// Sets `binary` to a view of the fat binary at `header`. cudaErrorInvalidKernelImage, with what is wrong, if there is
/// none of a known version.
Result parseFatBinary(const CufortFatHeader *header, FatBinary &binary);

/// Returns the member that a device of compute capability `arch` (90 for 9.0) runs best, or null if it can run none:
/// the newest machine code for it, where arch-specific code needs exactly this device and other code the same major
/// version and no newer minor one; else the newest PTX that is not newer than the device. `forcePtx` leaves out machine
/// code.
const CufortFatMember *chooseMember(const FatBinary &binary, int arch, bool forcePtx);

/// Returns the versions of the kernels in `code`, another member; null if there are none.
const CufortFatMember *versionsFor(const FatBinary &binary, const CufortFatMember &code);

/// Returns e.g. "sm_80, sm_90a, compute_90": what the binary holds, for messages.
std::string listMembers(const FatBinary &binary);

/// Bytes of a member as the driver takes them; may point into the fat binary or own a decompressed copy.
struct MemberImage {
  const void *data = nullptr;
  std::unique_ptr<char[]> owned;
};

/// Sets `image` to the bytes of `member`. cudaErrorInvalidKernelImage if they cannot be decompressed or PTX does not
/// end with a NUL.
Result unpackMember(const FatBinary &binary, const CufortFatMember &member, MemberImage &image);

} // namespace cufort::rt
