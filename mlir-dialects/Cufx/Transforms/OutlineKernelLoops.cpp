// From cufx.kernel_loops to kernels and their launches.
//
// A kernel has one of two forms. Where the compiler chooses the grid, there is a thread for each iteration:
//
//   if place < count then i = first + place * step, body
//
// A grid has at most so many blocks on an axis: the host launches the kernel again for the iterations that are left.
// If that keeps the memory busier (KernelRounds), and there are enough iterations, a thread has several of one loop,
// the second from the inside, which follow each other, or that of a single loop, a block's threads apart:
//
//   if rounds == 1 then as above
//   else if the block has all its iterations then the bodies of all rounds, interleaved
//   else for each round: if place < count then body
//
// For grids that the user gives, and for reductions, whose threads are to have many iterations each, the kernel is a
// nest of loops, each of which starts at the thread's place on its axis and strides by the number of threads on it, so
// that every grid covers every iteration:
//
//   head(i):  if i <= upper bound then body else the head of the loop around it
//   latch:    i = i + stride * step, to head
//
// If a grid that is known when the program runs gives each iteration a thread, the host launches the first form.
//
// A reduction variable becomes a private partial result that starts at the neutral element; after the loops every
// thread hands its partial result to cufx.grid_reduce, which combines the grid's result with a variable in device
// memory. For a host variable, the host fetches the result and combines it.

#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HoistAddresses.h"
#include "mlir-dialects/Cufx/Transforms/HoistDescriptors.h"
#include "mlir-dialects/Cufx/Transforms/HostFrames.h"
#include "mlir-dialects/Cufx/Transforms/IterationTimes.h"
#include "mlir-dialects/Cufx/Transforms/KernelOutliner.h"
#include "mlir-dialects/Cufx/Transforms/KernelRounds.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_OUTLINEKERNELLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// The hardware's largest grid.
constexpr int64_t maxGrid[3] = {2147483647, 65535, 65535};
/// Elements that an iteration of a reduction loads for which its innermost loop is unrolled.
constexpr unsigned mostUnrolledLoads = 2;
constexpr int64_t reductionSlotBytes = 16;
/// Threads on an axis, and of a block, for kernels without loops: places are numbers of 32 bits.
constexpr int64_t maxPlaces = INT32_MAX, maxBlock = 1024;

/// Threads have several iterations each if there are so many for each thread that the device can have at a time. With
/// fewer, it takes longer until the last one has come to its end.
constexpr int64_t iterationsWorthRounds = 4;

} // namespace

LogicalResult KernelOutliner::run() {
  hoistDescriptors(loops);
  bodyHasLoops = hasInnerLoops();
  unrollsInnermost = reduces() && !bodyHasLoops && countLoadedElements() <= mostUnrolledLoads;
  bool isCovered = !reduces() && llvm::all_of(mappedLoops(), [&](unsigned loop) { return isChosen(loop); });
  if (isCovered && mappedLoops().size() == loopCount())
    mostRounds = roundsWorthwhile(loops);
  HoistedAddresses addresses = hoistAddresses(loops);
  for (const ArrayOrigin &origin : addresses.origins)
    captures.passAddress(origin.address, origin.hasOtherNames);
  if (failed(captures.analyse(boundsInKernel(isCovered))))
    return failure();
  // With several rounds there are several copies of the body already.
  if (mostRounds <= 1 || addresses.haveParts())
    strides.pass(loops, captures, addresses);
  if (isCovered) {
    createKernel(KernelForm::Once);
    launchInParts();
  } else if (reduces()) {
    createKernel(KernelForm::Strided);
    computeReductionGrid();
    launchReduction();
  } else {
    computeGrid();
    launchOverGrid();
  }
  loops.erase();
  return success();
}

//===-- Bounds ---------------------------------------------------------------------------------------------------===//

