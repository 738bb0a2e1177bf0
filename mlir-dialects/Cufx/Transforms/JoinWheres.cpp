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
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/NeighbourStatements.h"
#include "mlir-dialects/Cufx/Transforms/RenewDescriptors.h"
#include "mlir-dialects/Cufx/Transforms/WhereByElement.h"
#include "mlir-dialects/Cufx/Transforms/WhereInOneKernel.h"
#include "mlir-dialects/Cufx/Transforms/WhereRegions.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// More make a kernel that needs many registers.
constexpr size_t mostArrays = 8;

/// A WHERE construct, or the assignment of an expression, an array, or a scalar to an array.
struct Statement {
  Operation *op;
  std::optional<DeviceAssignment> assignment; ///< if it is that of an expression
  SmallVector<Value> targets;
  SmallVector<Value> values;     ///< masks and what is assigned, and targets of WHERE
  SmallVector<Region *> regions; ///< of WHERE

  bool isWhere() const { return isa<hlfir::WhereOp>(op); }
  static std::optional<Statement> match(Operation *op);
};

using Group = SmallVector<Statement>;

} // namespace

//===-- Recognition ----------------------------------------------------------------------------------------------===//

static std::optional<Statement> matchWhere(hlfir::WhereOp where) {
  if (!isOfDeviceArrays(where))
    return std::nullopt;
  dissolveExactlyOnce(where);
  if (!isForEachElement(where))
    return std::nullopt;
  WhereParts parts(where);
  return Statement{where, std::nullopt, parts.targets, parts.read, parts.regions};
}

static bool isArrayOfTrivials(hlfir::Entity entity) {
  return entity.isArray() && fir::isa_trivial(entity.getFortranElementType());
}

/// True if the host has the scalar `value`.
static bool isOfHost(Value value) {
  SmallVector<Value> memory;
  collectMemoryOfScalar(value, memory);
  return llvm::none_of(memory, isHiddenFromHost);
}

/// An array that gets a scalar, or the elements of another one of the same shape.
static std::optional<Statement> matchCopy(cuf::DataTransferOp transfer) {
  hlfir::Entity target = variableOf(transfer.getDst());
  if (!isArrayOfTrivials(target) || !isHiddenFromHost(target) || dataAttribute(target) == cuf::DataAttribute::Constant)
    return std::nullopt;
  Value source = transfer.getSrc();
  if (fir::isa_trivial(source.getType()))
    return isOfHost(source) ? std::optional(Statement{transfer, std::nullopt, {target}, {source}, {}}) : std::nullopt;
  if (!fir::isa_ref_type(source.getType()) && !isa<fir::BaseBoxType>(source.getType()))
    return std::nullopt;
  hlfir::Entity array = variableOf(source);
  if (!isArrayOfTrivials(array) || target.isMutableBox() || !isHiddenFromHost(array) ||
      !DeviceExpression::isOne(array) || mayReadElsewhere(array, target))
    return std::nullopt;
  return Statement{transfer, std::nullopt, {target}, {array}, {}};
}

std::optional<Statement> Statement::match(Operation *op) {
  if (auto where = dyn_cast<hlfir::WhereOp>(op))
    return matchWhere(where);
  if (isInDeviceCode(op))
    return std::nullopt;
  if (auto assignment = DeviceAssignment::match(op))
    return isByElement(*assignment)
               ? std::optional(Statement{op, assignment, {assignment->target}, {assignment->expression}, {}})
               : std::nullopt;
  auto transfer = dyn_cast<cuf::DataTransferOp>(op);
  return transfer ? matchCopy(transfer) : std::nullopt;
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

/// True if the shape of what `statement` assigns to may change.
static bool mayChangeShape(const Statement &statement) {
  return statement.assignment && statement.assignment->mayChangeShape();
}

/// True if `array` has the shape of `statement`, whose targets have it in the end.
static bool hasShapeOf(const Statement &statement, Value array) {
  return llvm::any_of(statement.targets, [&](Value target) { return areSameInPlace(target, array); }) ||
         llvm::any_of(statement.values, [&](Value value) {
           return isa<hlfir::ExprType>(value.getType())
                      ? readsInPlace(value, array)
                      : !fir::isa_trivial(value.getType()) && areSameInPlace(value, array);
         });
}

/// True if both have an array in place.
static bool haveSameShape(const Statement &first, const Statement &second) {
  bool isOfTarget =
      !mayChangeShape(second) && llvm::any_of(second.targets, [&](Value target) { return hasShapeOf(first, target); });
  return isOfTarget || llvm::any_of(second.values, [&](Value value) {
           return !fir::isa_trivial(value.getType()) &&
                  findArray(value, [&](Value array) { return hasShapeOf(second, array) && hasShapeOf(first, array); });
         });
}

/// True if `next` changes bounds that it, or one of `group`, may have asked for.
static bool changesKnownBounds(ArrayRef<Statement> group, const Statement &next) {
  auto asks = [&](const Statement &statement) { return asksForDescriptorOf(statement.op, next.assignment->target); };
  return mayChangeShape(next) && (asks(next) || llvm::any_of(group, asks));
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
  return countArrays(group, next) <= mostArrays && isNextTo(group.back().op, next.op) &&
         !changesKnownBounds(group, next) && !changesKnownBounds({}, group.front()) &&
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
    return group.size() == 1 || llvm::none_of(group, [](const Statement &member) { return member.isWhere(); });
  });
  return groups;
}

//===-- One kernel -----------------------------------------------------------------------------------------------===//

static void yieldIn(OpBuilder &builder, Location loc, Region &region, Value value) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  hlfir::YieldOp::create(builder, loc, value);
}

/// Lets what ends the value of `expression` do so behind `after`.
static void endBehind(Value expression, Operation *after) {
  for (Operation *user : llvm::make_early_inc_range(expression.getUsers()))
    if (isa<hlfir::DestroyOp>(user))
      user->moveAfter(after);
}

/// Puts an assignment at the end of the body of `whole`.
static void assignIn(hlfir::WhereOp whole, fir::FirOpBuilder &builder, const Statement &statement) {
  Location loc = statement.op->getLoc();
  builder.setInsertionPoint(whole);
  Value target = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{statement.targets.front()});
  builder.setInsertionPoint(whole.getBody().front().getTerminator());
  auto assign = hlfir::RegionAssignOp::create(builder, loc);
  yieldIn(builder, loc, assign.getRhsRegion(), statement.values.front());
  yieldIn(builder, loc, assign.getLhsRegion(), target);
}

static void join(const Group &group, ModuleOp module) {
  fir::FirOpBuilder builder(group.back().op, fir::getKindMapping(module));
  Location loc = group.back().op->getLoc();
  for (const Statement &statement : group)
    if (mayChangeShape(statement))
      giveShapeInPlace(builder, *statement.assignment);
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
    if (statement.isWhere()) {
      statement.op->moveBefore(whole.getBody().front().getTerminator());
      continue;
    }
    if (statement.assignment)
      endBehind(statement.assignment->expression, choice);
    assignIn(whole, builder, statement);
    statement.op->erase();
  }
  assignInOneKernel(whole);
  renewDescriptors(choice.getElseRegion());
}

void cufort::cufx::joinWheres(ModuleOp module) {
  for (const Group &group : findGroups(module))
    join(group, module);
}
