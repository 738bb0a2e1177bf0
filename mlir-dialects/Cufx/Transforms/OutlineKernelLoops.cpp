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

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HoistAddresses.h"
#include "mlir-dialects/Cufx/Transforms/HoistDescriptors.h"
#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
#include "mlir-dialects/Cufx/Transforms/KernelRounds.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_OUTLINEKERNELLOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Largest grids: the hardware's, and what keeps the second stage of a reduction short.
constexpr int64_t maxGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t maxReductionGrid[3][3] = {{2048, 1, 1}, {64, 32, 1}, {32, 16, 4}};
constexpr int64_t maxReductionBlocks = 2048;
/// Rounds of an unrolled innermost loop.
constexpr int64_t rounds = 16;
constexpr int64_t reductionSlotBytes = 16;
/// Threads on an axis, and of a block, for kernels without loops: places are numbers of 32 bits.
constexpr int64_t maxPlaces = INT32_MAX, maxBlock = 1024;

/// What a thread does: one iteration, or all those that it comes to by strides.
enum class Form { Once, Strided };

/// What one loop of the nest counts: the loop variable itself if the sign of its step is known, and iterations
/// otherwise.
struct Counter {
  Value first, increment, limit;
  arith::CmpIPredicate goesOn; ///< counter goesOn limit
  Value trips;                 ///< how often the thread runs the loop; null if that is not worth knowing
};

class Outliner {
public:
  Outliner(KernelLoopsOp loops, unsigned number)
      : loops(loops), loc(loops.getLoc()), number(number), host(loops), captures(loops), grid(loops.getGrid()),
        block(loops.getBlock()) {}

