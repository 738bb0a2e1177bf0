// MATMUL of device arrays. The kernels are Fortran: frontend/Modules/cufort_matrix_product.cuf.
#include "runtime/ABI/RuntimeABI.h"
#include "runtime/FlangEntries/FortranDescriptor.h"
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

/// Flang's numbers for types, as in its ISO_Fortran_binding.h.
enum { TypeReal2 = 25, TypeReal4 = 27, TypeReal8 = 28, TypeComplex4 = 34 };

Multiply *multiplyFor(int type) {
  switch (type) {
  case TypeReal2:
    return cufortMultiplyReal2;
  case TypeReal4:
    return cufortMultiplyReal4;
  case TypeReal8:
    return cufortMultiplyReal8;
  case TypeComplex4:
    return cufortMultiplyComplex4;
  default:
    return cufortMultiplyComplex8;
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
  const int64_t extents[] = {a.rows, b.columns, a.columns};
  const int64_t strides[] = {c.rowStride, c.columnStride, a.rowStride, a.columnStride, b.rowStride, b.columnStride};
  multiplyFor(product.type)(product.base, first.base, second.base, extents, strides);
}