/// True if a loop bound, an index, is a value of at most 32 bits.
static bool isNarrowBound(Value bound) {
  if (auto value = fir::getIntIfConstant(bound))
    return llvm::isInt<32>(*value);
  auto convert = bound.getDefiningOp<fir::ConvertOp>();
  auto type = convert ? dyn_cast<IntegerType>(convert.getValue().getType()) : IntegerType();
  return type && type.getWidth() <= 32;
}

/// True if the loop variable is known to fit into 32 bits.
bool KernelOutliner::isNarrow(unsigned loop) {
  return isNarrowBound(loops.getLowerBounds()[loop]) && isNarrowBound(loops.getUpperBounds()[loop]);
}

bool KernelOutliner::isNeverNegative(unsigned loop) {
  auto step = fir::getIntIfConstant(loops.getSteps()[loop]);
  auto least = step && *step < 0 ? fir::getIntIfConstant(loops.getUpperBounds()[loop])
                                 : fir::getIntIfConstant(loops.getLowerBounds()[loop]);
  return step && least && *step && *least >= 0;
}

SmallVector<unsigned> KernelOutliner::loopsWhere(bool hasAxis) {
  return llvm::filter_to_vector(llvm::seq(loopCount()),
                                [&](unsigned loop) { return (loops.getAxes()[loop] >= 0) == hasAxis; });
}

/// True if the grid's extent for `loop` is left to the compiler.
bool KernelOutliner::isChosen(unsigned loop) {
  auto written = fir::getIntIfConstant(loops.getGrid()[axisOf(loop)]);
  return written && *written == 0;
}

/// True if both addresses are computed alike. What lies between two loads of a subscript is not looked at: this is for
/// guesses.
static bool looksTheSame(Value left, Value right) {
  Operation *one = left.getDefiningOp(), *other = right.getDefiningOp();
  if (left == right)
    return true;
  return one && other && one->getName() == other->getName() && one->getAttrs() == other->getAttrs() &&
         one->getNumOperands() == other->getNumOperands() &&
         cast<OpResult>(left).getResultNumber() == cast<OpResult>(right).getResultNumber() &&
         llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                      [](auto pair) { return looksTheSame(std::get<0>(pair), std::get<1>(pair)); });
}

/// True if an iteration has loops of its own, around which LLVM unrolls nothing; a constant number of rounds becomes
/// straight code.
bool KernelOutliner::hasInnerLoops() {
  auto isLoop = [](LoopLikeOpInterface inner) {
    auto loop = dyn_cast<fir::DoLoopOp>(inner.getOperation());
    bool isConstant = loop && fir::getIntIfConstant(loop.getLowerBound()) &&
                      fir::getIntIfConstant(loop.getUpperBound()) && fir::getIntIfConstant(loop.getStep());
    return isConstant ? WalkResult::advance() : WalkResult::interrupt();
  };
  return loops.getBody().walk(isLoop).wasInterrupted();
}

/// How many elements of arrays an iteration loads.
unsigned KernelOutliner::countLoadedElements() {
  SmallVector<Value> elements;
  loops.getBody().walk([&](fir::LoadOp load) {
    Value element = load.getMemref();
    if (element.getDefiningOp<fir::ArrayCoorOp>() &&
        llvm::none_of(elements, [&](Value other) { return looksTheSame(element, other); }))
      elements.push_back(element);
  });
  return elements.size();
}

/// What kernels need of the bounds; where every iteration has a thread, that is little for loops on axes.
SmallVector<Value> KernelOutliner::boundsInKernel(bool isCovered) {
  SmallVector<Value> result(loops.getSteps());
  for (unsigned loop = 0; loop < loopCount(); ++loop)
    if (!isCovered || loops.getAxes()[loop] < 0)
      result.append({loops.getLowerBounds()[loop], loops.getUpperBounds()[loop]});
  return result;
}

//===-- Host side ------------------------------------------------------------------------------------------------===//

Value KernelOutliner::iterations(OpBuilder &builder, unsigned loop) {
  Value lower = loops.getLowerBounds()[loop], upper = loops.getUpperBounds()[loop], step = loops.getSteps()[loop];
  Value span = arith::SubIOp::create(builder, loc, upper, lower);
  span = arith::AddIOp::create(builder, loc, span, step);
  Value count = arith::DivSIOp::create(builder, loc, span, step);
  return fir::ConvertOp::create(builder, loc, builder.getI64Type(), count);
}