  LogicalResult run() {
    hoistDescriptors(loops);
    unrollsInnermost = reduces() && countLoadedElements() <= 1;
    bool isCovered = !reduces() && llvm::all_of(mappedLoops(), [&](unsigned loop) { return isChosen(loop); });
    if (isCovered && mappedLoops().size() == loopCount())
      mostRounds = roundsWorthwhile(loops);
    for (const ArrayOrigin &origin : hoistAddresses(loops))
      captures.passAddress(origin.address, origin.hasOtherNames);
    if (failed(captures.analyse(boundsInKernel(isCovered))))
      return failure();
    if (isCovered) {
      createKernel(Form::Once);
      launchInParts();
    } else {
      computeGrid();
      launchOverGrid();
    }
    loops.erase();
    return success();
  }

private:
  Value constant(OpBuilder &builder, int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  unsigned loopCount() { return loops.getAxes().size(); }
  SmallVector<unsigned> loopsWhere(bool hasAxis);
  SmallVector<unsigned> mappedLoops() { return loopsWhere(/*hasAxis=*/true); }
  unsigned axisOf(unsigned loop) { return loops.getAxes()[loop]; }
  bool isChosen(unsigned loop);
  bool isNarrow(unsigned loop);
  bool isNeverNegative(unsigned loop);
  SmallVector<Value> boundsInKernel(bool isCovered);
  unsigned countLoadedElements();
  bool reduces() { return !loops.getReductions().empty(); }
  unsigned scratchIndex() { return captures.arguments().size(); }
  bool hasRounds(unsigned loop) { return mostRounds > 1 && axisOf(loop) == (loopCount() > 1 ? 1u : 0u); }

  // Host side
  Value iterations(OpBuilder &builder, unsigned loop);
  Value blocksFor(OpBuilder &builder, Value count, Value threads);
  void computeGrid();
  void computeGridOfLongLoops();
  bool alwaysStrides();
  void launchOverGrid();
  Value coversLoops();
  Value roundsNow(OpBuilder &builder);
  void launchInParts();
  void addPart(OpBuilder &builder, unsigned loop, Value first, Value count, SmallVectorImpl<Value> &arguments);
  void createLaunch(OpBuilder &builder, ArrayRef<Value> arguments);
  void launchReduction();
  void finishOnHost();
  void combineOnHost(Value results);

  // Kernel
  void createKernel(Form form);
  func::FuncOp createFunction(Form form);
  void initialiseReductions(OpBuilder &builder, IRMapping &mapping);
  Value variableInKernel(OpBuilder &builder, Value variable);
  bool isUnrolled(unsigned loop) { return unrollsInnermost && loop + 1 == loopCount(); }
  Value tripsOf(OpBuilder &builder, const Counter &counter, unsigned loop);
  Block *createLoop(Block *entry, Block *exit, unsigned loop, const Counter &counter, IRMapping &mapping,
                    Value &variable, Block *&latch);
  Block *createLoops(Block *entry, Block *exit, ArrayRef<unsigned> nest, IRMapping &mapping,
                     MutableArrayRef<Value> variables);
  Block *createOnce(Block *entry, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables);
  Value extent(OpBuilder &builder, Extent what, unsigned axis);
  Value narrowPosition(OpBuilder &builder, unsigned axis);
  Value positionInRound(OpBuilder &builder, unsigned axis, Value round);
  std::pair<Value, Value> partOf(unsigned loop);
  Value bothOf(OpBuilder &builder, Value left, Value right);
  Value isInside(OpBuilder &builder, unsigned loop, Value place);
  void createRounds(Block *entry, Block *exit, IRMapping &mapping);
  unsigned loopWithRounds();
  void createTile(Block *tile, Block *whole, Block *part, Block *exit, IRMapping &mapping,
                  MutableArrayRef<Value> variables);
  void createWhole(Block *whole, Block *exit, MutableArrayRef<IRMapping> mappings, ArrayRef<Value> variables);
  void mapVariables(OpBuilder &builder, IRMapping &mapping, unsigned round, ArrayRef<Value> variables);
  void createPart(Block *part, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables);
  Value variableAt(OpBuilder &builder, unsigned loop, Value place, IRMapping &mapping);
  void cloneBody(Block *innermost, Block *latch, IRMapping mapping, ArrayRef<Value> variables, Block *exit);
  void finishReductions(OpBuilder &builder, IRMapping &mapping);
  Value position(OpBuilder &builder, int64_t axis, Value &stride);
  Counter counterOf(OpBuilder &builder, unsigned loop, IRMapping &mapping);
  void forEachNarrowUse(BlockArgument argument, unsigned loop, llvm::function_ref<void(fir::ConvertOp)> use);
  Value narrowed(OpBuilder &builder, Value variable, unsigned loop, Type type);

  KernelLoopsOp loops;
  Location loc;
  unsigned number;
  OpBuilder host;
  KernelCaptures captures;
  SmallVector<Value> grid, block; ///< extents, where they are known
  Value scratch;
  SmallVector<Value> variables; ///< of reductions in device memory, which are kernel arguments
  func::FuncOp kernel;
  Block *innermostLatch = nullptr;
  /// Threads of a reduction have many iterations each, and LLVM unrolls their loop if it knows how many. That pays
  /// where one load at a time does not keep the memory busy; with more loads, it costs registers and so blocks.
  bool unrollsInnermost = false;
  /// Iterations that a thread may have in a kernel without loops.
  unsigned mostRounds = 1;
};

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
bool Outliner::isNarrow(unsigned loop) {
  return isNarrowBound(loops.getLowerBounds()[loop]) && isNarrowBound(loops.getUpperBounds()[loop]);
}

bool Outliner::isNeverNegative(unsigned loop) {
  auto step = fir::getIntIfConstant(loops.getSteps()[loop]);
  auto least = step && *step < 0 ? fir::getIntIfConstant(loops.getUpperBounds()[loop])
                                 : fir::getIntIfConstant(loops.getLowerBounds()[loop]);
  return step && least && *step && *least >= 0;
}

SmallVector<unsigned> Outliner::loopsWhere(bool hasAxis) {
  return llvm::filter_to_vector(llvm::seq(loopCount()),
                                [&](unsigned loop) { return (loops.getAxes()[loop] >= 0) == hasAxis; });
}

/// True if the grid's extent for `loop` is left to the compiler.
bool Outliner::isChosen(unsigned loop) {
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

/// How many elements of arrays an iteration loads.
unsigned Outliner::countLoadedElements() {
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
SmallVector<Value> Outliner::boundsInKernel(bool isCovered) {
  SmallVector<Value> result(loops.getSteps());
  for (unsigned loop = 0; loop < loopCount(); ++loop)
    if (!isCovered || loops.getAxes()[loop] < 0)
      result.append({loops.getLowerBounds()[loop], loops.getUpperBounds()[loop]});
  return result;
}

//===-- Host side ------------------------------------------------------------------------------------------------===//

Value Outliner::iterations(OpBuilder &builder, unsigned loop) {
  Value lower = loops.getLowerBounds()[loop], upper = loops.getUpperBounds()[loop], step = loops.getSteps()[loop];
  Value span = arith::SubIOp::create(builder, loc, upper, lower);
  span = arith::AddIOp::create(builder, loc, span, step);
  Value count = arith::DivSIOp::create(builder, loc, span, step);
  return fir::ConvertOp::create(builder, loc, builder.getI64Type(), count);
}

/// Blocks of `threads` that `count` threads fill.
Value Outliner::blocksFor(OpBuilder &builder, Value count, Value threads) {
  Value last = arith::SubIOp::create(builder, loc, threads, constant(builder, 1));
  Value rounded = arith::AddIOp::create(builder, loc, count, last);
  return arith::DivSIOp::create(builder, loc, rounded, threads);
}

/// A grid for nests whose innermost loop is unrolled: each thread is to have a number of rounds of it, as far as the
/// outer loops leave enough for all blocks.
void Outliner::computeGridOfLongLoops() {
  Value left = constant(host, maxReductionBlocks), outer = constant(host, 1);
  auto atLeastOne = [&](Value value) { return arith::MaxSIOp::create(host, loc, value, constant(host, 1)); };
  SmallVector<Value> needed;
  for (unsigned loop : mappedLoops()) {
    needed.push_back(atLeastOne(blocksFor(host, iterations(host, loop), atLeastOne(block[axisOf(loop)]))));
    if (loop + 1 < loopCount())
      outer = arith::MulIOp::create(host, loc, outer, arith::MinSIOp::create(host, loc, needed.back(), left));
  }
  outer = arith::MinSIOp::create(host, loc, outer, left);
  for (unsigned loop : llvm::reverse(mappedLoops())) {
    Value most = needed.pop_back_val();
    bool isInnermost = loop + 1 == loopCount();
    if (isInnermost) {
      Value fewest = arith::DivSIOp::create(host, loc, left, outer);
      most = arith::MinSIOp::create(
          host, loc, most, arith::MaxSIOp::create(host, loc, fewest, blocksFor(host, most, constant(host, rounds))));
    }
    grid[axisOf(loop)] = arith::MinSIOp::create(host, loc, most, left);
    left = atLeastOne(arith::DivSIOp::create(host, loc, left, grid[axisOf(loop)]));
  }
}

/// Grid extents: as given, or enough blocks for all iterations within the limits.
void Outliner::computeGrid() {
  if (unrollsInnermost && loopCount() > 1 && llvm::all_of(mappedLoops(), [&](unsigned loop) { return isChosen(loop); }))
    return computeGridOfLongLoops();
  for (unsigned loop : mappedLoops()) {
    if (!isChosen(loop))
      continue;
    unsigned axis = axisOf(loop);
    int64_t limit = reduces() ? maxReductionGrid[mappedLoops().size() - 1][axis] : maxGrid[axis];
    // A block of no threads is an error of the launch, not a division by zero here.
    Value threads = arith::MaxSIOp::create(host, loc, block[axis], constant(host, 1));
    Value blocks = blocksFor(host, iterations(host, loop), threads);
    blocks = arith::MinSIOp::create(host, loc, blocks, constant(host, limit));
    grid[axis] = arith::MaxSIOp::create(host, loc, blocks, constant(host, 1));
  }
}

static bool isConstant(Value extent) {
  while (auto convert = extent.getDefiningOp<fir::ConvertOp>())
    extent = convert.getValue();
  return fir::getIntIfConstant(extent).has_value();
}

/// Adds what a kernel without loops needs of `loop`: the first iteration of a part, and how many the part has.
void Outliner::addPart(OpBuilder &builder, unsigned loop, Value first, Value count, SmallVectorImpl<Value> &arguments) {
  Type type = isNarrow(loop) ? builder.getI32Type() : builder.getI64Type();
  arguments.push_back(fir::ConvertOp::create(builder, loc, type, first));
  arguments.push_back(fir::ConvertOp::create(builder, loc, builder.getI32Type(), count));
}

/// How many iterations each thread has: one, unless all threads that the device can have at a time are busy with more.
Value Outliner::roundsNow(OpBuilder &builder) {
  Value all = constant(builder, 1);
  for (unsigned loop : mappedLoops())
    all = arith::MulIOp::create(builder, loc, all, iterations(builder, loop));
  Value atOnce = ThreadsAtOnceOp::create(builder, loc, builder.getI64Type());
  Value most = constant(builder, mostRounds);
  Value enough = arith::MulIOp::create(builder, loc, atOnce, most);
  Value areMany = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, all, enough);
  return arith::SelectOp::create(builder, loc, areMany, most, constant(builder, 1));
}

/// Launches over as many iterations at a time as a grid can have threads; nearly always over all of them.
void Outliner::launchInParts() {
  OpBuilder builder = host;
  SmallVector<Value> parts;
  Value rounds = mostRounds > 1 ? roundsNow(builder) : Value();
  for (unsigned loop : mappedLoops()) {
    unsigned axis = axisOf(loop);
    Value threads = arith::MaxSIOp::create(builder, loc, block[axis], constant(builder, 1));
    threads = arith::MinSIOp::create(builder, loc, threads, constant(builder, maxBlock));
    Value share = hasRounds(loop) ? arith::MulIOp::create(builder, loc, threads, rounds).getResult() : threads;
    Value blocks = arith::DivSIOp::create(builder, loc, constant(builder, maxPlaces), share);
    blocks = arith::MinSIOp::create(builder, loc, blocks, constant(builder, maxGrid[axis]));
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
Value Outliner::coversLoops() {
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
bool Outliner::alwaysStrides() {
  return reduces() || llvm::any_of(mappedLoops(), [&](unsigned loop) {
           return !isChosen(loop) && isConstant(loops.getGrid()[axisOf(loop)]);
         });
}

void Outliner::launchOverGrid() {
  if (alwaysStrides()) {
    createKernel(Form::Strided);
    return reduces() ? launchReduction() : createLaunch(host, captures.arguments());
  }
  auto either = fir::IfOp::create(host, loc, coversLoops(), /*withElseRegion=*/true);
  OpBuilder once = either.getThenBodyBuilder(), strided = either.getElseBodyBuilder();
  createKernel(Form::Once);
  SmallVector<Value> arguments(captures.arguments());
  for (unsigned loop : mappedLoops())
    addPart(once, loop, loops.getLowerBounds()[loop], iterations(once, loop), arguments);
  createLaunch(once, arguments);
  createKernel(Form::Strided);
  createLaunch(strided, captures.arguments());
}

/// Launches `kernel`.
void Outliner::createLaunch(OpBuilder &builder, ArrayRef<Value> arguments) {
  auto symbol = SymbolRefAttr::get(kernel.getSymNameAttr());
  LaunchOp::create(builder, loc, symbol, grid[0], grid[1], grid[2], block[0], block[1], block[2], Value(),
                   loops.getStream(), arguments, DenseI64ArrayAttr(), /*cooperative=*/false);
}

void Outliner::launchReduction() {
  SmallVector<Value> arguments(captures.arguments());
  int32_t count = loops.getReductions().size();
  Value blocks = arith::MulIOp::create(host, loc, grid[0], grid[1]);
  blocks = arith::MulIOp::create(host, loc, blocks, grid[2]);
  Type byteReference = fir::ReferenceType::get(host.getI8Type());
  scratch = ReductionScratchOp::create(host, loc, byteReference, blocks, count, loops.getStream());
  arguments.push_back(scratch);
  arguments.append(variables);
  createLaunch(host, arguments);
  finishOnHost();
}

/// Waits for results that the host needs, and gives the scratch memory back.
void Outliner::finishOnHost() {
  if (llvm::all_of(loops.getReductions(), isDeviceAddressable)) {
    bool isManaged = !llvm::all_of(loops.getReductions(), isHiddenFromHost);
    ReductionReleaseOp::create(host, loc, scratch, isManaged, loops.getStream());
    return;
  }
  int32_t count = loops.getReductions().size();
  OpBuilder entry = OpBuilder::atBlockBegin(&loops->getParentOfType<func::FuncOp>().front());
  auto slots = fir::SequenceType::get({count * reductionSlotBytes / 8}, host.getI64Type());
  Value results = fir::AllocaOp::create(entry, loc, slots);
  Value bytes = fir::ConvertOp::create(host, loc, scratch.getType(), results);
  ReductionFetchOp::create(host, loc, bytes, scratch, count, loops.getStream());
  combineOnHost(results);
}

/// variable = variable combined with slot i, for variables of the host.
void Outliner::combineOnHost(Value results) {
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
    fir::StoreOp::create(host, loc, createCombine(host, loc, kind, old, gridResult), variable);
  }
}

//===-- Kernel ---------------------------------------------------------------------------------------------------===//

/// The kernel without a body.
func::FuncOp Outliner::createFunction(Form form) {
  auto module = loops->getParentOfType<ModuleOp>();
  auto parent = loops->getParentOfType<func::FuncOp>();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types;
  for (Value argument : captures.arguments())
    types.push_back(argument.getType());
  if (reduces())
    types.push_back(fir::ReferenceType::get(host.getI8Type()));
  for (Value variable : loops.getReductions())
    if (isDeviceAddressable(variable) && !globalOfDevice(variable)) {
      variables.push_back(variable);
      types.push_back(variable.getType());
    }
  if (form == Form::Once)
    for (unsigned loop : mappedLoops())
      types.append({isNarrow(loop) ? builder.getI32Type() : builder.getI64Type(), builder.getI32Type()});
  if (mostRounds > 1)
    types.push_back(builder.getI32Type());
  bool isSecond = form == Form::Strided && !alwaysStrides();
  std::string name = ("_QQcufkernel_" + parent.getSymName() + "_" + llvm::Twine(number) + (isSecond ? "s" : "")).str();
  return func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
}

void Outliner::createKernel(Form form) {
  kernel = createFunction(form);
  MLIRContext *context = kernel.getContext();
  kernel->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(context, cuf::ProcAttribute::Global));
  auto device = cuf::DataAttributeAttr::get(context, cuf::DataAttribute::Device);
  for (unsigned index = 0; index < captures.arguments().size(); ++index) {
    if (captures.parameter(index).passing == KernelCaptures::Passing::Address)
      kernel.setArgAttr(index, cuf::getDataAttrName(), device);
    if (captures.parameter(index).hasOtherNames)
      kernel.setArgAttr(index, fir::getTargetAttrName(), UnitAttr::get(context));
  }
  for (unsigned index = 0; index < variables.size(); ++index)
    kernel.setArgAttr(scratchIndex() + 1 + index, cuf::getDataAttrName(), device);

  Block *entry = kernel.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(entry);
  IRMapping mapping;
  captures.materialise(builder, loc, entry->getArguments(), mapping);
  initialiseReductions(builder, mapping);
  Block *exit = new Block();
  SmallVector<Value> variables(loopCount());
  if (mostRounds > 1) {
    kernel->setAttr(roundsAttribute, UnitAttr::get(context));
    createRounds(entry, exit, mapping);
  } else {
    Block *innermost = form == Form::Once
                           ? createOnce(entry, exit, mapping, variables)
                           : createLoops(entry, exit, llvm::to_vector(llvm::seq(loopCount())), mapping, variables);
    cloneBody(innermost, innermostLatch, mapping, variables, exit);
  }

  builder.setInsertionPointToEnd(exit);
  finishReductions(builder, mapping);
  func::ReturnOp::create(builder, loc);
}

void Outliner::initialiseReductions(OpBuilder &builder, IRMapping &mapping) {
  for (auto [variable, kind] : llvm::zip(loops.getReductions(), loops.getReductionKinds())) {
    Type type = fir::unwrapRefType(variable.getType());
    Value neutral = createNeutral(builder, loc, static_cast<ReductionKind>(kind), type);
    fir::StoreOp::create(builder, loc, neutral, mapping.lookup(variable));
  }
}

/// The thread's place on `axis`, counted from 0, and how many threads there are on it.
Value Outliner::position(OpBuilder &builder, int64_t axis, Value &stride) {
  Type index = builder.getIndexType();
  if (axis < 0) {
    stride = arith::ConstantIndexOp::create(builder, loc, 1);
    return arith::ConstantIndexOp::create(builder, loc, 0);
  }
  auto read = [&](Extent what) -> Value {
    Value value = ExtentOp::create(builder, loc, builder.getI32Type(), what, static_cast<Axis>(axis));
    return fir::ConvertOp::create(builder, loc, index, value);
  };
  Value blockDim = read(Extent::BlockDim);
  stride = arith::MulIOp::create(builder, loc, blockDim, read(Extent::GridDim));
  Value first = arith::MulIOp::create(builder, loc, read(Extent::BlockIdx), blockDim);
  return arith::AddIOp::create(builder, loc, first, read(Extent::ThreadIdx));
}

Counter Outliner::counterOf(OpBuilder &builder, unsigned loop, IRMapping &mapping) {
  Value lower = mapping.lookup(loops.getLowerBounds()[loop]);
  Value upper = mapping.lookup(loops.getUpperBounds()[loop]);
  Value step = mapping.lookup(loops.getSteps()[loop]);
  Value stride;
  Value place = position(builder, loops.getAxes()[loop], stride);
  if (loops.getAxes()[loop] >= 0) {
    auto axis = static_cast<Axis>(loops.getAxes()[loop]);
    Type index = builder.getIndexType();
    auto share = ShareOp::create(builder, loc, index, index, index, axis, place, stride, lower, upper, step);
    place = share.getFirst(), stride = share.getStride(), upper = share.getLast();
  }
  // In a nest, counting variables makes LLVM keep an address for each array and loop: with the last step of a reduction
  // that is so many registers that fewer blocks fit.
  auto known = fir::getIntIfConstant(loops.getSteps()[loop]);
  bool countsVariable = known && *known && (isUnrolled(loop) || !(reduces() && loopCount() > 1));
  Counter counter;
  if (countsVariable) {
    Value first = arith::AddIOp::create(builder, loc, lower, arith::MulIOp::create(builder, loc, place, step));
    counter = {first, arith::MulIOp::create(builder, loc, stride, step), upper,
               *known > 0 ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge, Value()};
  } else {
    Value span = arith::SubIOp::create(builder, loc, upper, lower);
    span = arith::AddIOp::create(builder, loc, span, step);
    counter = {place, stride, arith::DivSIOp::create(builder, loc, span, step), arith::CmpIPredicate::slt, Value()};
  }
  if (isUnrolled(loop))
    counter.trips = tripsOf(builder, counter, loop);
  return counter;
}

/// How often the thread runs `loop`; in 32 bits if that is enough, as where the compiler has chosen the grid.
Value Outliner::tripsOf(OpBuilder &builder, const Counter &counter, unsigned loop) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value last = counter.limit;
  if (counter.goesOn == arith::CmpIPredicate::slt)
    last = arith::SubIOp::create(builder, loc, last, constant(1));
  Value span = arith::SubIOp::create(builder, loc, last, counter.first);
  Value trips = arith::DivSIOp::create(builder, loc, span, counter.increment);
  trips = arith::AddIOp::create(builder, loc, trips, constant(1));
  Value any = arith::CmpIOp::create(builder, loc, counter.goesOn, counter.first, counter.limit);
  trips = arith::SelectOp::create(builder, loc, any, trips, constant(0));
  bool areFew = isNarrow(loop) && loops.getAxes()[loop] >= 0 && isChosen(loop);
  return fir::ConvertOp::create(builder, loc, areFew ? builder.getI32Type() : builder.getI64Type(), trips);
}

/// Makes one loop of the nest that `entry` goes to and `exit` follows; returns its body, where `variable` is known.
Block *Outliner::createLoop(Block *entry, Block *exit, unsigned loop, const Counter &counter, IRMapping &mapping,
                            Value &variable, Block *&latch) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  auto *head = new Block(), *body = new Block();
  latch = new Block();
  for (Block *added : {head, body, latch})
    kernel.getBody().push_back(added);
  // What is counted is one variable, so that the loop has no more than it needs.
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, counter.trips.getType(), value).getResult();
  };
  Value first = counter.trips ? number(0) : counter.first;
  Value i = head->addArgument(first.getType(), loc);
  cf::BranchOp::create(builder, loc, head, first);

  builder.setInsertionPointToEnd(head);
  Value more = counter.trips ? arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, i, counter.trips)
                             : arith::CmpIOp::create(builder, loc, counter.goesOn, i, counter.limit);
  cf::CondBranchOp::create(builder, loc, more, body, ValueRange(), exit, ValueRange());

  builder.setInsertionPointToEnd(latch);
  auto exact = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value next = counter.trips ? arith::AddIOp::create(builder, loc, i, number(1), exact)
                             : arith::AddIOp::create(builder, loc, i, counter.increment);
  cf::BranchOp::create(builder, loc, head, next);

  builder.setInsertionPointToEnd(body);
  variable = i;
  if (counter.trips) {
    Type i64 = builder.getI64Type();
    Value trip = i.getType() == i64 ? i : arith::ExtUIOp::create(builder, loc, i64, i).getResult();
    trip = fir::ConvertOp::create(builder, loc, builder.getIndexType(), trip);
    Value distance = arith::MulIOp::create(builder, loc, trip, counter.increment);
    variable = arith::AddIOp::create(builder, loc, counter.first, distance);
  }
  if (counter.goesOn == arith::CmpIPredicate::slt) {
    Value scaled = arith::MulIOp::create(builder, loc, variable, mapping.lookup(loops.getSteps()[loop]));
    variable = arith::AddIOp::create(builder, loc, mapping.lookup(loops.getLowerBounds()[loop]), scaled);
  }
  return body;
}

