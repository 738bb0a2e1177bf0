// From cufx.kernel_loops to a kernel and its launch.
//
// The kernel is a nest of loops, each of which starts at the thread's place on its axis and strides by the number
// of threads on it, so that every grid covers every iteration:
//
//   head(i):  if i <= upper bound then body else the head of the loop around it
//   latch:    i = i + stride * step, to head
//
// A reduction variable becomes a private partial result that starts at the neutral element; after the loops every
// thread hands its partial result to cufx.grid_reduce, which combines the grid's result with a variable in device
// memory. For a host variable, the host fetches the result and combines it.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HoistDescriptors.h"
#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
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
constexpr int64_t reductionSlotBytes = 16;

/// What one loop of the nest counts: the loop variable itself if the sign of its step is known, and iterations
/// otherwise.
struct Counter {
  Value first, increment, limit;
  arith::CmpIPredicate goesOn; ///< counter goesOn limit
};

class Outliner {
public:
  Outliner(KernelLoopsOp loops, unsigned number)
      : loops(loops), loc(loops.getLoc()), number(number), host(loops), captures(loops) {}

  LogicalResult run() {
    hoistDescriptors(loops);
    if (failed(captures.analyse()))
      return failure();
    computeGrid();
    createKernel();
    createLaunch();
    loops.erase();
    return success();
  }

private:
  Value constant(OpBuilder &builder, int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 64); }
  unsigned loopCount() { return loops.getAxes().size(); }
  bool reduces() { return !loops.getReductions().empty(); }
  unsigned scratchIndex() { return captures.arguments().size(); }

  // Host side
  Value iterations(unsigned loop);
  void computeGrid();
  void createLaunch();
  void finishOnHost();
  void combineOnHost(Value results);

  // Kernel
  void createKernel();
  void initialiseReductions(OpBuilder &builder, IRMapping &mapping);
  Value variableInKernel(OpBuilder &builder, Value variable);
  bool isWorthUnrolling();
  Value tripsOf(OpBuilder &builder, const Counter &counter);
  Block *createLoop(Block *entry, Block *exit, unsigned loop, IRMapping &mapping, Value &variable, Block *&latch);
  Block *createLoops(Block *entry, Block *exit, IRMapping &mapping, SmallVectorImpl<Value> &variables);
  void cloneBody(Block *innermost, Block *latch, IRMapping &mapping, ArrayRef<Value> variables, Block *exit);
  void finishReductions(OpBuilder &builder, IRMapping &mapping);
  Value position(OpBuilder &builder, int64_t axis, Value &stride);
  Counter counterOf(OpBuilder &builder, unsigned loop, IRMapping &mapping);
  void narrow(BlockArgument argument, Value variable, unsigned loop);

  KernelLoopsOp loops;
  Location loc;
  unsigned number;
  OpBuilder host;
  KernelCaptures captures;
  SmallVector<Value> grid, block;
  Value scratch;
  SmallVector<Value> variables; ///< of reductions in device memory, which are kernel arguments
  func::FuncOp kernel;
  Block *innermostLatch = nullptr;
};

//===-- Host side ------------------------------------------------------------------------------------------------===//

Value Outliner::iterations(unsigned loop) {
  Value lower = loops.getLowerBounds()[loop], upper = loops.getUpperBounds()[loop], step = loops.getSteps()[loop];
  Value span = arith::SubIOp::create(host, loc, upper, lower);
  span = arith::AddIOp::create(host, loc, span, step);
  Value count = arith::DivSIOp::create(host, loc, span, step);
  return fir::ConvertOp::create(host, loc, host.getI64Type(), count);
}

/// Grid extents: as given, or enough blocks for all iterations within the limits.
void Outliner::computeGrid() {
  block.assign(loops.getBlock().begin(), loops.getBlock().end());
  grid.assign(loops.getGrid().begin(), loops.getGrid().end());
  unsigned mapped = llvm::count_if(loops.getAxes(), [](int64_t axis) { return axis >= 0; });
  for (auto [loop, axis] : llvm::enumerate(loops.getAxes())) {
    if (axis < 0)
      continue;
    auto written = fir::getIntIfConstant(grid[axis]);
    if (!written || *written != 0)
      continue;
    int64_t limit = reduces() ? maxReductionGrid[mapped - 1][axis] : maxGrid[axis];
    // A block of no threads is an error of the launch, not a division by zero here.
    Value threads = arith::MaxSIOp::create(host, loc, block[axis], constant(host, 1));
    Value last = arith::SubIOp::create(host, loc, threads, constant(host, 1));
    Value rounded = arith::AddIOp::create(host, loc, iterations(loop), last);
    Value blocks = arith::DivSIOp::create(host, loc, rounded, threads);
    blocks = arith::MinSIOp::create(host, loc, blocks, constant(host, limit));
    grid[axis] = arith::MaxSIOp::create(host, loc, blocks, constant(host, 1));
  }
}

