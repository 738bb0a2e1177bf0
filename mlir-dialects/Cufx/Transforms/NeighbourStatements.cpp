#include "mlir-dialects/Cufx/Transforms/NeighbourStatements.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

/// True if nothing but elemental operations makes `expression`.
static bool isElemental(Value expression) {
  auto elemental = expression.getDefiningOp<hlfir::ElementalOp>();
  if (!elemental)
    return false;
  return !elemental
              .walk([](hlfir::ApplyOp apply) {
                return isElemental(apply.getExpr()) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool cufort::cufx::isByElement(const DeviceAssignment &assignment) {
  return !assignment.associated && isHiddenFromHost(assignment.target) &&
         dataAttribute(assignment.target) != cuf::DataAttribute::Constant && isElemental(assignment.expression) &&
         DeviceExpression::isOne(assignment.expression) && readsHiddenArray(assignment.expression) &&
         !mayReadElsewhere(assignment.expression, assignment.target);
}

bool cufort::cufx::isEvaluation(Operation &op) {
  if (isa<hlfir::ElementalOp, hlfir::DestroyOp, hlfir::ShapeOfOp>(op))
    return true;
  if (auto load = dyn_cast<fir::LoadOp>(op))
    return isa<fir::BaseBoxType>(load.getType()) || !isHiddenFromHost(load.getMemref());
  return isMemoryEffectFree(&op) &&
         llvm::none_of(op.getOperandTypes(), [](Type type) { return isa<hlfir::ExprType>(type); });
}

llvm::iterator_range<Block::iterator> cufort::cufx::evaluationOf(Operation *op) {
  Block::iterator first(op), begin = op->getBlock()->begin();
  while (first != begin && isEvaluation(*std::prev(first)))
    --first;
  return {first, Block::iterator(op)};
}

bool cufort::cufx::isDescriptorOf(fir::LoadOp load, Value array) {
  return isa<fir::BaseBoxType>(load.getType()) && areSameInPlace(load.getResult(), array);
}

bool cufort::cufx::asksForDescriptorOf(Operation *statement, Value array) {
  auto asks = [&](Operation *op) {
    auto load = dyn_cast<fir::LoadOp>(op);
    return load && isDescriptorOf(load, array) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return statement->walk(asks).wasInterrupted() ||
         llvm::any_of(evaluationOf(statement), [&](Operation &op) { return op.walk(asks).wasInterrupted(); });
}

bool cufort::cufx::isNextTo(Operation *first, Operation *second) {
  if (first->getBlock() != second->getBlock())
    return false;
  auto between = evaluationOf(second);
  return between.begin() != first->getBlock()->begin() && &*std::prev(between.begin()) == first;
}

void cufort::cufx::giveShapeInPlace(fir::FirOpBuilder &builder, const DeviceAssignment &assignment) {
  builder.setInsertionPoint(assignment.op);
  Location loc = assignment.op->getLoc();
  StatementStream stream(builder, loc, assignment.target, hiddenArrayIn(assignment.expression));
  DeviceExpression expression(builder, loc, assignment.expression);
  giveShape(builder, loc, assignment.target, expression.extents());
  stream.end(builder);
}
