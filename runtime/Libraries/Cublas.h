// Products of matrices by cuBLAS.
#pragma once

#include "runtime/Context/Context.h"
#include <cstdint>

namespace cufort::rt {

enum class FactorType { Real2, Real4, Real8, Complex4, Complex8 };

/// A matrix as cuBLAS takes it: `leading` elements from a column to the next; or, if it `isTransposed`, from a row.
struct BlasMatrix {
  const void *base = nullptr;
  bool isTransposed = false;
  int leading = 1;
};

/// A product of an `m` by `k` matrix and a `k` by `n` matrix. The result is not transposed.
struct BlasProduct {
  FactorType type = FactorType::Real8;
  BlasMatrix left, right, result;
  int m = 0, n = 0, k = 0;
};

/// Has cuBLAS compute `product` on `stream`, with sums in the type of the factors, and in real(4) for Real2; does not
/// wait. Returns false, having done nothing, if there is no cuBLAS, the device is emulated, or cuBLAS does not want to.
/// A stream that is being captured gets cuBLAS only if the device has had a product before. Thread-safe: threads that
/// multiply at the same time use different handles.
bool multiplyByCublas(const BlasProduct &product, int64_t stream);

} // namespace cufort::rt