void Outliner::createLaunch() {
  SmallVector<Value> arguments(captures.arguments());
  int32_t count = loops.getReductions().size();
  if (reduces()) {
    Value blocks = arith::MulIOp::create(host, loc, grid[0], grid[1]);
    blocks = arith::MulIOp::create(host, loc, blocks, grid[2]);
    Type byteReference = fir::ReferenceType::get(host.getI8Type());
    scratch = ReductionScratchOp::create(host, loc, byteReference, blocks, count, loops.getStream());
    arguments.push_back(scratch);
    arguments.append(variables);
  }
  auto symbol = SymbolRefAttr::get(kernel.getSymNameAttr());
  LaunchOp::create(host, loc, symbol, grid[0], grid[1], grid[2], block[0], block[1], block[2], Value(),
                   loops.getStream(), arguments, DenseI64ArrayAttr(), /*cooperative=*/false);
  if (reduces())
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

/// True if a loop bound, an index, is a value of at most 32 bits.
static bool isNarrow(Value bound) {
  if (auto value = fir::getIntIfConstant(bound))
    return llvm::isInt<32>(*value);
  auto convert = bound.getDefiningOp<fir::ConvertOp>();
  auto type = convert ? dyn_cast<IntegerType>(convert.getValue().getType()) : IntegerType();
  return type && type.getWidth() <= 32;
}

//===-- Kernel ---------------------------------------------------------------------------------------------------===//

void Outliner::createKernel() {
  auto module = loops->getParentOfType<ModuleOp>();
  auto parent = loops->getParentOfType<func::FuncOp>();
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

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  std::string name = ("_QQcufkernel_" + parent.getSymName() + "_" + llvm::Twine(number)).str();
  kernel = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  kernel->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(builder.getContext(), cuf::ProcAttribute::Global));
  auto device = cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Device);
  for (unsigned index = 0; index < captures.arguments().size(); ++index) {
    if (captures.parameter(index).passing == KernelCaptures::Passing::Address)
      kernel.setArgAttr(index, cuf::getDataAttrName(), device);
    if (captures.parameter(index).hasOtherNames)
      kernel.setArgAttr(index, fir::getTargetAttrName(), builder.getUnitAttr());
  }
  for (unsigned index = 0; index < variables.size(); ++index)
    kernel.setArgAttr(scratchIndex() + 1 + index, cuf::getDataAttrName(), device);
  Block *entry = kernel.addEntryBlock();

  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  captures.materialise(builder, loc, entry->getArguments(), mapping);
  initialiseReductions(builder, mapping);
  Block *exit = new Block();
  SmallVector<Value> variables;
  Block *innermost = createLoops(entry, exit, mapping, variables);
  cloneBody(innermost, innermostLatch, mapping, variables, exit);

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
  // In a nest, counting variables makes LLVM keep an address for each array and loop: with the last step of a reduction
  // that is so many registers that fewer blocks fit.
  auto known = fir::getIntIfConstant(loops.getSteps()[loop]);
  bool countsVariable = known && *known && !(reduces() && loopCount() > 1);
  if (countsVariable) {
    Value first = arith::AddIOp::create(builder, loc, lower, arith::MulIOp::create(builder, loc, place, step));
    return {first, arith::MulIOp::create(builder, loc, stride, step), upper,
            *known > 0 ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge};
  }
  Value span = arith::SubIOp::create(builder, loc, upper, lower);
  span = arith::AddIOp::create(builder, loc, span, step);
  return {place, stride, arith::DivSIOp::create(builder, loc, span, step), arith::CmpIPredicate::slt};
}

/// Threads of a reduction have many iterations each, and LLVM unrolls their loop if it knows how many. That pays where
/// one load at a time does not keep the memory busy; with more loads, it costs registers and so blocks.
bool Outliner::isWorthUnrolling() {
  if (!reduces() || loopCount() != 1)
    return false;
  unsigned loads = 0;
  loops.getBody().walk(
      [&](fir::LoadOp load) { loads += isa_and_nonnull<fir::ArrayCoorOp>(load.getMemref().getDefiningOp()); });
  return loads <= 1;
}

