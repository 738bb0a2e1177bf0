#include "codegen/Device/KnownExtents.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// The extents in the type of the array that `op` takes the element at `indices` of; empty if it does something else.
ArrayRef<int64_t> extentsOfOperand(Operation &op, ValueRange indices) {
  if (auto apply = dyn_cast<hlfir::ApplyOp>(op))
    return apply.getIndices() == indices ? cast<hlfir::ExprType>(apply.getExpr().getType()).getShape()
                                         : ArrayRef<int64_t>();
  auto element = dyn_cast<hlfir::DesignateOp>(op);
  auto array = element
                   ? dyn_cast<fir::SequenceType>(hlfir::getFortranElementOrSequenceType(element.getMemref().getType()))
                   : fir::SequenceType();
  bool isPlain = array && !element.getComponent() && element.getSubstring().empty() &&
                 !llvm::is_contained(element.getIsTriplet(), true) && element.getIndices() == indices;
  return isPlain ? array.getShape() : ArrayRef<int64_t>();
}

void useKnownExtents(hlfir::ElementalOp elemental) {
  auto shape = elemental.getShape().getDefiningOp<fir::ShapeOp>();
  if (!shape)
    return;
  SmallVector<Value> extents(shape.getExtents());
  OpBuilder builder(elemental);
  bool changed = false;
  for (Operation &op : *elemental.getBody())
    for (auto [extent, known] : llvm::zip(extents, extentsOfOperand(op, elemental.getIndices()))) {
      if (known == fir::SequenceType::getUnknownExtent() || matchPattern(extent, m_Constant()))
        continue;
      extent = arith::ConstantIndexOp::create(builder, elemental.getLoc(), known);
      changed = true;
    }
  if (changed)
    elemental.getShapeMutable().set(fir::ShapeOp::create(builder, elemental.getLoc(), extents));
}

struct KnownExtents : PassWrapper<KnownExtents, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnownExtents)

  StringRef getArgument() const override { return "cufx-known-extents"; }
  StringRef getDescription() const override { return "take extents from the operand that has constant ones"; }

  void runOnOperation() override {
    getOperation().walk([](hlfir::ElementalOp elemental) {
      if (cufort::cufx::isInDeviceCode(elemental))
        useKnownExtents(elemental);
    });
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createKnownExtents() { return std::make_unique<KnownExtents>(); }
