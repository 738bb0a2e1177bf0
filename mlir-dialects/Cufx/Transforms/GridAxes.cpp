#include "mlir-dialects/Cufx/Transforms/GridAxes.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"

using namespace mlir;
using namespace cufort::cufx;

static bool isOne(Value extent) {
  while (auto convert = extent.getDefiningOp<fir::ConvertOp>())
    extent = convert.getValue();
  return fir::getIntIfConstant(extent) == 1;
}

std::array<int, 3> cufort::cufx::gridAxesOf(KernelLoopsOp loops) {
  int last = 2;
  while (last > 0 && isOne(loops.getGrid()[last]))
    --last;
  std::array<int, 3> axes = {0, 1, 2};
  for (int axis = 0, used = 0; axis <= last; ++axis)
    axes[axis] = axis < last && isOne(loops.getGrid()[axis]) ? -1 : used++;
  return axes;
}
