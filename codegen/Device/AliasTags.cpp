#include "codegen/Device/AliasTags.h"
#include "codegen/Device/StackTemporaries.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/FirAliasTagOpInterface.h"
#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace {

bool hasTargets(func::FuncOp func) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, fir::getTargetAttrName()))
      return true;
  return false;
}

/// What was copied into new memory may be read by another name: tags tell a component from the array that it is copied
/// from, and LLVM then takes the new memory for unset. Automatic arrays have one name.
bool allocates(func::FuncOp func) {
  auto isTemporary = [](fir::AllocMemOp allocation) {
    bool isAutomatic = allocation->hasAttr(cufort::codegen::automaticArrayAttribute);
    return isAutomatic ? WalkResult::advance() : WalkResult::interrupt();
  };
  return func.walk(isTemporary).wasInterrupted();
}

struct DropAliasTagsOfTargets : PassWrapper<DropAliasTagsOfTargets, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropAliasTagsOfTargets)

  StringRef getArgument() const override { return "cufx-drop-alias-tags-of-targets"; }
  StringRef getDescription() const override {
    return "forget alias tags of procedures with targets as arguments, of those that allocate, and of marked stores";
  }

  void runOnOperation() override {
    bool hasAnyNames = hasTargets(getOperation()) || allocates(getOperation());
    getOperation().walk([&](fir::FirAliasTagOpInterface op) {
      if (hasAnyNames || op->removeAttr(cufort::cufx::anyNameAttribute))
        op.setTBAATags({});
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createDropAliasTagsOfTargets() {
  return std::make_unique<DropAliasTagsOfTargets>();
}