/// Builds the loops of `nest` from `entry` on; returns the block in which their variables are known.
Block *Outliner::createLoops(Block *entry, Block *exit, ArrayRef<unsigned> nest, IRMapping &mapping,
                             MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  SmallVector<Counter> counters;
  for (unsigned loop : nest)
    counters.push_back(counterOf(builder, loop, mapping));
  Block *current = entry, *outer = exit;
  for (auto [loop, counter] : llvm::zip(nest, counters)) {
    Block *latch;
    current = createLoop(current, outer, loop, counter, mapping, variables[loop], latch);
    outer = latch;
  }
  innermostLatch = outer;
  kernel.getBody().push_back(exit);
  return current;
}

constexpr auto exact = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

Value Outliner::extent(OpBuilder &builder, Extent what, unsigned axis) {
  return ExtentOp::create(builder, loc, builder.getI32Type(), what, static_cast<Axis>(axis));
}

/// The thread's place on `axis`, counted from 0: the host has seen to it that it fits into 32 bits.
Value Outliner::narrowPosition(OpBuilder &builder, unsigned axis) {
  Value before = arith::MulIOp::create(builder, loc, extent(builder, Extent::BlockIdx, axis),
                                       extent(builder, Extent::BlockDim, axis), exact);
  return arith::AddIOp::create(builder, loc, before, extent(builder, Extent::ThreadIdx, axis), exact);
}

