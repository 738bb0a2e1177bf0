// From cuf.kernel to cufx.kernel_loops: what runs where, and which scalars are combined.
//
// In: the loops that a `!$cuf kernel do` directive names, as Flang lowers them, in FIR. Out: the same loops with an
// axis each, grid and block extents (0 for a grid extent that covers all iterations), the scalars that are reduced
// (clause or found here), and those that are private to a thread.
//
// A scalar is a reduction when every store to it in the loops combines a load of it by one operation, and no other
// load of it exists (CUDA Fortran guide 2.11.3). A host scalar is private when the loops store it before they load it,
// and any other one is copied into each thread; a device scalar is one variable for all threads.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/BlockShapes.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostComponents.h"
#include "mlir-dialects/Cufx/Transforms/IterationTimes.h"
#include "mlir-dialects/Cufx/Transforms/LostScalars.h"
#include "mlir-dialects/Cufx/Transforms/OptionalOperands.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_SCHEDULEKERNELLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Threads of a block for `*`: with fewer of them a GPU would be busy starting blocks.
constexpr int64_t threadsOfBlock = 256;
/// On the axes of nests: with fewer rows the neighbours of a row would be loaded more often.
constexpr std::array<int64_t, 3> blockOfNests = {64, 4, 1};
constexpr int64_t warpSize = 32;

/// Scalars of the loops, by what happens to them.
struct Scalars {
  SmallVector<Value> reductions;
  SmallVector<int32_t> kinds;
  SmallVector<Value> privates;
};

LogicalResult classifyScalars(cuf::KernelOp kernel, Scalars &scalars) {
  for (auto [index, operand] : llvm::enumerate(kernel.getReduceOperands())) {
    auto attr = cast<fir::ReduceAttr>((*kernel.getReduceAttrs())[index]);
    auto kind = reductionKind(attr, fir::unwrapRefType(operand.getType()));
    if (!kind)
      return kernel.emitError() << "the operation of reduction variable '" << variableName(operand)
                                << "' is not one that a CUF kernel can do";
    scalars.reductions.push_back(operand);
    scalars.kinds.push_back(static_cast<int32_t>(*kind));
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(kernel.getRegion(), captured);
  for (Value value : captured) {
    Type element = fir::dyn_cast_ptrEleTy(value.getType());
    if (!element || !fir::isa_trivial(element) || llvm::is_contained(scalars.reductions, value))
      continue;
    ScalarUse use = classifyScalar(value, kernel.getRegion());
    if (use.reduction) {
      scalars.reductions.push_back(value);
      scalars.kinds.push_back(static_cast<int32_t>(*use.reduction));
    } else if (use.isPrivate && !isDeviceAddressable(value)) {
      scalars.privates.push_back(value);
    } else if (!isDeviceAddressable(value)) {
      warnOfLostScalar(value, kernel.getRegion());
    }
  }
  return success();
}

Value toI64(OpBuilder &builder, Location loc, Value value) {
  return fir::ConvertOp::create(builder, loc, builder.getI64Type(), value);
}

bool isStar(ValueRange written, unsigned axis) {
  if (axis >= written.size())
    return written.empty();
  auto value = fir::getIntIfConstant(written[axis]);
  return value && *value == 0;
}

/// Extents of grid or block as written: missing ones are 1, `*` is `star`.
SmallVector<Value> extents(OpBuilder &builder, Location loc, ValueRange written, ArrayRef<int64_t> star) {
  SmallVector<Value> result;
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64).getResult(); };
    if (written.empty())
      result.push_back(constant(star[axis]));
    else if (axis >= written.size())
      result.push_back(constant(1));
    else if (isStar(written, axis))
      result.push_back(constant(star[axis]));
    else
      result.push_back(toI64(builder, loc, written[axis]));
  }
  return result;
}

/// Extents beyond the `mapped` loops would repeat every iteration: they count for the last loop, unless the compiler
/// chooses its extent anyway.
void foldExtents(OpBuilder &builder, Location loc, ValueRange written, unsigned mapped, SmallVector<Value> &extents) {
  for (unsigned axis = mapped; axis < std::min<size_t>(written.size(), 3); ++axis) {
    if (!isStar(written, mapped - 1))
      extents[mapped - 1] = arith::MulIOp::create(builder, loc, extents[mapped - 1], extents[axis]);
    extents[axis] = arith::ConstantIntOp::create(builder, loc, 1, 64);
  }
}

/// How many iterations `loop` has, if that is known.
std::optional<int64_t> tripsOf(cuf::KernelOp kernel, unsigned loop) {
  return knownTrips(kernel.getLowerbound()[loop], kernel.getUpperbound()[loop], kernel.getStep()[loop]);
}

/// True if the shape of the block is left to the compiler, and has two axes.
bool isShapeChosen(cuf::KernelOp kernel, unsigned mapped) {
  return mapped > 1 && isStar(kernel.getBlock(), 0) && isStar(kernel.getBlock(), 1);
}

bool isShort(std::optional<int64_t> trips) { return trips && *trips > 0 && *trips <= warpSize; }

