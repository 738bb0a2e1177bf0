// In: statements that follow each other in a block of host code, with nothing between them but what evaluates them.
//
//   cuf.data_transfer %expression to %array       cover = q*p/saturation
//   hlfir.where { %mask } do { ... }              where (cover > 1) cover = 1
//
// Out: one kernel, as for a WHERE construct without a mask around them.
//
//   fir.if %variables_have_streams { the statements } else {
//     cuf.kernel<<<*, *>>> (%i : index) = ... { fir.store to %array(%i)  fir.if %mask(%i) { ... } }
//   }

#include "mlir-dialects/Cufx/Transforms/JoinWheres.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/AssignWhere.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/NeighbourStatements.h"
#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"
#include "mlir-dialects/Cufx/Transforms/WhereInOneKernel.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// More make a kernel that needs many registers.
constexpr size_t mostArrays = 8;

struct Statement {
  Operation *op;
  std::optional<DeviceAssignment> assignment; ///< or hlfir.where
  SmallVector<Value> targets;
  SmallVector<Value> values;     ///< masks and expressions, and targets of WHERE
  SmallVector<Region *> regions; ///< of WHERE

  static std::optional<Statement> match(Operation *op);
};

using Group = SmallVector<Statement>;

} // namespace

//===-- Recognition ----------------------------------------------------------------------------------------------===//

std::optional<Statement> Statement::match(Operation *op) {
  if (auto where = dyn_cast<hlfir::WhereOp>(op)) {
    if (!isOfDeviceArrays(where))
      return std::nullopt;
    dissolveExactlyOnce(where);
    if (!isForEachElement(where))
      return std::nullopt;
    WhereParts parts(where);
    return Statement{op, std::nullopt, parts.targets, parts.read, parts.regions};
  }
  auto assignment = isInDeviceCode(op) ? std::nullopt : DeviceAssignment::match(op);
  if (!assignment || !isByElement(*assignment))
    return std::nullopt;
  return Statement{op, assignment, {assignment->target}, {assignment->expression}, {}};
}

/// True if an element of `target` may be needed for another element of `statement`, or as one of all.
static bool mayNeedElsewhere(const Statement &statement, Value target) {
  return llvm::any_of(statement.regions, [&](Region *region) { return readsScalarOf(*region, target); }) ||
         llvm::any_of(
             statement.values,
             [&](Value value) { return !fir::isa_trivial(value.getType()) && mayReadElsewhere(value, target); }) ||
         llvm::any_of(statement.targets,
                      [&](Value other) { return mayOverlap(target, other) && !areSameInPlace(target, other); });
}

static bool areIndependent(const Statement &first, const Statement &second) {
  return llvm::none_of(first.targets, [&](Value target) { return mayNeedElsewhere(second, target); }) &&
         llvm::none_of(second.targets, [&](Value target) { return mayNeedElsewhere(first, target); });
}

/// True if `array` has the shape of `statement`, whose targets have it in the end.
static bool hasShapeOf(const Statement &statement, Value array) {
  return llvm::any_of(statement.targets, [&](Value target) { return areSameInPlace(target, array); }) ||
         llvm::any_of(statement.values, [&](Value value) { return readsInPlace(value, array); });
}

/// True if both have an array in place.
static bool haveSameShape(const Statement &first, const Statement &second) {
  return llvm::any_of(second.targets, [&](Value target) { return hasShapeOf(first, target); }) ||
         llvm::any_of(second.values, [&](Value value) {
           return !fir::isa_trivial(value.getType()) &&
                  findArray(value, [&](Value array) { return hasShapeOf(second, array) && hasShapeOf(first, array); });
         });
}

/// True if the shape of what `statement` assigns to may change; only the first statement's may.
static bool mayChangeShape(const Statement &statement) {
  return statement.assignment && statement.assignment->mayChangeShape();
}

