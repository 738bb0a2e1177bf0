// Calls of module cudadevice's interfaces become operations.
//
// In: fir.call of a label `__cufx_<name>[_<type>]`. Out: the operation of the table below. The type suffix only
// tells the specifics of a generic apart; operand types are taken from the call. Values that Fortran passes as
// LOGICAL or as REAL where the hardware wants bits are converted here, so that both lowerings see plain integers.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/RaiseMatrices.h"
#include "mlir-dialects/Cufx/Transforms/RaisePredefinedVariables.h"
#include "mlir-dialects/Cufx/Transforms/RaiseThreadGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISEDEVICEINTRINSICS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// One call being replaced.
struct Call {
  fir::CallOp op;
  OpBuilder builder;
  Location loc;
  bool hasFailed = false; ///< an error has been reported

  explicit Call(fir::CallOp op) : op(op), builder(op), loc(op.getLoc()) {}

  unsigned size() { return op.getArgs().size(); }
  Value arg(unsigned i) { return op.getArgs()[i]; }
  Type i32() { return builder.getI32Type(); }
  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, value, 32); }

  /// Argument `i` as a predicate: any non-zero integer, .true. as 1.
  Value predicate(unsigned i) {
    Value value = arg(i);
    if (isa<fir::LogicalType>(value.getType()))
      value = fir::ConvertOp::create(builder, loc, builder.getI1Type(), value);
    else if (value.getType() != i32())
      value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                    arith::ConstantIntOp::create(builder, loc, value.getType(), 0));
    return value.getType() == i32() ? value : fir::ConvertOp::create(builder, loc, i32(), value).getResult();
  }

  /// Replaces the call's result, converted to the type that Fortran declared.
  void finish(Value result) {
    if (op.getNumResults()) {
      Type wanted = op.getResult(0).getType();
      if (result.getType() != wanted) {
        if (isa<fir::LogicalType>(wanted))
          result = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, result, constant(0));
        result = fir::ConvertOp::create(builder, loc, wanted, result);
      }
      op.getResult(0).replaceAllUsesWith(result);
    }
    op.erase();
  }
  void finish() { op.erase(); }
};

using Handler = void (*)(Call &);

constexpr int64_t fullMask = -1;

//===-- Barriers, fences -----------------------------------------------------------------------------------------===//

void raiseBarrier(Call &call) {
  BarrierOp::create(call.builder, call.loc, Type(), BarrierReductionAttr(), Value());
  call.finish();
}

template <BarrierReduction kind>
void raiseBarrierReduction(Call &call) {
  auto attr = BarrierReductionAttr::get(call.builder.getContext(), kind);
  call.finish(BarrierOp::create(call.builder, call.loc, call.i32(), attr, call.predicate(0)).getResult());
}

void raiseWarpBarrier(Call &call) {
  WarpBarrierOp::create(call.builder, call.loc, call.size() ? call.arg(0) : call.constant(fullMask));
  call.finish();
}

template <Scope scope>
void raiseFence(Call &call) {
  FenceOp::create(call.builder, call.loc, scope);
  call.finish();
}

//===-- Votes, matches, shuffles ---------------------------------------------------------------------------------===//

/// Legacy votes have one argument and mean the whole warp.
template <VoteKind kind>
void raiseVote(Call &call) {
  bool legacy = call.size() == 1;
  Value mask = legacy ? call.constant(fullMask) : call.arg(0);
  Value predicate = call.predicate(legacy ? 0 : 1);
  call.finish(VoteOp::create(call.builder, call.loc, call.i32(), kind, mask, predicate));
}

void raiseActiveMask(Call &call) { call.finish(ActiveMaskOp::create(call.builder, call.loc, call.i32())); }

void raiseMatchAny(Call &call) {
  auto match = MatchOp::create(call.builder, call.loc, call.i32(), Type(), MatchKind::Any, call.arg(0), call.arg(1));
  call.finish(match.getResult());
}

void raiseMatchAll(Call &call) {
  auto match =
      MatchOp::create(call.builder, call.loc, call.i32(), call.i32(), MatchKind::All, call.arg(0), call.arg(1));
  Value flag = match.getAllEqual();
  Type stored = fir::unwrapRefType(call.arg(2).getType());
  if (isa<fir::LogicalType>(stored))
    flag = arith::CmpIOp::create(call.builder, call.loc, arith::CmpIPredicate::ne, flag, call.constant(0));
  if (flag.getType() != stored)
    flag = fir::ConvertOp::create(call.builder, call.loc, stored, flag);
  fir::StoreOp::create(call.builder, call.loc, flag, call.arg(2));
  call.finish(match.getResult());
}