/// How often the thread runs a loop.
Value Outliner::tripsOf(OpBuilder &builder, const Counter &counter) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value last = counter.limit;
  if (counter.goesOn == arith::CmpIPredicate::slt)
    last = arith::SubIOp::create(builder, loc, last, constant(1));
  Value span = arith::SubIOp::create(builder, loc, last, counter.first);
  Value trips = arith::DivSIOp::create(builder, loc, span, counter.increment);
  trips = arith::AddIOp::create(builder, loc, trips, constant(1));
  Value any = arith::CmpIOp::create(builder, loc, counter.goesOn, counter.first, counter.limit);
  return arith::SelectOp::create(builder, loc, any, trips, constant(0));
}

/// Makes one loop of the nest that `entry` goes to and `exit` follows; returns its body, where `variable` is known.
Block *Outliner::createLoop(Block *entry, Block *exit, unsigned loop, IRMapping &mapping, Value &variable,
                            Block *&latch) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Counter counter = counterOf(builder, loop, mapping);
  bool knowsTrips = isWorthUnrolling();
  Value trips = knowsTrips ? tripsOf(builder, counter) : Value();
  auto *head = new Block(), *body = new Block();
  latch = new Block();
  for (Block *added : {head, body, latch})
    kernel.getBody().push_back(added);
  Value i = head->addArgument(builder.getIndexType(), loc), trip;
  SmallVector<Value> start{counter.first};
  if (knowsTrips) {
    trip = head->addArgument(builder.getIndexType(), loc);
    start.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  }
  cf::BranchOp::create(builder, loc, head, start);

  builder.setInsertionPointToEnd(head);
  Value more = knowsTrips ? arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, trip, trips)
                          : arith::CmpIOp::create(builder, loc, counter.goesOn, i, counter.limit);
  cf::CondBranchOp::create(builder, loc, more, body, ValueRange(), exit, ValueRange());

  builder.setInsertionPointToEnd(latch);
  SmallVector<Value> next{arith::AddIOp::create(builder, loc, i, counter.increment)};
  if (knowsTrips) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    next.push_back(arith::AddIOp::create(builder, loc, trip, one, arith::IntegerOverflowFlags::nsw));
  }
  cf::BranchOp::create(builder, loc, head, next);

  builder.setInsertionPointToEnd(body);
  variable = i;
  if (counter.goesOn == arith::CmpIPredicate::slt) {
    Value scaled = arith::MulIOp::create(builder, loc, i, mapping.lookup(loops.getSteps()[loop]));
    variable = arith::AddIOp::create(builder, loc, mapping.lookup(loops.getLowerBounds()[loop]), scaled);
  }
  return body;
}

/// Builds the nest from `entry` on; returns the block in which the innermost loop variable is known.
Block *Outliner::createLoops(Block *entry, Block *exit, IRMapping &mapping, SmallVectorImpl<Value> &variables) {
  Block *current = entry, *outer = exit;
  for (unsigned loop = 0; loop < loopCount(); ++loop) {
    Block *latch;
    current = createLoop(current, outer, loop, mapping, variables.emplace_back(), latch);
    outer = latch;
  }
  innermostLatch = outer;
  kernel.getBody().push_back(exit);
  return current;
}

/// Loop variables of default integers have their values, so that nothing is lost where the body makes them narrower:
/// what is said so needs no sign extension when it becomes a subscript.
void Outliner::narrow(BlockArgument argument, Value variable, unsigned loop) {
  if (!isNarrow(loops.getLowerBounds()[loop]) || !isNarrow(loops.getUpperBounds()[loop]))
    return;
  auto first = fir::getIntIfConstant(loops.getLowerBounds()[loop]);
  auto step = fir::getIntIfConstant(loops.getSteps()[loop]);
  auto flags = arith::IntegerOverflowFlags::nsw;
  if (first && step && *first >= 0 && *step > 0)
    flags = flags | arith::IntegerOverflowFlags::nuw;
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    auto convert = dyn_cast<fir::ConvertOp>(user);
    if (!convert || !convert.getType().isInteger(32))
      continue;
    OpBuilder builder(convert);
    Value wide = fir::ConvertOp::create(builder, loc, builder.getI64Type(), variable);
    Value narrowed = arith::TruncIOp::create(builder, loc, convert.getType(), wide, flags);
    convert.replaceAllUsesWith(narrowed);
    convert.erase();
  }
}

void Outliner::cloneBody(Block *innermost, Block *latch, IRMapping &mapping, ArrayRef<Value> variables, Block *exit) {
  Region body;
  loops.getBody().cloneInto(&body, mapping);
  Block &first = body.front();
  for (auto [loop, variable] : llvm::enumerate(variables)) {
    narrow(first.getArgument(loop), variable, loop);
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
