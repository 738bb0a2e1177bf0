// In:
//
//   %0 = fir.allocmem !fir.array<?xf32>, %n {bindc_name = ".tmp.where"}
//   ...
//   fir.freemem %1      (%1 is %0 after declarations and conversions)
//
// Out, if %n is a constant: a fir.alloca at the start of the function. In a loop each round has the same place, because
// the temporary of the round before has been freed. Otherwise:
//
//   %buffer = fir.alloca !fir.array<256xf32>      (at the start of the function)
//   ...
//   %fits = (arith.cmpi ule, %n, 256) and fir.call @cufortHasStackBuffers()
//   %0 = fir.if %fits -> (!fir.heap<!fir.array<?xf32>>) { %buffer } else { fir.allocmem !fir.array<?xf32>, %n }
//   ...
//   fir.if %fits {} else { fir.freemem %1 }
//
// Temporaries whose times do not overlap have one buffer. The device link says where there is room for buffers
// (codegen/Device/StackBuffers.h). Automatic arrays, for which lowering has a fir.alloca with an extent, are allocated
// and freed as if they were temporaries: ptxas does not know what they take from the stack, of which a thread has 1 KB.

#include "codegen/Device/StackTemporaries.h"
#include "codegen/Device/StackBuffers.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using cufort::codegen::hasStackBuffersName;

namespace {

/// Of one temporary of known size. More would cost more local memory on a GPU than the heap has.
constexpr uint64_t maxBytes = 4096;

/// Of the place for a temporary whose size is not known. Local memory is reserved for all threads that a GPU can hold.
constexpr uint64_t bufferBytes = 1024;

/// Of all such places of one procedure, which share it if they are many.
constexpr uint64_t allBuffersBytes = 4096;

/// The type of the temporary with all its extents; null if one is not known.
fir::SequenceType knownType(fir::AllocMemOp allocation) {
  auto type = dyn_cast<fir::SequenceType>(allocation.getInType());
  if (!type || !allocation.getTypeparams().empty())
    return {};
  SmallVector<int64_t> extents(type.getShape());
  auto operand = allocation.getShape().begin();
  for (int64_t &extent : extents) {
    if (extent != fir::SequenceType::getUnknownExtent())
      continue;
    auto constant = fir::getIntIfConstant(*operand++);
    if (!constant || *constant < 0)
      return {};
    extent = *constant;
  }
  return fir::SequenceType::get(extents, type.getEleTy());
}

/// The operations that free what `value` points to, through other names of it.
void collectFrees(Value value, SmallVectorImpl<fir::FreeMemOp> &frees) {
  for (Operation *user : value.getUsers()) {
    if (auto free = dyn_cast<fir::FreeMemOp>(user))
      frees.push_back(free);
    else if (isa<fir::ConvertOp, fir::DeclareOp, fir::EmboxOp, fir::ReboxOp, fir::BoxAddrOp>(user))
      collectFrees(user->getResult(0), frees);
  }
}

/// A temporary from its allocation to what frees it. `end` is an operation of the block that allocates, and null if not
/// each way through that block frees.
struct Temporary {
  fir::AllocMemOp allocation;
  SmallVector<fir::FreeMemOp> frees;
  Operation *end;
};

/// Null if something may free the memory that cannot be seen from here.
std::optional<Temporary> findTemporary(fir::AllocMemOp allocation) {
  Temporary temporary{allocation, {}, nullptr};
  collectFrees(allocation, temporary.frees);
  if (temporary.frees.empty())
    return std::nullopt;
  Block *block = allocation->getBlock();
  for (fir::FreeMemOp free : temporary.frees)
    if (!block->findAncestorOpInBlock(*free))
      return std::nullopt;
  if (temporary.frees.size() == 1 && temporary.frees.front()->getBlock() == block)
    temporary.end = temporary.frees.front();
  return temporary;
}

/// True if `inner` lives, if only for some time, while a round of the block of `outer` is between its two ends.
bool livesWithin(const Temporary &inner, const Temporary &outer) {
  Operation *here = outer.allocation->getBlock()->findAncestorOpInBlock(*inner.allocation);
  return here && !here->isBeforeInBlock(outer.allocation) && here->isBeforeInBlock(outer.end);
}

/// Operations from an allocation to its end lie in one block, so that of two that are alive at once one lies within the
/// other.
bool overlap(const Temporary &one, const Temporary &other) {
  return !one.end || !other.end || livesWithin(one, other) || livesWithin(other, one);
}

bool isSavedBefore(LLVM::StackRestoreOp restore, Operation *op) {
  auto save = restore.getPtr().getDefiningOp<LLVM::StackSaveOp>();
  return save && save->getBlock() == op->getBlock() && save->isBeforeInBlock(op);
}

/// True if a function returns what is in `memory`. It will be the caller's memory.
bool isReturned(Value memory) {
  return llvm::any_of(memory.getUsers(), [](Operation *user) {
    if (isa<fir::DeclareOp, fir::ConvertOp>(user))
      return isReturned(user->getResult(0));
    return isa<fir::LoadOp>(user) && isa<fir::SequenceType>(user->getResult(0).getType());
  });
}

/// True for arrays with an extent that is known when the program runs.
bool isAutomatic(fir::AllocaOp variable) {
  return !isReturned(variable) && isa<fir::SequenceType>(variable.getInType()) && variable.getTypeparams().empty() &&
         !llvm::all_of(variable.getShape(), [](Value extent) { return fir::getIntIfConstant(extent).has_value(); });
}

/// The operations before which the memory of `variable` goes: the ends of its procedure, or of its BLOCK, if lowering
/// has saved the stack for that.
SmallVector<Operation *> endsOf(fir::AllocaOp variable) {
  SmallVector<Operation *> ends;
  if (variable->getBlock() == &variable->getParentOfType<func::FuncOp>().front())
    variable->getParentOfType<func::FuncOp>().walk([&](func::ReturnOp end) { ends.push_back(end); });
  else
    for (Operation *next = variable->getNextNode(); next && ends.empty(); next = next->getNextNode())
      if (auto restore = dyn_cast<LLVM::StackRestoreOp>(next); restore && isSavedBefore(restore, variable))
        ends.push_back(next);
  return ends;
}

/// Allocates an automatic array as a temporary is.
std::optional<Temporary> allocateAutomatic(fir::AllocaOp variable) {
  SmallVector<Operation *> ends = endsOf(variable);
  if (ends.empty())
    return std::nullopt;
  OpBuilder builder(variable);
  Location loc = variable.getLoc();
  auto allocation = fir::AllocMemOp::create(builder, loc, variable.getInType(), /*uniqName=*/"",
                                            variable.getBindcName().value_or(""), ValueRange(), variable.getShape());
  allocation->setAttr(cufort::codegen::automaticArrayAttribute, builder.getUnitAttr());
  Value memory = fir::ConvertOp::create(builder, loc, variable.getType(), allocation);
  variable.replaceAllUsesWith(memory);
  variable.erase();
  Temporary temporary{allocation, {}, nullptr};
  for (Operation *end : ends) {
    builder.setInsertionPoint(end);
    temporary.frees.push_back(fir::FreeMemOp::create(builder, loc, allocation));
  }
  if (ends.size() == 1 && ends.front()->getBlock() == allocation->getBlock())
    temporary.end = temporary.frees.front();
  return temporary;
}

using BytesOf = function_ref<uint64_t(Location, Type)>;

/// A place on the stack and the temporaries that use it.
struct Buffer {
  Type element;
  uint64_t elementBytes;
  SmallVector<Temporary> users;
};

/// Gives the temporaries of one function their places.
class FunctionTemporaries {
public:
  FunctionTemporaries(func::FuncOp function, BytesOf bytesOf) : function(function), bytesOf(bytesOf) {}