/// Blocks of `threads` that `count` threads fill.
Value KernelOutliner::blocksFor(OpBuilder &builder, Value count, Value threads) {
  Value last = arith::SubIOp::create(builder, loc, threads, constant(builder, 1));
  Value rounded = arith::AddIOp::create(builder, loc, count, last);
  return arith::DivSIOp::create(builder, loc, rounded, threads);
}

/// At least one block: a block of no threads is an error of the launch, not a division by zero here.
Value KernelOutliner::neededBlocks(unsigned loop) {
  return atLeastOne(blocksFor(host, iterations(host, loop), atLeastOne(block[axisOf(loop)])));
}

Value KernelOutliner::atLeastOne(Value value) { return arith::MaxSIOp::create(host, loc, value, constant(host, 1)); }

/// Grid extents: as given, or enough blocks for all iterations within the limits.
void KernelOutliner::computeGrid() {
  for (unsigned loop : mappedLoops())
    if (isChosen(loop))
      grid[axisOf(loop)] =
          arith::MinSIOp::create(host, loc, neededBlocks(loop), constant(host, maxGrid[gridAxes[axisOf(loop)]]));
}

/// Extents that are left to the compiler are the runtime's choice, which knows how many blocks the device takes.
void KernelOutliner::computeReductionGrid() {
  Value one = constant(host, 1), given = one;
  Value needed[3] = {one, one, one};
  for (unsigned loop : mappedLoops()) {
    if (isChosen(loop))
      needed[axisOf(loop)] = neededBlocks(loop);
    else
      given = arith::MulIOp::create(host, loc, given, atLeastOne(grid[axisOf(loop)]));
  }
  SmallVector<Value> arguments = reductionArguments(fir::ZeroOp::create(host, loc, byteReference()));
  Type i64 = host.getI64Type();
  auto chosen = ReductionGridOp::create(host, loc, i64, i64, i64, kernel.getSymName(), needed[0], needed[1], needed[2],
                                        given, block[0], block[1], block[2], loops.getReductions().size(), arguments);
  if (areUneven(loops))
    chosen->setAttr(unevenAttribute, host.getUnitAttr());
  chosen->setAttr(costAttribute, host.getI32IntegerAttr(costOfIteration(loops)));
  for (unsigned loop : mappedLoops())
    if (isChosen(loop))
      grid[axisOf(loop)] = chosen->getResult(axisOf(loop));
}

static bool isConstant(Value extent) {
  while (auto convert = extent.getDefiningOp<fir::ConvertOp>())
    extent = convert.getValue();
  return fir::getIntIfConstant(extent).has_value();
}

/// Adds what a kernel without loops needs of `loop`: the first iteration of a part, and how many the part has.
void KernelOutliner::addPart(OpBuilder &builder, unsigned loop, Value first, Value count,
                             SmallVectorImpl<Value> &arguments) {
  Type type = isNarrow(loop) ? builder.getI32Type() : builder.getI64Type();
  arguments.push_back(fir::ConvertOp::create(builder, loc, type, first));
  arguments.push_back(fir::ConvertOp::create(builder, loc, builder.getI32Type(), count));
}

/// How many iterations each thread has: one, unless all threads that the device can have at a time are busy with more.
Value KernelOutliner::roundsNow(OpBuilder &builder) {
  Value all = constant(builder, 1);
  for (unsigned loop : mappedLoops())
    all = arith::MulIOp::create(builder, loc, all, iterations(builder, loop));
  Value atOnce = ThreadsAtOnceOp::create(builder, loc, builder.getI64Type());
  Value most = constant(builder, mostRounds);
  Value enough = arith::MulIOp::create(builder, loc, atOnce, constant(builder, iterationsWorthRounds));
  Value areMany = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, all, enough);
  return arith::SelectOp::create(builder, loc, areMany, most, constant(builder, 1));
}