/// What the host says of a mapped loop: the first iteration of the launch, and how many there are.
std::pair<Value, Value> Outliner::partOf(unsigned loop) {
  unsigned before = llvm::count_if(mappedLoops(), [&](unsigned other) { return other < loop; });
  unsigned index = captures.arguments().size() + 2 * before;
  return {kernel.getArgument(index), kernel.getArgument(index + 1)};
}

Value Outliner::isInside(OpBuilder &builder, unsigned loop, Value place) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, partOf(loop).second);
}

/// `left` and `right`; `left` may be null.
Value Outliner::bothOf(OpBuilder &builder, Value left, Value right) {
  return left ? arith::AndIOp::create(builder, loc, left, right).getResult() : right;
}

/// The loop variable, an index, in the iteration `place` of this launch.
Value Outliner::variableAt(OpBuilder &builder, unsigned loop, Value place, IRMapping &mapping) {
  auto exact = arith::IntegerOverflowFlags::nsw;
  Type i64 = builder.getI64Type();
  Value first = partOf(loop).first;
  if (place.getType() != first.getType())
    place = arith::ExtUIOp::create(builder, loc, first.getType(), place);
  Value step = fir::ConvertOp::create(builder, loc, first.getType(), mapping.lookup(loops.getSteps()[loop]));
  Value distance = arith::MulIOp::create(builder, loc, place, step, exact);
  Value variable = arith::AddIOp::create(builder, loc, first, distance, exact);
  if (isNarrow(loop) && isNeverNegative(loop))
    variable = arith::ExtUIOp::create(builder, loc, i64, variable);
  return fir::ConvertOp::create(builder, loc, builder.getIndexType(), variable);
}