/// How many arrays the statements assign to.
static size_t countArrays(const Group &group, const Statement &next) {
  SmallVector<Value> arrays;
  auto add = [&](const Statement &statement) {
    for (Value target : statement.targets)
      if (llvm::none_of(arrays, [&](Value array) { return areSameInPlace(array, target); }))
        arrays.push_back(target);
  };
  llvm::for_each(group, add);
  add(next);
  return arrays.size();
}

static bool mayJoin(const Group &group, const Statement &next) {
  const Statement &first = group.front();
  return countArrays(group, next) <= mostArrays && isNextTo(group.back().op, next.op) && !mayChangeShape(next) &&
         !(mayChangeShape(first) && asksForDescriptorOf(*first.assignment, first.assignment->target)) &&
         llvm::all_of(group, [&](const Statement &member) { return areIndependent(member, next); }) &&
         llvm::any_of(group, [&](const Statement &member) { return haveSameShape(member, next); });
}

static std::vector<Group> findGroups(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<hlfir::WhereOp, cuf::DataTransferOp, hlfir::AssignOp>(op))
      found.push_back(op);
    return isa<hlfir::WhereOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  std::vector<Group> groups;
  for (Operation *op : found) {
    auto statement = Statement::match(op);
    if (!statement)
      continue;
    if (groups.empty() || !mayJoin(groups.back(), *statement))
      groups.emplace_back();
    groups.back().push_back(std::move(*statement));
  }
  llvm::erase_if(groups, [](const Group &group) {
    return group.size() == 1 || llvm::all_of(group, [](const Statement &member) { return member.assignment; });
  });
  return groups;
}

//===-- One kernel -----------------------------------------------------------------------------------------------===//

static void yieldIn(OpBuilder &builder, Location loc, Region &region, Value value) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  hlfir::YieldOp::create(builder, loc, value);
}

/// Lets what ends the values that `assignment` has read do so behind `after`.
static void endValuesBehind(const DeviceAssignment &assignment, Operation *after) {
  for (Operation *user : llvm::make_early_inc_range(assignment.expression.getUsers()))
    if (isa<hlfir::DestroyOp>(user))
      user->moveAfter(after);
}

/// Puts `assignment` at the end of the body of `whole`.
static void assignIn(hlfir::WhereOp whole, fir::FirOpBuilder &builder, const DeviceAssignment &assignment) {
  Location loc = assignment.op->getLoc();
  builder.setInsertionPoint(whole);
  Value target = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{assignment.target});
  builder.setInsertionPoint(whole.getBody().front().getTerminator());
  auto assign = hlfir::RegionAssignOp::create(builder, loc);
  yieldIn(builder, loc, assign.getRhsRegion(), assignment.expression);
  yieldIn(builder, loc, assign.getLhsRegion(), target);
}

static void join(const Group &group, ModuleOp module) {
  fir::FirOpBuilder builder(group.back().op, fir::getKindMapping(module));
  Location loc = group.back().op->getLoc();
  if (mayChangeShape(group.front()))
    giveShapeInPlace(builder, *group.front().assignment);
  builder.setInsertionPoint(group.back().op);
  Value hasStreams = VariablesHaveStreamsOp::create(builder, loc, builder.getI1Type());
  auto choice = fir::IfOp::create(builder, loc, hasStreams, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(&choice.getThenRegion().front());
  for (const Statement &statement : group)
    builder.clone(*statement.op);
  builder.setInsertionPointToStart(&choice.getElseRegion().front());
  auto whole = hlfir::WhereOp::create(builder, loc);
  builder.createBlock(&whole.getBody());
  fir::FirEndOp::create(builder, loc);
  for (const Statement &statement : group) {
    if (!statement.assignment) {
      statement.op->moveBefore(whole.getBody().front().getTerminator());
      continue;
    }
    endValuesBehind(*statement.assignment, choice);
    assignIn(whole, builder, *statement.assignment);
    statement.op->erase();
  }
  assignInOneKernel(whole);
}

void cufort::cufx::joinWheres(ModuleOp module) {
  for (const Group &group : findGroups(module))
    join(group, module);
}
