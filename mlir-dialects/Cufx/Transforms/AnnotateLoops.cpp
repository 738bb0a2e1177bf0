// In: the blocks of a DO construct whose body branches, as Flang's lowering makes them: a header that tests whether
// there is another round, at the place of the DO statement, and branches back to it. Out: the branches back have the
// loop annotation that those of other loops get from Flang.

#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_ANNOTATELOOPS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;

namespace {

/// Copies of rounds by the places "file:line" of DO statements.
using Directives = llvm::StringMap<unsigned>;

Directives directivesOf(ModuleOp module) {
  Directives directives;
  if (auto listed = module->getAttrOfType<ArrayAttr>(cufort::cufx::unrollDirectivesAttribute))
    for (StringRef directive : listed.getAsValueRange<StringAttr>()) {
      auto [place, copies] = directive.rsplit(':');
      unsigned number = 0;
      if (!copies.getAsInteger(10, number))
        directives[place] = number;
    }
  return directives;
}

/// The place of `op` as Directives have it; empty if it has none.
std::string placeOf(Operation &op) {
  auto location = op.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!location)
    return "";
  return (llvm::sys::path::filename(location.getFilename().getValue()) + ":" + Twine(location.getLine())).str();
}

LLVM::LoopAnnotationAttr annotationFor(MLIRContext &context, unsigned copies) {
  Builder builder(&context);
  BoolAttr disable = builder.getBoolAttr(copies == 1), full = copies == 0 ? builder.getBoolAttr(true) : BoolAttr();
  IntegerAttr count = copies > 1 ? builder.getI64IntegerAttr(copies) : IntegerAttr();
  auto unroll = LLVM::LoopUnrollAttr::get(&context, disable, count, {}, full, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(&context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

struct AnnotateLoopsPass : cufort::cufx::impl::AnnotateLoopsBase<AnnotateLoopsPass> {
  void runOnOperation() override {
    Directives directives = directivesOf(getOperation());
    if (directives.empty())
      return;
    getOperation().walk([&](cf::CondBranchOp test) {
      auto found = directives.find(placeOf(*test));
      if (found != directives.end())
        annotate(*test->getBlock(), annotationFor(getContext(), found->second));
    });
  }

  /// Annotates the branches from inside the loop with `header` back to it.
  void annotate(Block &header, LLVM::LoopAnnotationAttr annotation) {
    auto &dominance = getAnalysis<DominanceInfo>();
    for (Block *before : header.getPredecessors())
      if (auto branch = dyn_cast<cf::BranchOp>(before->getTerminator()); branch && dominance.dominates(&header, before))
        branch->setAttr(LLVM::BrOp::getLoopAnnotationAttrName({"llvm.br", &getContext()}), annotation);
  }
};

} // namespace