  void place() {
    SmallVector<Temporary> unknown;
    function.walk([&](fir::AllocaOp variable) {
      if (isAutomatic(variable))
        if (std::optional<Temporary> temporary = allocateAutomatic(variable))
          unknown.push_back(*temporary);
    });
    function.walk([&](fir::AllocMemOp allocation) {
      // What the program allocates has a name of its own.
      if (!allocation.getBindcName().value_or("").starts_with(".tmp"))
        return;
      fir::SequenceType type = knownType(allocation);
      if (type && bytesOf(allocation.getLoc(), type) <= maxBytes)
        moveToStack(allocation, type);
      else if (!type && isa<fir::SequenceType>(allocation.getInType()) && allocation.getTypeparams().empty())
        if (std::optional<Temporary> temporary = findTemporary(allocation))
          unknown.push_back(*temporary);
    });
    placeUnknown(unknown);
  }

private:
  void moveToStack(fir::AllocMemOp allocation, fir::SequenceType type) {
    std::optional<Temporary> temporary = findTemporary(allocation);
    if (!temporary)
      return;
    OpBuilder builder(allocation);
    Value memory = fir::ConvertOp::create(builder, allocation.getLoc(), allocation.getType(),
                                          placeAtStart(allocation, type).getResult());
    allocation.replaceAllUsesWith(memory);
    allocation.erase();
    for (fir::FreeMemOp free : temporary->frees)
      free.erase();
  }

  fir::AllocaOp placeAtStart(fir::AllocMemOp allocation, fir::SequenceType type) {
    OpBuilder atStart = OpBuilder::atBlockBegin(&function.front());
    return fir::AllocaOp::create(atStart, allocation.getLoc(), type, allocation.getBindcName().value_or(""));
  }

