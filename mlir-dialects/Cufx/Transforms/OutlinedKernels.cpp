// The kernels of OutlineKernelLoops.

#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/KernelOutliner.h"
#include "mlir-dialects/Cufx/Transforms/KernelRounds.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace cufort::cufx;

//===-- Kernel ---------------------------------------------------------------------------------------------------===//

/// The kernel without a body.
func::FuncOp KernelOutliner::createFunction(KernelForm form) {
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
  if (form == KernelForm::Once)
    for (unsigned loop : mappedLoops())
      types.append({isNarrow(loop) ? builder.getI32Type() : builder.getI64Type(), builder.getI32Type()});
  if (mostRounds > 1)
    types.push_back(builder.getI32Type());
  bool isSecond = form == KernelForm::Strided && !alwaysStrides();
  std::string name = ("_QQcufkernel_" + parent.getSymName() + "_" + llvm::Twine(number) + (isSecond ? "s" : "")).str();
  return func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
}

void KernelOutliner::createKernel(KernelForm form) {
  kernel = createFunction(form);
  MLIRContext *context = kernel.getContext();
  kernel->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(context, cuf::ProcAttribute::Global));
  strides.mark(kernel);
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
    Block *innermost = form == KernelForm::Once
                           ? createOnce(entry, exit, mapping, variables)
                           : createLoops(entry, exit, llvm::to_vector(llvm::seq(loopCount())), mapping, variables);
    cloneBody(innermost, innermostLatch, mapping, variables, exit);
  }

  builder.setInsertionPointToEnd(exit);
  finishReductions(builder, mapping);
  func::ReturnOp::create(builder, loc);
}

void KernelOutliner::initialiseReductions(OpBuilder &builder, IRMapping &mapping) {
  for (auto [variable, kind] : llvm::zip(loops.getReductions(), loops.getReductionKinds())) {
    Type type = fir::unwrapRefType(variable.getType());
    Value neutral = createNeutral(builder, loc, static_cast<ReductionKind>(kind), type);
    fir::StoreOp::create(builder, loc, neutral, mapping.lookup(variable));
  }
}

/// The thread's place on `axis`, counted from 0, and how many threads there are on it.
Value KernelOutliner::position(OpBuilder &builder, int64_t axis, Value &stride) {
  Type index = builder.getIndexType();
  if (axis < 0) {
    stride = arith::ConstantIndexOp::create(builder, loc, 1);
    return arith::ConstantIndexOp::create(builder, loc, 0);
  }
  auto read = [&](Extent what) -> Value {
    return fir::ConvertOp::create(builder, loc, index, extent(builder, what, axis));
  };
  Value blockDim = read(Extent::BlockDim);
  stride = arith::MulIOp::create(builder, loc, blockDim, read(Extent::GridDim));
  Value first = arith::MulIOp::create(builder, loc, read(Extent::BlockIdx), blockDim);
  return arith::AddIOp::create(builder, loc, first, read(Extent::ThreadIdx));
}

/// True if the iterations of `loop`, and the threads on its axis, can be counted in 32 bits without a sign, and that
/// pays: where the compiler has chosen the grid, the threads are those of the blocks that all iterations fill, or
/// fewer. A variable of 64 bits is two registers that all rounds of a loop in the body keep. Nests without such a loop
/// are unrolled best if they count in 64 bits: measured on an H200, three of them took 6 % longer otherwise, and two
/// with a loop in the body 11 % and 15 % less.
bool KernelOutliner::countsNarrow(unsigned loop) {
  return reduces() && loopCount() > 1 && bodyHasLoops && loops.getAxes()[loop] >= 0 && isNarrow(loop) &&
         isNeverNegative(loop) && isChosen(loop);
}

LoopCounter KernelOutliner::narrowCounter(OpBuilder &builder, const LoopCounter &counter) {
  auto narrow = [&](Value value) -> Value { return fir::ConvertOp::create(builder, loc, builder.getI32Type(), value); };
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  Value count = arith::MaxSIOp::create(builder, loc, counter.limit, none);
  return {narrow(counter.first), narrow(counter.increment), narrow(count), arith::CmpIPredicate::ult, Value()};
}

LoopCounter KernelOutliner::counterOf(OpBuilder &builder, unsigned loop, IRMapping &mapping) {
  Value lower = mapping.lookup(loops.getLowerBounds()[loop]);
  Value upper = mapping.lookup(loops.getUpperBounds()[loop]);
  Value step = mapping.lookup(loops.getSteps()[loop]);
  Value stride;
  Value place = position(builder, loops.getAxes()[loop], stride);
  // The emulated device knows boxes of threads whose blocks are on the same axis.
  if (loops.getAxes()[loop] >= 0 && !isMoved(axisOf(loop))) {
    auto axis = static_cast<Axis>(loops.getAxes()[loop]);
    Type index = builder.getIndexType();
    auto share = ShareOp::create(builder, loc, index, index, index, axis, place, stride, lower, upper, step);
    place = share.getFirst(), stride = share.getStride(), upper = share.getLast();
  }
  // In a nest, counting variables makes LLVM keep an address for each array and loop: with the last step of a reduction
  // that is so many registers that fewer blocks fit.
  auto known = fir::getIntIfConstant(loops.getSteps()[loop]);
  bool countsVariable = known && *known && !countsNarrow(loop) && (isUnrolled(loop) || !(reduces() && loopCount() > 1));
  LoopCounter counter;
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
  return countsNarrow(loop) ? narrowCounter(builder, counter) : counter;
}

