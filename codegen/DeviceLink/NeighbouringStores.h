// Stores to places beside each other in memory.
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace cufort::codegen {

/// GPUs store up to this many bytes at once.
inline constexpr int64_t mostStoredBytes = 16;

/// By how many bytes the place of `other` is behind that of `store`, if that is constant.
std::optional<int64_t> distanceBetween(const llvm::StoreInst &store, const llvm::StoreInst &other,
                                       llvm::ScalarEvolution &evolution);

} // namespace cufort::codegen