/// True if the loops of `kernel` write nothing but `scalars` and variables of their own.
bool onlyReduces(cuf::KernelOp kernel, const Scalars &scalars) {
  auto isOwn = [&](Value place) {
    if (llvm::is_contained(scalars.reductions, place) || llvm::is_contained(scalars.privates, place))
      return true;
    if (auto declare = place.getDefiningOp<fir::DeclareOp>())
      place = declare.getMemref();
    return place.getDefiningOp<fir::AllocaOp>() && kernel.getRegion().isAncestor(place.getParentRegion());
  };
  auto found = kernel.getRegion().walk([&](Operation *op) {
    auto store = dyn_cast<fir::StoreOp>(op);
    bool isHarmless =
        store ? isOwn(store.getMemref())
              : isa<fir::LoadOp>(op) || isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !found.wasInterrupted();
}

/// The loop that runs over x: the innermost one. Of four loops or more, the outermost run in each thread, one iteration
/// after the other (CUDA Fortran guide 2.11.1). Where nobody can tell, and all else is left to the compiler, a short
/// innermost one does, the components of a cell, say: over x it would leave lanes idle, and there would be fewer
/// threads.
unsigned loopOverX(cuf::KernelOp kernel, const Scalars &scalars) {
  unsigned innermost = kernel.getLowerbound().size() - 1;
  bool isChosen = true;
  for (unsigned axis = 0; axis < 3; ++axis)
    isChosen &= isStar(kernel.getGrid(), axis) && isStar(kernel.getBlock(), axis);
  bool staysInside = innermost >= 3 && isChosen && isShort(tripsOf(kernel, innermost)) && onlyReduces(kernel, scalars);
  return staysInside ? innermost - 1 : innermost;
}

/// A block for `*`, as far as it can be known. Where `loop`, over x, is shorter than a warp, a warp has several rows of
/// the loop around it.
std::array<int64_t, 3> blockFor(cuf::KernelOp kernel, unsigned loop, unsigned mapped) {
  std::optional<int64_t> trips = tripsOf(kernel, loop);
  if (mapped == 1)
    return {isShort(trips) ? warpSize : threadsOfBlock, 1, 1};
  if (!isShort(trips) || !isShapeChosen(kernel, mapped))
    return blockOfNests;
  int64_t x = llvm::PowerOf2Ceil(*trips);
  return {x, threadsOfBlock / x, 1};
}

/// Lets the host choose the same when the program runs.
void fitBlock(OpBuilder &builder, cuf::KernelOp kernel, unsigned loop, MutableArrayRef<Value> block) {
  Location loc = kernel.getLoc();
  Value first = kernel.getLowerbound()[loop], last = kernel.getUpperbound()[loop], step = kernel.getStep()[loop];
  Value span = arith::AddIOp::create(builder, loc, arith::SubIOp::create(builder, loc, last, first), step);
  Value trips = toI64(builder, loc, arith::DivSIOp::create(builder, loc, span, step));
  for (int64_t x = warpSize; x >= 1; x /= 2) {
    auto constant = [&](int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64).getResult(); };
    Value width = constant(x);
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, trips, width);
    auto fitted = [&](Value extent, Value usual) -> Value {
      auto select = arith::SelectOp::create(builder, loc, fits, extent, usual);
      select->setAttr(fittedBlockAttribute, builder.getUnitAttr());
      return select;
    };
    block[0] = fitted(width, block[0]);
    block[1] = fitted(constant(threadsOfBlock / x), block[1]);
  }
}

LogicalResult schedule(cuf::KernelOp kernel) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  unsigned loops = kernel.getLowerbound().size();
  unsigned mapped = std::min(loops, 3u);

  makeOptionalOperandsPresent(kernel);
  Scalars scalars;
  if (failed(hoistHostComponents(kernel)) || failed(classifyScalars(kernel, scalars)))
    return failure();

  unsigned overX = loopOverX(kernel, scalars);
  SmallVector<int64_t> axes(loops, -1);
  for (unsigned axis = 0; axis < mapped; ++axis)
    axes[overX - axis] = axis;
  int64_t cover[3] = {0, mapped > 1 ? 0 : 1, mapped > 2 ? 0 : 1};
  SmallVector<Value> grid = extents(builder, loc, kernel.getGrid(), cover);
  SmallVector<Value> block = extents(builder, loc, kernel.getBlock(), blockFor(kernel, overX, mapped));
  foldExtents(builder, loc, kernel.getGrid(), mapped, grid);
  foldExtents(builder, loc, kernel.getBlock(), mapped, block);
  bool isFitted = isShapeChosen(kernel, mapped) && !tripsOf(kernel, overX);
  if (isFitted)
    fitBlock(builder, kernel, overX, block);
  Value stream;
  if (kernel.getStream())
    stream = toI64(builder, loc, fir::LoadOp::create(builder, loc, kernel.getStream()));

  auto result = KernelLoopsOp::create(builder, loc, kernel.getLowerbound(), kernel.getUpperbound(), kernel.getStep(),
                                      grid, block, stream, scalars.reductions, scalars.privates, axes, scalars.kinds);
  if (isFitted)
    result->setAttr(fittedBlockAttribute, builder.getUnitAttr());
  result.getBody().takeBody(kernel.getRegion());
  for (Block &body : result.getBody())
    if (auto end = dyn_cast<fir::FirEndOp>(body.getTerminator())) {
      OpBuilder atEnd(end);
      LoopsEndOp::create(atEnd, end.getLoc());
      end.erase();
    }
  kernel.erase();
  return success();
}

struct ScheduleKernelLoopsPass : cufort::cufx::impl::ScheduleKernelLoopsBase<ScheduleKernelLoopsPass> {
  void runOnOperation() override {
    SmallVector<cuf::KernelOp> kernels;
    getOperation().walk([&](cuf::KernelOp kernel) { kernels.push_back(kernel); });
    for (cuf::KernelOp kernel : kernels)
      if (failed(schedule(kernel)))
        signalPassFailure();
  }
};

} // namespace