/// PTX's operand c: the segment mask in bits 8 to 12 and the last source lane in bits 0 to 4. Shuffles up clamp at
/// the first lane of the segment, the others at the last.
Value shuffleClamp(Call &call, ShuffleKind kind, Value width) {
  int64_t last = kind == ShuffleKind::Up ? 0 : 31;
  if (!width)
    return call.constant(last);
  Value segment = arith::SubIOp::create(call.builder, call.loc, call.constant(32), width);
  segment = arith::ShLIOp::create(call.builder, call.loc, segment, call.constant(8));
  return arith::OrIOp::create(call.builder, call.loc, segment, call.constant(last));
}

/// The 16 bits of a real(2) in an integer of 32, the least that moves between threads.
Value bitsOfHalf(Call &call, Value half) {
  Value bits = arith::BitcastOp::create(call.builder, call.loc, call.builder.getI16Type(), half);
  return arith::ExtUIOp::create(call.builder, call.loc, call.i32(), bits);
}

Value halfOfBits(Call &call, Value word) {
  Value bits = arith::TruncIOp::create(call.builder, call.loc, call.builder.getI16Type(), word);
  return arith::BitcastOp::create(call.builder, call.loc, call.builder.getF16Type(), bits);
}

/// GPUs take `lane` modulo the width; CUDA Fortran gives lanes outside of the segment the thread's own value.
Value ownIfOutside(Call &call, Value lane, Value width, Value own, Value shuffled) {
  Value lanes = width ? width : call.constant(32);
  Value isInside = arith::CmpIOp::create(call.builder, call.loc, arith::CmpIPredicate::ult, lane, lanes);
  return arith::SelectOp::create(call.builder, call.loc, isInside, shuffled, own);
}

