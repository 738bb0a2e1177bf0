// Images as the compiler makes them, for tests: kernels and variables with made-up host addresses.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include <deque>
#include <string>
#include <vector>

namespace cufort::rt::fake {

/// A fat binary of chosen members. Members are stored as they are, or as `storedBytes` if those are compressed.
class FatBinaryBuilder {
public:
  /// Adds a member whose bytes are `text` (PTX gets its NUL).
  void add(CufortFatKind kind, unsigned arch, std::string text, unsigned flags = 0);
  /// Adds a zstd-compressed member; `size` is what its header claims.
  void addCompressed(CufortFatKind kind, unsigned arch, std::string compressed, size_t size);
  /// The finished binary, 8-byte aligned.
  std::vector<uint64_t> build(uint32_t flags = 0) const;

private:
  struct Member {
    CufortFatMember header;
    std::string bytes;
  };
  std::vector<Member> members;
};

/// What the host calculates for a version, which has `versionParameters` instead of `kernelParameters`.
struct Calculation {
  std::vector<CufortStep> steps;
  std::vector<CufortValue> values;
  uint16_t kernelParameters = 0, versionParameters = 0;
};

/// A record of the fat binary's versions: `symbols` are the kernel, the version and the variables.
std::string record(const std::vector<CufortTest> &tests, const std::vector<std::string> &symbols,
                   const Calculation &calculation = {});

/// An image with entries, registered while it lives.
class TestImage {
public:
  explicit TestImage(uint32_t flags = 0);
  ~TestImage();
  TestImage(const TestImage &) = delete;
  TestImage &operator=(const TestImage &) = delete;

  /// Adds a kernel; returns its host stub's address.
  void *kernel(const char *name, unsigned flags = 0);
  /// Adds a variable that has its host shadow at `host`.
  void variable(const char *name, const void *host, size_t size, unsigned flags = 0);
  /// Gives it code for compute_50 with `records` of versions.
  void versions(std::string records);
  /// Makes the image known. Entries may not be added any more.
  void add();

  CufortImage image = {};
  std::vector<uint64_t> fatBinary; ///< PTX for compute_50 unless changed before add()

private:
  std::deque<std::string> names;
  std::deque<char> stubs;
  std::vector<CufortEntry> entries;
  bool registered = false;
};

} // namespace cufort::rt::fake
