// SIZE, LBOUND and UBOUND where Flang leaves them to its runtime: with a DIM that is known when the program runs, and
// for all dimensions at once.

#include "codegen/DeviceLibrary/ArrayResults.h"

using namespace cufort::device;

extern "C" long _FortranASize(const Descriptor *array, const char *, int) { return elementCount(*array); }

extern "C" long _FortranASizeDim(const Descriptor *array, int dim, const char *, int) {
  return array->dim[dim - 1].extent;
}

extern "C" long _FortranALboundDim(const Descriptor *array, int dim, const char *, int) {
  // The lower bound of a dimension without elements is 1 (Fortran 2018 16.9.109).
  const Dimension &at = array->dim[dim - 1];
  return at.extent ? at.lower : 1;
}

extern "C" void _FortranAUbound(char *result, const Descriptor *array, int kind, const char *file, int line) {
  for (int dim = 1; dim <= array->rank; ++dim)
    storeInteger(result + (dim - 1) * kind, kind,
                 _FortranALboundDim(array, dim, file, line) + array->dim[dim - 1].extent - 1);
}