/// How often the thread runs `loop`; in 32 bits if that is enough, as where the compiler has chosen the grid.
Value KernelOutliner::tripsOf(OpBuilder &builder, const LoopCounter &counter, unsigned loop) {
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
Block *KernelOutliner::createLoop(Block *entry, Block *exit, unsigned loop, const LoopCounter &counter,
                                  IRMapping &mapping, Value &variable, Block *&latch) {
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
                             : arith::AddIOp::create(builder, loc, i, counter.increment,
                                                     counter.goesOn == arith::CmpIPredicate::ult
                                                         ? arith::IntegerOverflowFlags::nuw
                                                         : arith::IntegerOverflowFlags::none);
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
  if (counter.goesOn == arith::CmpIPredicate::ult) {
    variable = variableFrom(
        builder, loop, fir::ConvertOp::create(builder, loc, i.getType(), mapping.lookup(loops.getLowerBounds()[loop])),
        i, mapping);
  } else if (counter.goesOn == arith::CmpIPredicate::slt) {
    Value scaled = arith::MulIOp::create(builder, loc, variable, mapping.lookup(loops.getSteps()[loop]));
    variable = arith::AddIOp::create(builder, loc, mapping.lookup(loops.getLowerBounds()[loop]), scaled);
  }
  return body;
}

/// Builds the loops of `nest` from `entry` on; returns the block in which their variables are known.
Block *KernelOutliner::createLoops(Block *entry, Block *exit, ArrayRef<unsigned> nest, IRMapping &mapping,
                                   MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  SmallVector<LoopCounter> counters;
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

Value KernelOutliner::extent(OpBuilder &builder, Extent what, unsigned axis) {
  if (what != Extent::BlockIdx && what != Extent::GridDim)
    return ExtentOp::create(builder, loc, builder.getI32Type(), what, static_cast<Axis>(axis));
  if (gridAxes[axis] < 0)
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), what == Extent::GridDim);
  return ExtentOp::create(builder, loc, builder.getI32Type(), what, static_cast<Axis>(gridAxes[axis]));
}

/// The thread's place on `axis`, counted from 0: the host has seen to it that it fits into 32 bits.
Value KernelOutliner::narrowPosition(OpBuilder &builder, unsigned axis) {
  Value before = arith::MulIOp::create(builder, loc, extent(builder, Extent::BlockIdx, axis),
                                       extent(builder, Extent::BlockDim, axis), exact);
  return arith::AddIOp::create(builder, loc, before, extent(builder, Extent::ThreadIdx, axis), exact);
}

/// What the host says of a mapped loop: the first iteration of the launch, and how many there are.
std::pair<Value, Value> KernelOutliner::partOf(unsigned loop) {
  unsigned before = llvm::count_if(mappedLoops(), [&](unsigned other) { return other < loop; });
  unsigned index = captures.arguments().size() + 2 * before;
  return {kernel.getArgument(index), kernel.getArgument(index + 1)};
}

Value KernelOutliner::isInside(OpBuilder &builder, unsigned loop, Value place) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, place, partOf(loop).second);
}

/// `left` and `right`; `left` may be null.
Value KernelOutliner::bothOf(OpBuilder &builder, Value left, Value right) {
  return left ? arith::AndIOp::create(builder, loc, left, right).getResult() : right;
}

