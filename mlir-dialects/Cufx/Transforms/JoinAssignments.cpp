// In: assignments that follow each other in a block of host code, with nothing between them but what evaluates them.
//
//   cuf.data_transfer %expression to %array       next = before + 2*dt*rate
//   cuf.data_transfer %other to %second           filtered = now + nu*(before - 2*now + next)
//
// Out: one kernel, which reads `before` once and does not read `next`.
//
//   fir.if %variables_have_streams { one kernel for each } else {
//     cuf.kernel<<<*, *>>> (%i : index) = ... { ... fir.store to %array(%i) ... fir.store to %second(%i) }
//   }

#include "mlir-dialects/Cufx/Transforms/JoinAssignments.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/NeighbourStatements.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Recognition ----------------------------------------------------------------------------------------------===//

/// More make a kernel that needs many registers.
constexpr size_t mostTogether = 8;

/// True if the last assignment of `group` may give its target another shape: none of the group reads it in place.
bool lastChangesShape(ArrayRef<DeviceAssignment> group) {
  Value target = group.back().target;
  return group.back().mayChangeShape() &&
         llvm::none_of(group, [&](const DeviceAssignment &member) { return readsInPlace(member.expression, target); });
}

/// True if the last assignment of `group` changes bounds that one of the group may have asked for.
bool lastChangesKnownBounds(ArrayRef<DeviceAssignment> group) {
  return lastChangesShape(group) && llvm::any_of(group, [&](const DeviceAssignment &member) {
           return asksForDescriptorOf(member.op, group.back().target);
         });
}

/// True if both read an array in place, or one reads what the other assigns to: they have the same shape.
bool haveSameShape(const DeviceAssignment &first, const DeviceAssignment &second) {
  auto isRead = [&](Value array) { return readsInPlace(second.expression, array); };
  bool isOfSecond = !second.mayChangeShape() &&
                    (areSameInPlace(first.target, second.target) || readsInPlace(first.expression, second.target));
  return isOfSecond || isRead(first.target) || findArray(first.expression, [&](Value array) {
           return readsInPlace(first.expression, array) && isRead(array);
         });
}

/// True if no element of either is needed for another element of the other.
bool areIndependent(const DeviceAssignment &first, const DeviceAssignment &second) {
  return (!mayOverlap(first.target, second.target) || areSameInPlace(first.target, second.target)) &&
         !mayReadElsewhere(second.expression, first.target) && !mayReadElsewhere(first.expression, second.target);
}

bool mayJoin(ArrayRef<DeviceAssignment> group, const DeviceAssignment &next) {
  SmallVector<DeviceAssignment> joined(group);
  joined.push_back(next);
  return group.size() < mostTogether && isByElement(group.front()) && isByElement(next) &&
         isNextTo(group.back().op, next.op) &&
         llvm::all_of(group, [&](const DeviceAssignment &member) { return areIndependent(member, next); }) &&
         llvm::any_of(group, [&](const DeviceAssignment &member) { return haveSameShape(member, next); }) &&
         !lastChangesKnownBounds(group) && !lastChangesKnownBounds(joined);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

/// Gives the targets of a group their shapes, each where its statement stands, and lets statements use descriptors that
/// an earlier one has loaded: the kernel then knows that they are the same.
class Descriptors {
public:
  explicit Descriptors(fir::FirOpBuilder &builder) : builder(builder) {}

  void passEvaluation(Operation *statement) {
    for (Operation &op : llvm::make_early_inc_range(evaluationOf(statement)))
      if (auto load = dyn_cast<fir::LoadOp>(op); load && isa<fir::BaseBoxType>(load.getType()))
        useFirst(load);
  }

  /// `group` ends with the statement.
  void passStatement(ArrayRef<DeviceAssignment> group) {
    if (!lastChangesShape(group))
      return;
    giveShapeInPlace(builder, group.back());
    llvm::erase_if(loaded, [&](fir::LoadOp load) { return isDescriptorOf(load, group.back().target); });
  }

  /// `variable` as it is named where a statement reads it.
  hlfir::Entity arrayOf(Value variable) {
    auto found = llvm::find_if(loaded, [&](fir::LoadOp load) { return isDescriptorOf(load, variable); });
    if (found != loaded.end())
      return hlfir::Entity{found->getResult()};
    return hlfir::derefPointersAndAllocatables(variable.getLoc(), builder, hlfir::Entity{variable});
  }

private:
  void useFirst(fir::LoadOp load) {
    auto first = llvm::find_if(loaded, [&](fir::LoadOp other) {
      return other.getType() == load.getType() && isSameInStatement(other.getMemref(), load.getMemref());
    });
    if (first == loaded.end()) {
      loaded.push_back(load);
      return;
    }
    load.replaceAllUsesWith(first->getResult());
    load.erase();
  }

  fir::FirOpBuilder &builder;
  SmallVector<fir::LoadOp> loaded;
};

void assignAlone(fir::FirOpBuilder &builder, const DeviceAssignment &assignment) {
  Location loc = assignment.op->getLoc();
  StatementStream stream(builder, loc, assignment.target, hiddenArrayIn(assignment.expression));
  DeviceExpression expression(builder, loc, assignment.expression);
  evaluateInto(builder, loc, expression, hlfir::Entity{assignment.target});
  stream.end(builder);
}

} // namespace

SmallVector<SmallVector<DeviceAssignment>> cufort::cufx::joinNeighbours(ArrayRef<DeviceAssignment> assignments) {
  SmallVector<SmallVector<DeviceAssignment>> groups;
  for (const DeviceAssignment &assignment : assignments) {
    if (groups.empty() || !mayJoin(groups.back(), assignment))
      groups.emplace_back();
    groups.back().push_back(assignment);
  }
  return groups;
}

void cufort::cufx::assignTogether(ArrayRef<DeviceAssignment> group, ModuleOp module) {
  fir::FirOpBuilder builder(group.back().op, fir::getKindMapping(module));
  Location loc = group.back().op->getLoc();
  Descriptors descriptors(builder);
  for (size_t i = 0; i < group.size(); ++i) {
    descriptors.passEvaluation(group[i].op);
    descriptors.passStatement(group.take_front(i + 1));
  }
  builder.setInsertionPoint(group.back().op);
  auto arrays = std::make_shared<ArraysInKernel>();
  SmallVector<std::unique_ptr<DeviceExpression>> expressions;
  SmallVector<Evaluation> evaluations;
  for (const DeviceAssignment &assignment : group) {
    expressions.push_back(std::make_unique<DeviceExpression>(builder, loc, assignment.expression, arrays));
    evaluations.push_back({expressions.back().get(), descriptors.arrayOf(assignment.target)});
  }
  Value hasStreams = VariablesHaveStreamsOp::create(builder, loc, builder.getI1Type());
  builder.genIfThenElse(loc, hasStreams)
      .genThen([&] {
        for (const DeviceAssignment &assignment : group)
          assignAlone(builder, assignment);
      })
      .genElse([&] { evaluateTogether(builder, loc, evaluations); })
      .end();
  for (DeviceAssignment assignment : group)
    assignment.erase();
}