/// Lets threads that have an iteration go on to the loops without an axis, if there are any; returns the block in which
/// all loop variables are known.
Block *Outliner::createOnce(Block *entry, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Value hasIteration;
  for (unsigned loop : mappedLoops()) {
    Value place = narrowPosition(builder, axisOf(loop));
    hasIteration = bothOf(builder, hasIteration, isInside(builder, loop, place));
    variables[loop] = variableAt(builder, loop, place, mapping);
  }
  auto *inside = new Block();
  kernel.getBody().push_back(inside);
  cf::CondBranchOp::create(builder, loc, hasIteration, inside, ValueRange(), exit, ValueRange());
  return createLoops(inside, exit, loopsWhere(/*hasAxis=*/false), mapping, variables);
}

//===-- Several iterations in a thread ----------------------------------------------------------------------------===//

/// The place on `axis`, counted from 0, of the iteration that the thread has in `round`, of as many as there can be.
Value Outliner::positionInRound(OpBuilder &builder, unsigned axis, Value round) {
  Value blockDim = extent(builder, Extent::BlockDim, axis), thread = extent(builder, Extent::ThreadIdx, axis);
  Value rounds = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), mostRounds);
  Value share = arith::MulIOp::create(builder, loc, blockDim, rounds, exact);
  Value first = arith::MulIOp::create(builder, loc, extent(builder, Extent::BlockIdx, axis), share, exact);
  // Neighbouring threads have neighbouring iterations of the innermost loop, and so parts of the same lines of memory.
  bool isInnermost = axis == 0;
  Value distance =
      arith::MulIOp::create(builder, loc, isInnermost ? round : thread, isInnermost ? blockDim : rounds, exact);
  first = arith::AddIOp::create(builder, loc, first, distance, exact);
  return arith::AddIOp::create(builder, loc, first, isInnermost ? thread : round, exact);
}

