#include "codegen/Host/HeapVariables.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Transforms/MemoryUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

/// Bytes of a variable that are too many for the stack. With as many, allocating takes a small part of the time that
/// it takes to use them.
static constexpr uint64_t largeBytes = 64 << 10;

namespace {

struct HeapVariables : PassWrapper<HeapVariables, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HeapVariables)
  StringRef getArgument() const override { return "cufx-heap-variables"; }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.empty())
      return;
    IRRewriter rewriter(function.getContext());
    fir::replaceAllocas(
        rewriter, function, [&](fir::AllocaOp variable) { return !variable.getPinned() && isForHeap(variable); },
        [](OpBuilder &builder, fir::AllocaOp variable, bool) -> Value {
          return fir::AllocMemOp::create(builder, variable.getLoc(), variable.getInType(),
                                         variable.getUniqName().value_or(""), variable.getBindcName().value_or(""),
                                         variable.getTypeparams(), variable.getShape());
        },
        [](Location loc, OpBuilder &builder, Value memory) { fir::FreeMemOp::create(builder, loc, memory); });
  }

private:
  static bool isForHeap(fir::AllocaOp variable) {
    Type type = variable.getInType();
    if (!isa<fir::SequenceType, fir::RecordType>(type) || isResult(variable))
      return false;
    if (fir::hasDynamicSize(type))
      return true;
    auto module = variable->getParentOfType<ModuleOp>();
    auto size = fir::getTypeSizeAndAlignment(variable.getLoc(), type, DataLayout(module), fir::getKindMapping(module));
    return size && size->first > largeBytes;
  }

  /// True if the function returns the value of `variable`: the caller provides its memory.
  static bool isResult(fir::AllocaOp variable) {
    auto isReturned = [](Operation *user) {
      return isa<fir::LoadOp>(user) &&
             llvm::any_of(user->getUsers(), [](Operation *use) { return isa<func::ReturnOp>(use); });
    };
    return llvm::any_of(variable->getUsers(), [&](Operation *user) {
      return isReturned(user) || (isa<fir::DeclareOp>(user) && llvm::any_of(user->getUsers(), isReturned));
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createHeapVariables() { return std::make_unique<HeapVariables>(); }
