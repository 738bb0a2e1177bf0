// The memory of a GPU is busy when enough bytes are on their way: on an H200 about 16 for each thread that it has at a
// time. An iteration that loads 4 or 8 does not reach that. The iterations of a CUF kernel do not depend on each other,
// so that a thread can begin the next one before it has finished the first.

#include "mlir-dialects/Cufx/Transforms/KernelRounds.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

constexpr unsigned bytesWanted = 16; ///< of a thread's loads
constexpr unsigned mostRounds = 4;
constexpr unsigned mostLoads = 8; ///< of elements in an iteration: more need registers, and keep the memory busy

/// 0 for what is no number or truth value.
unsigned bytesOf(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * bytesOf(complex.getElementType());
  if (auto logical = dyn_cast<fir::LogicalType>(type))
    return logical.getFKind();
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() / 8 : 0;
}

/// What an iteration does with arrays.
class Body {
public:
  /// False if the iterations cannot run side by side in a thread, or if that is not worth it.
  bool analyse(Region &region) {
    return region.hasOneBlock() &&
           llvm::all_of(region.front().without_terminator(), [&](Operation &op) { return add(op); }) &&
           loads <= mostLoads;
  }

  /// Elements of the same array are neighbours, most of which another thread brings into the cache.
  unsigned loadedBytes() const {
    unsigned sum = 0;
    for (auto [array, bytes] : loaded)
      sum += bytes;
    return sum;
  }

private:
  bool add(Operation &op) {
    if (auto load = dyn_cast<fir::LoadOp>(op))
      return addLoad(load);
    if (auto store = dyn_cast<fir::StoreOp>(op)) {
      if (auto element = store.getMemref().getDefiningOp<fir::ArrayCoorOp>())
        stored.insert(element.getMemref());
      return true;
    }
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  }

  /// What has been stored before comes from a register while there is one iteration, but not if another one's stores
  /// lie between.
  bool addLoad(fir::LoadOp load) {
    auto element = load.getMemref().getDefiningOp<fir::ArrayCoorOp>();
    if (!element)
      return true;
    ++loads;
    unsigned bytes = bytesOf(load.getType());
    loaded.insert({element.getMemref(), bytes});
    return bytes && !stored.contains(element.getMemref());
  }

  unsigned loads = 0;
  llvm::MapVector<Value, unsigned> loaded; ///< arrays, and the bytes of their elements
  llvm::SetVector<Value> stored;           ///< arrays
};

} // namespace

unsigned cufort::cufx::roundsWorthwhile(KernelLoopsOp loops) {
  Body body;
  if (!body.analyse(loops.getBody()))
    return 1;
  unsigned bytes = body.loadedBytes(), rounds = 1;
  while (bytes && rounds < mostRounds && 2 * rounds * bytes <= bytesWanted)
    rounds *= 2;
  return rounds;
}

void cufort::cufx::cloneInterleaved(OpBuilder &builder, Region &body, MutableArrayRef<IRMapping> mappings) {
  for (Operation &op : body.front().without_terminator())
    for (IRMapping &mapping : mappings)
      if (!op.getNumResults() || !mapping.contains(op.getResult(0)))
        builder.clone(op, mapping);
}
