// MATMUL of device arrays: by cuBLAS, or by our own kernels, which are Fortran:
// frontend/Modules/cufort_matrix_product.cuf.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
#include "runtime/Libraries/Cublas.h"
#include "runtime/Stream/DefaultStream.h"
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

using namespace cufort::rt;

extern "C" {
using Multiply = void(void *result, const void *left, const void *right, const int64_t *extents,
                      const int64_t *strides);
Multiply cufortMultiplyReal2, cufortMultiplyReal4, cufortMultiplyReal8, cufortMultiplyComplex4, cufortMultiplyComplex8;
}

namespace {

/// An array as a matrix: how many rows and columns there are, and how many elements neighbours are apart.
struct Matrix {
  int64_t rows = 1, columns = 1, rowStride = 1, columnStride = 1;

  /// A vector is a row or a column.
  Matrix(const FortranDescriptor &array, bool isTransposed, bool vectorIsRow) {
    auto stride = [&](int dimension) {
      return array.dim[dimension].byteStride / static_cast<int64_t>(array.elementBytes);
    };
    rows = array.dim[0].extent;
    rowStride = stride(0);
    if (array.rank == 2) {
      columns = array.dim[1].extent;
      columnStride = stride(1);
    }
    if (array.rank == 2 ? isTransposed : vectorIsRow) {
      std::swap(rows, columns);
      std::swap(rowStride, columnStride);
    }
  }
};

/// How `matrix` can be described to cuBLAS: its rows or its columns are contiguous, and do not overlap.
std::optional<BlasMatrix> describe(const void *base, const Matrix &matrix) {
  auto leading = [](int64_t stride, int64_t inner, int64_t outer) -> int64_t {
    return outer == 1 ? std::max<int64_t>(inner, 1) : stride;
  };
  auto fits = [&](int64_t innerStride, int64_t outerStride, int64_t inner, int64_t outer) {
    int64_t distance = leading(outerStride, inner, outer);
    return (innerStride == 1 || inner == 1) && distance >= inner && distance <= std::numeric_limits<int>::max();
  };
  if (fits(matrix.rowStride, matrix.columnStride, matrix.rows, matrix.columns))
    return BlasMatrix{base, false, static_cast<int>(leading(matrix.columnStride, matrix.rows, matrix.columns))};
  if (fits(matrix.columnStride, matrix.rowStride, matrix.columns, matrix.rows))
    return BlasMatrix{base, true, static_cast<int>(leading(matrix.rowStride, matrix.columns, matrix.rows))};
  return std::nullopt;
}

/// Products of fewer multiplications are done sooner by our kernels than cuBLAS has started.
constexpr int64_t fewestMultiplications = 64 * 64 * 64;

bool isWorthCublas(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t most = std::numeric_limits<int>::max();
  return m <= most && n <= most && k <= most && static_cast<double>(m) * n * k >= fewestMultiplications;
}

/// Flang's numbers for types, as in its ISO_Fortran_binding.h.
enum { TypeReal2 = 25, TypeReal4 = 27, TypeReal8 = 28, TypeComplex4 = 34 };

/// What is done with factors of one type.
struct Multiplication {
  FactorType factors;
  Multiply *kernel;
};

Multiplication multiplicationOf(int type) {
  switch (type) {
  case TypeReal2:
    return {FactorType::Real2, cufortMultiplyReal2};
  case TypeReal4:
    return {FactorType::Real4, cufortMultiplyReal4};
  case TypeReal8:
    return {FactorType::Real8, cufortMultiplyReal8};
  case TypeComplex4:
    return {FactorType::Complex4, cufortMultiplyComplex4};
  default:
    return {FactorType::Complex8, cufortMultiplyComplex8};
  }
}

} // namespace

void cufortMatrixProduct(void *result, void *left, void *right, int32_t leftTransposed, int32_t rightTransposed) {
  const auto &product = *static_cast<const FortranDescriptor *>(result);
  const auto &first = *static_cast<const FortranDescriptor *>(left);
  const auto &second = *static_cast<const FortranDescriptor *>(right);
  Matrix a(first, leftTransposed, /*vectorIsRow=*/true);
  Matrix b(second, rightTransposed, /*vectorIsRow=*/false);
  Matrix c(product, /*isTransposed=*/false, /*vectorIsRow=*/first.rank == 1);
  Multiplication multiplication = multiplicationOf(product.type);
  if (isWorthCublas(a.rows, b.columns, a.columns)) {
    auto blasA = describe(first.base, a), blasB = describe(second.base, b), blasC = describe(product.base, c);
    if (blasA && blasB && blasC && !blasC->isTransposed &&
        multiplyByCublas({multiplication.factors, *blasA, *blasB, *blasC, static_cast<int>(a.rows),
                          static_cast<int>(b.columns), static_cast<int>(a.columns)},
                         threadDefaultStream()))
      return;
  }
  const int64_t extents[] = {a.rows, b.columns, a.columns};
  const int64_t strides[] = {c.rowStride, c.columnStride, a.rowStride, a.columnStride, b.rowStride, b.columnStride};
  multiplication.kernel(product.base, first.base, second.base, extents, strides);
}
