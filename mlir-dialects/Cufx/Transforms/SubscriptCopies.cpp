// In:  %vector = hlfir.elemental ...                        an expression of host data, or a host array
//      %elements = hlfir.elemental {
//        %subscript = hlfir.apply %vector, %i
//        %element = hlfir.designate %array (%subscript)
//      }
// Out: cuf.data_transfer %vector to %copy                   a device temporary
//      %elements = hlfir.elemental {
//        %place = hlfir.designate %copy (%i)
//        %subscript = fir.load %place
//        %element = hlfir.designate %array (%subscript)
//      }
//
// A kernel can do the assignment then. The user has no other way to write it, since the elements are on the device.

#include "mlir-dialects/Cufx/Transforms/SubscriptCopies.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/ArraysInKernel.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if `number` is a subscript of arrays, and nothing else.
bool isSubscript(Value number) {
  return !number.use_empty() && llvm::all_of(number.getUsers(), [&](Operation *user) {
    if (isa<fir::ConvertOp>(user))
      return isSubscript(user->getResult(0));
    auto element = dyn_cast<hlfir::DesignateOp>(user);
    return element && llvm::is_contained(element.getIndices(), number);
  });
}

/// True for integers in memory that only the host has, or that only the host can calculate.
bool isVectorOfHost(Value value) {
  if (hlfir::Entity{value}.getRank() != 1 || !hlfir::getFortranElementType(value.getType()).isSignlessInteger())
    return false;
  bool isVariable = !isa<hlfir::ExprType>(value.getType());
  return isVariable ? bool(hostArrayIn(value)) : !DeviceExpression::isOne(value) && !hiddenArrayIn(value);
}

class SubscriptCopier {
public:
  SubscriptCopier(const DeviceAssignment &assignment, ModuleOp module)
      : assignment(assignment), builder(assignment.op, fir::getKindMapping(module)), loc(assignment.op->getLoc()) {}

  void copyIn(Value expression) {
    Operation *op = expression.getDefiningOp();
    if (!op || !isa<hlfir::ExprType>(expression.getType()))
      return;
    for (Value operand : SmallVector<Value>(op->getOperands()))
      copyIn(operand);
    SmallVector<hlfir::ApplyOp> applies;
    SmallVector<fir::LoadOp> loads;
    op->walk([&](hlfir::ApplyOp apply) { applies.push_back(apply); });
    op->walk([&](fir::LoadOp load) { loads.push_back(load); });
    for (hlfir::ApplyOp apply : applies)
      if (isSubscript(apply.getResult()) && isVectorOfHost(apply.getExpr()))
        replace(apply);
      else
        copyIn(apply.getExpr());
    for (fir::LoadOp load : loads)
      if (auto element = load.getMemref().getDefiningOp<hlfir::DesignateOp>();
          element && isSubscript(load) && isElementOfHost(element, op))
        replace(load, element, op);
  }

private:
  /// True for an element of a vector from outside of the expression `op`.
  static bool isElementOfHost(hlfir::DesignateOp element, Operation *op) {
    Value vector = element.getMemref();
    return !element.getComponent() && element.getIndices().size() == 1 && element.getIsTriplet() == ArrayRef{false} &&
           !op->isAncestor(vector.getParentBlock()->getParentOp()) && isVectorOfHost(vector);
  }

  /// A copy of `vector` in device memory at the insertion point. Subscripts of several arrays may share one.
  Value copyOf(Value vector) {
    auto isHere = [&](const Copy &copy) {
      Operation *definition = copy.memory.getDefiningOp();
      auto place = builder.getInsertionPoint();
      return definition->getBlock() == builder.getInsertionBlock() &&
             (place == builder.getInsertionBlock()->end() || definition->isBeforeInBlock(&*place));
    };
    for (const Copy &copy : copies)
      if (isHere(copy) && isSameInStatement(copy.vector, vector))
        return copy.memory;
    return copies.emplace_back(Copy{vector, createCopy(vector)}).memory;
  }

  /// Lasts from the insertion point to the end of the statement.
  Value createCopy(Value vector) {
    StatementStream stream(builder, loc, assignment.target, hiddenArrayIn(assignment.expression));
    hlfir::DeclareOp copy = createDeviceTemporary(builder, loc, hlfir::getFortranElementType(vector.getType()),
                                                  hlfir::genExtentsVector(loc, builder, hlfir::Entity{vector}));
    auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
    cuf::DataTransferOp::create(builder, loc, vector, copy.getBase(), Value(), kind);
    stream.end(builder);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(assignment.op);
    freeDeviceTemporary(builder, copy);
    return copy.getBase();
  }

  Value loadFrom(Value copy, Value index) {
    Type element = hlfir::getFortranElementType(copy.getType());
    Value place = hlfir::DesignateOp::create(builder, loc, fir::ReferenceType::get(element), copy, ValueRange{index});
    return fir::LoadOp::create(builder, loc, place);
  }

  void replace(hlfir::ApplyOp apply) {
    builder.setInsertionPointAfterValue(apply.getExpr());
    Value copy = copyOf(apply.getExpr());
    builder.setInsertionPoint(apply);
    apply.replaceAllUsesWith(loadFrom(copy, apply.getIndices().front()));
    apply.erase();
  }

  /// Subscripts of the copy begin with 1.
  void replace(fir::LoadOp load, hlfir::DesignateOp element, Operation *op) {
    builder.setInsertionPoint(op);
    Value vector = element.getMemref(), copy = copyOf(vector);
    Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
    Value lower = lowerBoundsOf(builder, loc, hlfir::Entity{vector}).front();
    Value before = arith::SubIOp::create(builder, loc, lower, one);
    builder.setInsertionPoint(load);
    Value index = builder.createConvert(loc, builder.getIndexType(), element.getIndices().front());
    load.replaceAllUsesWith(loadFrom(copy, arith::SubIOp::create(builder, loc, index, before)));
    load.erase();
    if (element.use_empty())
      element.erase();
  }

  struct Copy {
    Value vector, memory;
  };

  const DeviceAssignment &assignment;
  fir::FirOpBuilder builder;
  Location loc;
  SmallVector<Copy> copies;
};

} // namespace

void cufort::cufx::copySubscripts(const DeviceAssignment &assignment, ModuleOp module) {
  SubscriptCopier(assignment, module).copyIn(assignment.expression);
}