/// Launches over as many iterations at a time as a grid can have threads; nearly always over all of them.
void KernelOutliner::launchInParts() {
  OpBuilder builder = host;
  SmallVector<Value> parts;
  Value rounds = mostRounds > 1 ? roundsNow(builder) : Value();
  for (unsigned loop : mappedLoops()) {
    unsigned axis = axisOf(loop);
    Value threads = arith::MaxSIOp::create(builder, loc, block[axis], constant(builder, 1));
    threads = arith::MinSIOp::create(builder, loc, threads, constant(builder, maxBlock));
    Value share = hasRounds(loop) ? arith::MulIOp::create(builder, loc, threads, rounds).getResult() : threads;
    Value blocks = arith::DivSIOp::create(builder, loc, constant(builder, maxPlaces), share);
    blocks = arith::MinSIOp::create(builder, loc, blocks, constant(builder, maxGrid[gridAxes[axis]]));
    Value most = arith::MulIOp::create(builder, loc, blocks, share);
    Value all = iterations(builder, loop);
    auto index = [&](Value value) { return fir::ConvertOp::create(builder, loc, builder.getIndexType(), value); };
    Value last = arith::SubIOp::create(builder, loc, all, constant(builder, 1));
    Value begin = arith::ConstantIndexOp::create(builder, loc, 0);
    auto partLoop = fir::DoLoopOp::create(builder, loc, begin, index(last), index(most));
    builder.setInsertionPointToStart(partLoop.getBody());
    Value done = partLoop.getInductionVar();
    Value distance = arith::MulIOp::create(builder, loc, done, loops.getSteps()[loop]);
    Value first = arith::AddIOp::create(builder, loc, loops.getLowerBounds()[loop], distance);
    Value rest = arith::SubIOp::create(builder, loc, all, fir::ConvertOp::create(builder, loc, all.getType(), done));
    Value count = arith::MinSIOp::create(builder, loc, rest, most);
    grid[axis] = blocksFor(builder, count, share);
    addPart(builder, loop, first, count, parts);
  }
  SmallVector<Value> arguments(captures.arguments());
  arguments.append(parts);
  if (rounds)
    arguments.push_back(fir::ConvertOp::create(builder, loc, builder.getI32Type(), rounds));
  createLaunch(builder, arguments);
}

/// True if a grid that was given has a thread for each iteration, and no more than kernels without loops count.
Value KernelOutliner::coversLoops() {
  Value result;
  auto require = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value holds = arith::CmpIOp::create(host, loc, predicate, left, right);
    result = result ? arith::AndIOp::create(host, loc, result, holds).getResult() : holds;
  };
  for (unsigned loop : mappedLoops()) {
    Value threads = arith::MulIOp::create(host, loc, grid[axisOf(loop)], block[axisOf(loop)]);
    require(arith::CmpIPredicate::sge, threads, iterations(host, loop));
    require(arith::CmpIPredicate::sle, threads, constant(host, maxPlaces));
  }
  return result;
}

/// Whoever gives a number of blocks as a constant wants them to go over the loops by strides.
bool KernelOutliner::alwaysStrides() {
  return reduces() || llvm::any_of(mappedLoops(), [&](unsigned loop) {
           return !isChosen(loop) && isConstant(loops.getGrid()[axisOf(loop)]);
         });
}

void KernelOutliner::launchOverGrid() {
  if (alwaysStrides()) {
    createKernel(KernelForm::Strided);
    return createLaunch(host, captures.arguments());
  }
  auto either = fir::IfOp::create(host, loc, coversLoops(), /*withElseRegion=*/true);
  OpBuilder once = either.getThenBodyBuilder(), strided = either.getElseBodyBuilder();
  createKernel(KernelForm::Once);
  SmallVector<Value> arguments(captures.arguments());
  for (unsigned loop : mappedLoops())
    addPart(once, loop, loops.getLowerBounds()[loop], iterations(once, loop), arguments);
  createLaunch(once, arguments);
  createKernel(KernelForm::Strided);
  createLaunch(strided, captures.arguments());
}