  /// All buffers are chosen before the operations change that say which temporaries are alive at once.
  void placeUnknown(ArrayRef<Temporary> temporaries) {
    SmallVector<Buffer> buffers;
    for (const Temporary &temporary : temporaries) {
      fir::AllocMemOp allocation = temporary.allocation;
      Type element = cast<fir::SequenceType>(allocation.getInType()).getEleTy();
      uint64_t bytes = bytesOf(allocation.getLoc(), element);
      if (bytes == 0 || bytes > bufferBytes)
        continue;
      chooseBuffer(buffers, element, bytes, temporary).users.push_back(temporary);
    }
    for (Buffer &buffer : buffers) {
      uint64_t bytes = std::min<uint64_t>(bufferBytes, allBuffersBytes / buffers.size());
      auto capacity = static_cast<int64_t>(bytes / buffer.elementBytes);
      if (capacity == 0)
        continue;
      auto type = fir::SequenceType::get({capacity}, buffer.element);
      fir::AllocaOp place = placeAtStart(buffer.users.front().allocation, type);
      for (Temporary &user : buffer.users)
        useIfItFits(user, place);
    }
  }

  static Buffer &chooseBuffer(SmallVectorImpl<Buffer> &buffers, Type element, uint64_t bytes,
                              const Temporary &temporary) {
    for (Buffer &buffer : buffers)
      if (buffer.element == element &&
          llvm::none_of(buffer.users, [&](const Temporary &user) { return overlap(user, temporary); }))
        return buffer;
    buffers.push_back({element, bytes, {}});
    return buffers.back();
  }

  static void useIfItFits(Temporary &temporary, fir::AllocaOp place) {
    fir::AllocMemOp allocation = temporary.allocation;
    Location loc = allocation.getLoc();
    OpBuilder builder(allocation);
    Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, countElements(builder, allocation),
                                        capacity(builder, place));
    auto hasBuffers = fir::CallOp::create(builder, loc, SymbolRefAttr::get(builder.getContext(), hasStackBuffersName),
                                          SmallVector<Type>{builder.getI1Type()}, ValueRange());
    Value fits = arith::AndIOp::create(builder, loc, isFew, hasBuffers.getResult(0));
    auto choice = fir::IfOp::create(builder, loc, TypeRange{allocation.getType()}, fits, /*withElseRegion=*/true);
    allocation.replaceAllUsesWith(choice.getResult(0));
    builder.setInsertionPointToStart(&choice.getThenRegion().front());
    Value memory = fir::ConvertOp::create(builder, loc, allocation.getType(), place.getResult());
    fir::ResultOp::create(builder, loc, memory);
    builder.setInsertionPointToStart(&choice.getElseRegion().front());
    fir::ResultOp result = fir::ResultOp::create(builder, loc, allocation.getResult());
    allocation->moveBefore(result);
    for (fir::FreeMemOp free : temporary.frees)
      freeUnless(fits, free);
  }

  static Value capacity(OpBuilder &builder, fir::AllocaOp place) {
    int64_t elements = cast<fir::SequenceType>(place.getInType()).getConstantArraySize();
    return arith::ConstantIndexOp::create(builder, place.getLoc(), elements);
  }

  static Value countElements(OpBuilder &builder, fir::AllocMemOp allocation) {
    Location loc = allocation.getLoc();
    auto type = cast<fir::SequenceType>(allocation.getInType());
    Value count = arith::ConstantIndexOp::create(builder, loc, 1);
    auto operand = allocation.getShape().begin();
    for (int64_t extent : type.getShape()) {
      Value factor = extent == fir::SequenceType::getUnknownExtent()
                         ? fir::ConvertOp::create(builder, loc, builder.getIndexType(), *operand++).getResult()
                         : arith::ConstantIndexOp::create(builder, loc, extent).getResult();
      count = arith::MulIOp::create(builder, loc, count, factor);
    }
    return count;
  }

  static void freeUnless(Value fits, fir::FreeMemOp free) {
    OpBuilder builder(free);
    auto choice = fir::IfOp::create(builder, free.getLoc(), fits, /*withElseRegion=*/true);
    free->moveBefore(choice.getElseRegion().front().getTerminator());
  }

  func::FuncOp function;
  BytesOf bytesOf;
};

struct StackTemporaries : PassWrapper<StackTemporaries, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StackTemporaries)

  StringRef getArgument() const override { return "cufx-stack-temporaries"; }
  StringRef getDescription() const override { return "put small temporary and automatic arrays on the stack"; }

  void runOnOperation() override {
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    fir::KindMapping kinds = fir::getKindMapping(getOperation());
    auto bytesOf = [&](Location loc, Type type) -> uint64_t {
      auto size = type ? fir::getTypeSizeAndAlignment(loc, type, *layout, kinds) : std::nullopt;
      return size ? llvm::alignTo(size->first, size->second) : 0;
    };
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto type = builder.getFunctionType({}, {builder.getI1Type()});
    auto hasBuffers = func::FuncOp::create(builder, getOperation().getLoc(), hasStackBuffersName, type);
    hasBuffers.setPrivate();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        FunctionTemporaries(function, bytesOf).place();
    if (SymbolTable::symbolKnownUseEmpty(hasBuffers, getOperation()))
      hasBuffers.erase();
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createStackTemporaries() { return std::make_unique<StackTemporaries>(); }