/// The whole kernel between `entry` and `exit`.
void Outliner::createRounds(Block *entry, Block *exit, IRMapping &mapping) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  SmallVector<IRMapping> mappings(mostRounds);
  for (IRMapping &each : mappings)
    captures.materialise(builder, loc, entry->getArguments(), each);
  auto *once = new Block(), *tile = new Block(), *whole = new Block(), *part = new Block();
  kernel.getBody().push_back(once);
  SmallVector<Value> variables(loopCount());
  Block *innermost = createOnce(once, exit, mapping, variables);
  cloneBody(innermost, exit, mapping, variables, exit);
  for (Block *added : {tile, whole, part})
    added->insertBefore(exit);
  Value one = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 1);
  Value isOne = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, kernel.getArguments().back(), one);
  cf::CondBranchOp::create(builder, loc, isOne, once, ValueRange(), tile, ValueRange());
  createTile(tile, whole, part, exit, mapping, variables);
  createWhole(whole, exit, mappings, variables);
  createPart(part, exit, mapping, variables);
}

unsigned Outliner::loopWithRounds() {
  return *llvm::find_if(mappedLoops(), [&](unsigned loop) { return hasRounds(loop); });
}

/// Lets threads that have iterations of the other loops go on: to `whole` if the block has all its iterations.
void Outliner::createTile(Block *tile, Block *whole, Block *part, Block *exit, IRMapping &mapping,
                          MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(tile);
  Value hasIterations;
  for (unsigned loop : mappedLoops())
    if (!hasRounds(loop)) {
      Value place = narrowPosition(builder, axisOf(loop));
      hasIterations = bothOf(builder, hasIterations, isInside(builder, loop, place));
      variables[loop] = variableAt(builder, loop, place, mapping);
    }
  Block *choice = tile;
  if (hasIterations) {
    choice = new Block();
    choice->insertBefore(whole);
    cf::CondBranchOp::create(builder, loc, hasIterations, choice, ValueRange(), exit, ValueRange());
    builder.setInsertionPointToEnd(choice);
  }
  unsigned axis = axisOf(loopWithRounds());
  Value most = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), mostRounds);
  Value share = arith::MulIOp::create(builder, loc, extent(builder, Extent::BlockDim, axis), most, exact);
  Value one = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), 1);
  Value blocks = arith::AddIOp::create(builder, loc, extent(builder, Extent::BlockIdx, axis), one, exact);
  Value end = arith::MulIOp::create(builder, loc, blocks, share, exact);
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, partOf(loopWithRounds()).second);
  cf::CondBranchOp::create(builder, loc, isWhole, whole, ValueRange(), part, ValueRange());
}