/// The loop variable, an index, in the iteration `place` after the one where it is `first`.
Value KernelOutliner::variableFrom(OpBuilder &builder, unsigned loop, Value first, Value place, IRMapping &mapping) {
  auto exact = arith::IntegerOverflowFlags::nsw;
  Type i64 = builder.getI64Type();
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
Block *KernelOutliner::createOnce(Block *entry, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  Value hasIteration;
  for (unsigned loop : mappedLoops()) {
    Value place = narrowPosition(builder, axisOf(loop));
    hasIteration = bothOf(builder, hasIteration, isInside(builder, loop, place));
    variables[loop] = variableFrom(builder, loop, partOf(loop).first, place, mapping);
  }
  auto *inside = new Block();
  kernel.getBody().push_back(inside);
  cf::CondBranchOp::create(builder, loc, hasIteration, inside, ValueRange(), exit, ValueRange());
  return createLoops(inside, exit, loopsWhere(/*hasAxis=*/false), mapping, variables);
}

//===-- Several iterations in a thread ----------------------------------------------------------------------------===//

/// The place on `axis`, counted from 0, of the iteration that the thread has in `round`, of as many as there can be.
Value KernelOutliner::positionInRound(OpBuilder &builder, unsigned axis, Value round) {
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
void KernelOutliner::createRounds(Block *entry, Block *exit, IRMapping &mapping) {
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

unsigned KernelOutliner::loopWithRounds() {
  return *llvm::find_if(mappedLoops(), [&](unsigned loop) { return hasRounds(loop); });
}

/// Lets threads that have iterations of the other loops go on: to `whole` if the block has all its iterations.
void KernelOutliner::createTile(Block *tile, Block *whole, Block *part, Block *exit, IRMapping &mapping,
                                MutableArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(tile);
  Value hasIterations;
  for (unsigned loop : mappedLoops())
    if (!hasRounds(loop)) {
      Value place = narrowPosition(builder, axisOf(loop));
      hasIterations = bothOf(builder, hasIterations, isInside(builder, loop, place));
      variables[loop] = variableFrom(builder, loop, partOf(loop).first, place, mapping);
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
void KernelOutliner::createWhole(Block *whole, Block *exit, MutableArrayRef<IRMapping> mappings,
                                 ArrayRef<Value> variables) {
  OpBuilder builder = OpBuilder::atBlockEnd(whole);
  for (unsigned round = 0; round < mostRounds; ++round)
    mapVariables(builder, mappings[round], round, variables);
  cloneInterleaved(builder, loops.getBody(), mappings);
  cf::BranchOp::create(builder, loc, exit);
}

/// Says what the loop variables are in `round`; those of loops without rounds are known.
void KernelOutliner::mapVariables(OpBuilder &builder, IRMapping &mapping, unsigned round, ArrayRef<Value> variables) {
  Value number = arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), round);
  for (unsigned loop = 0; loop < loopCount(); ++loop) {
    Value variable = variables[loop];
    if (hasRounds(loop))
      variable =
          variableFrom(builder, loop, partOf(loop).first, positionInRound(builder, axisOf(loop), number), mapping);
    BlockArgument argument = loops.getBody().getArgument(loop);
    mapping.map(argument, variable);
    forEachNarrowUse(argument, loop, [&](fir::ConvertOp convert) {
      mapping.map(convert.getResult(), narrowed(builder, variable, loop, convert.getType()));
    });
  }
}

/// One round after the other, as far as there are iterations.
void KernelOutliner::createPart(Block *part, Block *exit, IRMapping &mapping, MutableArrayRef<Value> variables) {
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
  variables[loop] = variableFrom(builder, loop, partOf(loop).first, place, mapping);
  cf::CondBranchOp::create(builder, loc, isInside(builder, loop, place), inside, ValueRange(), latch, ValueRange());

  builder.setInsertionPointToEnd(latch);
  Value next = arith::AddIOp::create(builder, loc, round, number(1), exact);
  cf::BranchOp::create(builder, loc, head, next);
  cloneBody(inside, latch, mapping, variables, exit);
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

/// Calls `use` for each place where the body makes the variable of `loop` narrower. A default integer has its values,
/// so that nothing is lost there: what is said so needs no sign extension when it becomes a subscript.
void KernelOutliner::forEachNarrowUse(BlockArgument argument, unsigned loop,
                                      llvm::function_ref<void(fir::ConvertOp)> use) {
  if (!isNarrow(loop))
    return;
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers()))
    if (auto convert = dyn_cast<fir::ConvertOp>(user); convert && convert.getType().isInteger(32))
      use(convert);
}

Value KernelOutliner::narrowed(OpBuilder &builder, Value variable, unsigned loop, Type type) {
  auto flags = arith::IntegerOverflowFlags::nsw;
  if (isNeverNegative(loop))
    flags = flags | arith::IntegerOverflowFlags::nuw;
  Value wide = fir::ConvertOp::create(builder, loc, builder.getI64Type(), variable);
  return arith::TruncIOp::create(builder, loc, type, wide, flags);
}

void KernelOutliner::cloneBody(Block *innermost, Block *latch, IRMapping mapping, ArrayRef<Value> variables,
                               Block *exit) {
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
Value KernelOutliner::variableInKernel(OpBuilder &builder, Value variable) {
  if (!isDeviceAddressable(variable))
    return {};
  if (fir::AddrOfOp global = globalOfDevice(variable))
    return builder.clone(*global)->getResult(0);
  unsigned position = std::distance(variables.begin(), llvm::find(variables, variable));
  return kernel.getArgument(scratchIndex() + 1 + position);
}

void KernelOutliner::finishReductions(OpBuilder &builder, IRMapping &mapping) {
  for (auto [index, variable] : llvm::enumerate(loops.getReductions())) {
    auto kind = static_cast<ReductionKind>(loops.getReductionKinds()[index]);
    Value partial = fir::LoadOp::create(builder, loc, mapping.lookup(variable));
    GridReduceOp::create(builder, loc, kind, partial, kernel.getArgument(scratchIndex()), index,
                         variableInKernel(builder, variable));
  }
}