/// Launches `kernel`.
void KernelOutliner::createLaunch(OpBuilder &builder, ArrayRef<Value> arguments) {
  auto symbol = SymbolRefAttr::get(kernel.getSymNameAttr());
  Value extents[3];
  for (auto [axis, extent] : llvm::zip(gridAxes, grid))
    if (axis >= 0)
      extents[axis] = extent;
  for (Value &extent : extents)
    if (!extent)
      extent = constant(builder, 1);
  LaunchOp::create(builder, loc, symbol, extents[0], extents[1], extents[2], block[0], block[1], block[2], Value(),
                   loops.getStream(), arguments, DenseI64ArrayAttr(), /*cooperative=*/false);
}

Type KernelOutliner::byteReference() { return fir::ReferenceType::get(host.getI8Type()); }

/// The arguments of a kernel that has `memory` for what its blocks come to.
SmallVector<Value> KernelOutliner::reductionArguments(Value memory) {
  SmallVector<Value> arguments(captures.arguments());
  arguments.push_back(memory);
  arguments.append(variables);
  return arguments;
}

void KernelOutliner::launchReduction() {
  int32_t count = loops.getReductions().size();
  Value blocks = arith::MulIOp::create(host, loc, grid[0], grid[1]);
  blocks = arith::MulIOp::create(host, loc, blocks, grid[2]);
  scratch = ReductionScratchOp::create(host, loc, byteReference(), blocks, count, loops.getStream());
  createLaunch(host, reductionArguments(scratch));
  finishOnHost();
}

/// Waits for results that the host needs, and gives the scratch memory back.
void KernelOutliner::finishOnHost() {
  if (llvm::all_of(loops.getReductions(), isDeviceAddressable)) {
    bool isManaged = !llvm::all_of(loops.getReductions(), isHiddenFromHost);
    ReductionReleaseOp::create(host, loc, scratch, isManaged, loops.getStream());
    return;
  }
  int32_t count = loops.getReductions().size();
  OpBuilder entry = OpBuilder::atBlockBegin(&startOfFrame(loops));
  auto slots = fir::SequenceType::get({count * reductionSlotBytes / 8}, host.getI64Type());
  Value results = fir::AllocaOp::create(entry, loc, slots);
  Value bytes = fir::ConvertOp::create(host, loc, scratch.getType(), results);
  ReductionFetchOp::create(host, loc, bytes, scratch, count, loops.getStream());
  combineOnHost(results);
}

/// variable = slot i combined with variable, for variables of the host.
void KernelOutliner::combineOnHost(Value results) {
  for (auto [index, variable] : llvm::enumerate(loops.getReductions())) {
    if (isDeviceAddressable(variable))
      continue;
    Type type = fir::unwrapRefType(variable.getType());
    Value at = arith::ConstantIndexOp::create(host, loc, index * reductionSlotBytes / 8);
    Value slot = fir::CoordinateOp::create(host, loc, fir::ReferenceType::get(host.getI64Type()), results, at);
    slot = fir::ConvertOp::create(host, loc, fir::ReferenceType::get(type), slot);
    auto kind = static_cast<ReductionKind>(loops.getReductionKinds()[index]);
    Value old = fir::LoadOp::create(host, loc, variable);
    Value gridResult = fir::LoadOp::create(host, loc, slot);
    fir::StoreOp::create(host, loc, createCombine(host, loc, kind, gridResult, old), variable);
  }
}

namespace {

struct OutlineKernelLoopsPass : cufort::cufx::impl::OutlineKernelLoopsBase<OutlineKernelLoopsPass> {
  void runOnOperation() override {
    SmallVector<KernelLoopsOp> found;
    getOperation().walk([&](KernelLoopsOp loops) { found.push_back(loops); });
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (KernelLoopsOp loops : found) {
      unsigned number = ++numbers[loops->getParentOfType<func::FuncOp>()];
      if (failed(KernelOutliner(loops, number).run()))
        signalPassFailure();
    }
  }
};

} // namespace