/// All rounds, interleaved.
void Outliner::createWhole(Block *whole, Block *exit, MutableArrayRef<IRMapping> mappings, ArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(whole);
  for (unsigned round = 0; round < mostRounds; ++round)
    mapVariables(builder, mappings[round], round, variables);
  cloneInterleaved(builder, loops.getBody(), mappings);
  cf::BranchOp::create(builder, loc, exit);
}

/// Says what the loop variables are in `round`; those of loops without rounds are known.
void Outliner::mapVariables(OpBuilder &builder, IRMapping &mapping, unsigned round, ArrayRef<Value> variables) {
  Value number = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), round);
  for (unsigned loop = 0; loop < loopCount(); ++loop) {
    Value variable = variables[loop];
    if (hasRounds(loop))
      variable = variableAt(builder, loop, positionInRound(builder, axisOf(loop), number), mapping);
    BlockArgument argument = loops.getBody().getArgument(loop);
    mapping.map(argument, variable);
    forEachNarrowUse(argument, loop, [&](fir::ConvertOp convert) {
      mapping.map(convert.getResult(), narrowed(builder, variable, loop, convert.getType()));
    });
  }
}

/// One round after the other, as far as there are iterations.
void Outliner::createPart(Block *part, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(part);
  auto *head = new Block(), *check = new Block(), *inside = new Block(), *latch = new Block();
  for (Block *added : {head, check, inside, latch})
    added->insertBefore(exit);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  };
  cf::BranchOp::create(builder, loc, head, number(0));
  Value round = head->addArgument(builder.getI32Type(), loc);
  builder.setInsertionPointToEnd(head);
  // Not the constant, which LLVM would unroll the loop by.
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, round, kernel.getArguments().back());
  cf::CondBranchOp::create(builder, loc, more, check, ValueRange(), exit, ValueRange());

  unsigned loop = loopWithRounds();
  builder.setInsertionPointToEnd(check);
  Value place = positionInRound(builder, axisOf(loop), round);
  variables[loop] = variableAt(builder, loop, place, mapping);
  cf::CondBranchOp::create(builder, loc, isInside(builder, loop, place), inside, ValueRange(), latch, ValueRange());

  builder.setInsertionPointToEnd(latch);
  Value next = arith::AddIOp::create(builder, loc, round, number(1), exact);
  cf::BranchOp::create(builder, loc, head, next);
  cloneBody(inside, latch, mapping, variables, exit);
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