/// (mask,) value, lane (, width). Lanes of `idx` count from 1 in Fortran (CUDA Fortran guide 3.6.10).
template <ShuffleKind kind, bool hasMask>
void raiseShuffle(Call &call) {
  unsigned first = hasMask ? 1 : 0;
  Value mask = hasMask ? call.arg(0) : call.constant(fullMask);
  Value value = call.arg(first), lane = call.arg(first + 1);
  Value width = call.size() > first + 2 ? call.arg(first + 2) : Value();
  if (kind == ShuffleKind::Idx)
    lane = arith::SubIOp::create(call.builder, call.loc, lane, call.constant(1));
  Value clamp = shuffleClamp(call, kind, width);
  bool isHalf = value.getType().isF16();
  if (isHalf)
    value = bitsOfHalf(call, value);
  Value result = ShuffleOp::create(call.builder, call.loc, value.getType(), kind, mask, value, lane, clamp);
  if (kind == ShuffleKind::Idx)
    result = ownIfOutside(call, lane, width, value, result);
  call.finish(isHalf ? halfOfBits(call, result) : result);
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

template <AtomicKind kind>
void raiseAtomic(Call &call) {
  Value value = call.arg(1);
  call.finish(AtomicRMWOp::create(call.builder, call.loc, value.getType(), kind, call.arg(0), value));
}

/// Two halves in one integer, the first in the lower bits.
Value packHalves(Call &call, ArrayRef<Value> halves) {
  Value high = arith::ShLIOp::create(call.builder, call.loc, bitsOfHalf(call, halves[1]), call.constant(16));
  return arith::OrIOp::create(call.builder, call.loc, bitsOfHalf(call, halves[0]), high);
}

/// `values` as a Fortran array.
Value makeArray(Call &call, ArrayRef<Value> values) {
  auto type = fir::SequenceType::get({static_cast<int64_t>(values.size())}, values[0].getType());
  Value array = fir::UndefOp::create(call.builder, call.loc, type);
  for (auto [i, value] : llvm::enumerate(values)) {
    auto place = call.builder.getArrayAttr(call.builder.getIntegerAttr(call.builder.getIndexType(), i));
    array = fir::InsertValueOp::create(call.builder, call.loc, type, array, value, place);
  }
  return array;
}

/// GPUs promise no more for vectors than that the sum of each element is atomic.
void raiseAtomicAddVector(Call &call) {
  auto type = cast<fir::SequenceType>(fir::unwrapRefType(call.arg(1).getType()));
  Type element = type.getEleTy(), reference = fir::ReferenceType::get(element);
  Value memory = fir::ConvertOp::create(call.builder, call.loc, fir::ReferenceType::get(type), call.arg(0));
  auto at = [&](Value array, uint64_t i) {
    return fir::CoordinateOp::create(call.builder, call.loc, reference, array, call.constant(i));
  };
  // First of all, so that nothing comes between the sums.
  SmallVector<Value> values, old;
  for (uint64_t i = 0; i < type.getConstantArraySize(); ++i)
    values.push_back(fir::LoadOp::create(call.builder, call.loc, at(call.arg(1), i)));
  for (auto [i, value] : llvm::enumerate(values))
    old.push_back(
        AtomicRMWOp::create(call.builder, call.loc, element, AtomicKind::Add, at(memory, i), value).getResult());
  if (!isa<fir::SequenceType>(call.op.getResult(0).getType()))
    return call.finish(packHalves(call, old));
  storeSavedResults(call.op);
  call.finish(makeArray(call, old));
}

void raiseAtomicCAS(Call &call) {
  Value value = call.arg(2);
  call.finish(AtomicCASOp::create(call.builder, call.loc, value.getType(), call.arg(0), call.arg(1), value));
}

template <LoadHint hint>
void raiseCachedLoad(Call &call) {
  Type type = call.op.getResult(0).getType();
  storeSavedResults(call.op);
  call.finish(CachedLoadOp::create(call.builder, call.loc, type, hint, call.arg(0)));
}

template <StoreHint hint>
void raiseCachedStore(Call &call) {
  Value value = call.arg(1);
  if (fir::isa_ref_type(value.getType()))
    value = fir::LoadOp::create(call.builder, call.loc, value);
  CachedStoreOp::create(call.builder, call.loc, hint, value, call.arg(0));
  call.finish();
}

//===-- Others ---------------------------------------------------------------------------------------------------===//

void raiseConversion(Call &call) {
  call.finish(fir::ConvertOp::create(call.builder, call.loc, call.op.getResult(0).getType(), call.arg(0)));
}

void raiseNanosleep(Call &call) {
  NanosleepOp::create(call.builder, call.loc, call.arg(0));
  call.finish();
}

void raiseClock(Call &call) { call.finish(ClockOp::create(call.builder, call.loc, call.op.getResult(0).getType())); }

//===-- Groups of threads -----------------------------------------------------------------------------------------===//

template <void (*raise)(fir::CallOp)>
void raiseGroup(Call &call) {
  raise(call.op);
}

/// The group of this_warp is the whole warp.
void raiseWarpGroupBarrier(Call &call) {
  WarpBarrierOp::create(call.builder, call.loc, call.constant(fullMask));
  call.finish();
}

void raiseClusterBarrier(Call &call) {
  ClusterBarrierOp::create(call.builder, call.loc);
  call.finish();
}

void raiseMapShared(Call &call) {
  Value rank = arith::SubIOp::create(call.builder, call.loc, call.arg(1), call.constant(1));
  call.finish(MapSharedOp::create(call.builder, call.loc, call.builder.getI64Type(), call.arg(0), rank));
}

//===-- Matrix products ------------------------------------------------------------------------------------------===//

template <LogicalResult (*raise)(fir::CallOp)>
void raiseMatrix(Call &call) {
  call.hasFailed = failed(raise(call.op));
}

//===-- Table ----------------------------------------------------------------------------------------------------===//

const llvm::StringMap<Handler> &handlers() {
  static const llvm::StringMap<Handler> table = {
      {"syncthreads", raiseBarrier},
      {"syncthreads_count", raiseBarrierReduction<BarrierReduction::Count>},
      {"syncthreads_and", raiseBarrierReduction<BarrierReduction::And>},
      {"syncthreads_or", raiseBarrierReduction<BarrierReduction::Or>},
      {"syncwarp", raiseWarpBarrier},
      {"syncwarp_group", raiseWarpGroupBarrier},
      {"this_grid", raiseGroup<raiseThisGrid>},
      {"this_cluster", raiseGroup<raiseThisCluster>},
      {"this_thread_block", raiseGroup<raiseThisThreadBlock>},
      {"this_warp", raiseGroup<raiseThisWarp>},
      {"cluster_block_index", raiseGroup<raiseClusterBlockIndex>},
      {"cluster_dim_blocks", raiseGroup<raiseClusterDimBlocks>},
      {"cluster_barrier_group", raiseClusterBarrier},
      {"cluster_map_shared_rank", raiseMapShared},
      {"threadfence", raiseFence<Scope::Device>},
      {"threadfence_block", raiseFence<Scope::Block>},
      {"threadfence_system", raiseFence<Scope::System>},
      {"allthreads", raiseVote<VoteKind::All>},
      {"anythread", raiseVote<VoteKind::Any>},
      {"ballot", raiseVote<VoteKind::Ballot>},
      {"all_sync", raiseVote<VoteKind::All>},
      {"any_sync", raiseVote<VoteKind::Any>},
      {"ballot_sync", raiseVote<VoteKind::Ballot>},
      {"activemask", raiseActiveMask},
      {"match_any_sync", raiseMatchAny},
      {"match_all_sync", raiseMatchAll},
      {"shfl", raiseShuffle<ShuffleKind::Idx, false>},
      {"shfl_up", raiseShuffle<ShuffleKind::Up, false>},
      {"shfl_down", raiseShuffle<ShuffleKind::Down, false>},
      {"shfl_xor", raiseShuffle<ShuffleKind::Xor, false>},
      {"shfl_sync", raiseShuffle<ShuffleKind::Idx, true>},
      {"shfl_up_sync", raiseShuffle<ShuffleKind::Up, true>},
      {"shfl_down_sync", raiseShuffle<ShuffleKind::Down, true>},
      {"shfl_xor_sync", raiseShuffle<ShuffleKind::Xor, true>},
      {"atomicadd", raiseAtomic<AtomicKind::Add>},
      {"atomicadd_r2x2", raiseAtomicAddVector},
      {"atomicaddvector", raiseAtomicAddVector},
      {"atomicsub", raiseAtomic<AtomicKind::Sub>},
      {"atomicmax", raiseAtomic<AtomicKind::Max>},
      {"atomicmin", raiseAtomic<AtomicKind::Min>},
      {"atomicand", raiseAtomic<AtomicKind::And>},
      {"atomicor", raiseAtomic<AtomicKind::Or>},
      {"atomicxor", raiseAtomic<AtomicKind::Xor>},
      {"atomicexch", raiseAtomic<AtomicKind::Exch>},
      {"atomicinc", raiseAtomic<AtomicKind::Inc>},
      {"atomicdec", raiseAtomic<AtomicKind::Dec>},
      {"atomiccas", raiseAtomicCAS},
      {"ldca", raiseCachedLoad<LoadHint::CA>},
      {"ldcg", raiseCachedLoad<LoadHint::CG>},
      {"ldcs", raiseCachedLoad<LoadHint::CS>},
      {"ldlu", raiseCachedLoad<LoadHint::LU>},
      {"ldcv", raiseCachedLoad<LoadHint::CV>},
      {"stwb", raiseCachedStore<StoreHint::WB>},
      {"stcg", raiseCachedStore<StoreHint::CG>},
      {"stcs", raiseCachedStore<StoreHint::CS>},
      {"stwt", raiseCachedStore<StoreHint::WT>},
      {"float2half_rn", raiseConversion},
      {"half2float", raiseConversion},
      {"nanosleep", raiseNanosleep},
      {"wmma_load", raiseMatrix<raiseMatrixLoad>},
      {"wmma_store", raiseMatrix<raiseMatrixStore>},
      {"wmma_multiply", raiseMatrix<raiseMatrixMultiply>},
      {"clock", raiseClock},
      {"clock64", raiseClock},
  };
  return table;
}

/// Takes the prefix of an intrinsic's label away; array functions have Fortran linkage and its prefix as well.
bool consumePrefix(StringRef &label) {
  label.consume_front("_QP");
  return label.consume_front("__cufx_");
}

/// The handler of `label`, with or without its type suffix, or null.
Handler findHandler(StringRef label) {
  if (!consumePrefix(label))
    return nullptr;
  while (!label.empty()) {
    auto found = handlers().find(label);
    if (found != handlers().end())
      return found->second;
    label = label.substr(0, label.rfind('_') == StringRef::npos ? 0 : label.rfind('_'));
  }
  return nullptr;
}

struct RaiseDeviceIntrinsicsPass : cufort::cufx::impl::RaiseDeviceIntrinsicsBase<RaiseDeviceIntrinsicsPass> {
  void runOnOperation() override {
    raisePredefinedVariables(getOperation());
    SmallVector<fir::CallOp> calls;
    getOperation().walk([&](fir::CallOp call) {
      StringRef label = calleeName(call);
      if (consumePrefix(label))
        calls.push_back(call);
    });
    for (fir::CallOp op : calls) {
      StringRef label = calleeName(op);
      if (Handler handler = findHandler(label)) {
        Call call(op);
        handler(call);
        if (call.hasFailed)
          signalPassFailure();
      } else {
        op.emitError() << "device intrinsic '" << label << "' is not known to the compiler";
        signalPassFailure();
      }
    }
  }
};

} // namespace