/// Calls `use` for each place where the body makes the variable of `loop` narrower. A default integer has its values,
/// so that nothing is lost there: what is said so needs no sign extension when it becomes a subscript.
void Outliner::forEachNarrowUse(BlockArgument argument, unsigned loop, llvm::function_ref<void(fir::ConvertOp)> use) {
  if (!isNarrow(loop))
    return;
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto convert = dyn_cast<fir::ConvertOp>(user); convert && convert.getType().isInteger(32))
      use(convert);
}

Value Outliner::narrowed(OpBuilder &builder, Value variable, unsigned loop, Type type) {
  auto flags = arith::IntegerOverflowFlags::nsw;
  if (isNeverNegative(loop))
    flags = flags | arith::IntegerOverflowFlags::nuw;
  Value wide = fir::ConvertOp::create(builder, loc, builder.getI64Type(), variable);
  return arith::TruncIOp::create(builder, loc, type, wide, flags);
}

void Outliner::cloneBody(Block *innermost, Block *latch, IRMapping mapping, ArrayRef<Value> variables, Block *exit) {
  Region body;
  loops.getBody().cloneInto(&body, mapping);
  Block &first = body.front();
  for (auto [loop, variable] : llvm::enumerate(variables)) {
    forEachNarrowUse(first.getArgument(loop), loop, [&, variable = variable, loop = loop](fir::ConvertOp convert) {
      OpBuilder builder(convert);
      convert.replaceAllUsesWith(narrowed(builder, variable, loop, convert.getType()));
      convert.erase();
    });
    first.getArgument(loop).replaceAllUsesWith(variable);
  }
  first.eraseArguments(0, first.getNumArguments());
  for (Block &each : body)
    if (auto end = dyn_cast<LoopsEndOp>(each.getTerminator())) {
      OpBuilder builder(end);
      cf::BranchOp::create(builder, loc, latch);
      end.erase();
    }
  OpBuilder builder = OpBuilder::atBlockEnd(innermost);
  cf::BranchOp::create(builder, loc, &first);
  kernel.getBody().getBlocks().splice(exit->getIterator(), body.getBlocks());
}

/// The address in the kernel of the reduction variable, or null if it is the host's.
Value Outliner::variableInKernel(OpBuilder &builder, Value variable) {
  if (!isDeviceAddressable(variable))
    return {};
  if (fir::AddrOfOp global = globalOfDevice(variable))
    return builder.clone(*global)->getResult(0);
  unsigned position = std::distance(variables.begin(), llvm::find(variables, variable));
  return kernel.getArgument(scratchIndex() + 1 + position);
}

void Outliner::finishReductions(OpBuilder &builder, IRMapping &mapping) {
  for (auto [index, variable] : llvm::enumerate(loops.getReductions())) {
    auto kind = static_cast<ReductionKind>(loops.getReductionKinds()[index]);
    Value partial = fir::LoadOp::create(builder, loc, mapping.lookup(variable));
    GridReduceOp::create(builder, loc, kind, partial, kernel.getArgument(scratchIndex()), index,
                         variableInKernel(builder, variable));
  }
}

struct OutlineKernelLoopsPass : cufort::cufx::impl::OutlineKernelLoopsBase<OutlineKernelLoopsPass> {
  void runOnOperation() override {
    SmallVector<KernelLoopsOp> found;
    getOperation().walk([&](KernelLoopsOp loops) { found.push_back(loops); });
    llvm::DenseMap<Operation *, unsigned> numbers;
    for (KernelLoopsOp loops : found) {
      unsigned number = ++numbers[loops->getParentOfType<func::FuncOp>()];
      if (failed(Outliner(loops, number).run()))
        signalPassFailure();
    }
  }
};

} // namespace
