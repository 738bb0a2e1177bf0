// Finds scalar reductions in the body of a CUF kernel, and builds their arithmetic.

#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Recognition ----------------------------------------------------------------------------------------------===//

/// An operation that combines two values, as one step of a reduction.
struct Step {
  ReductionKind kind;
  Value left, right;
  bool leftOnly;                     ///< the accumulated value can stand on the left only (subtraction)
  SmallVector<Operation *, 2> parts; ///< the operations that make up the step
};

/// True for "left is greater than right", or equal; false for less; none for another comparison.
std::optional<bool> isGreaterComparison(Operation *compare) {
  if (auto real = dyn_cast<arith::CmpFOp>(compare)) {
    using P = arith::CmpFPredicate;
    P p = real.getPredicate();
    if (p == P::OGT || p == P::UGT || p == P::OGE || p == P::UGE)
      return true;
    if (p == P::OLT || p == P::ULT || p == P::OLE || p == P::ULE)
      return false;
  }
  if (auto integer = dyn_cast<arith::CmpIOp>(compare)) {
    using P = arith::CmpIPredicate;
    P p = integer.getPredicate();
    if (p == P::sgt || p == P::sge)
      return true;
    if (p == P::slt || p == P::sle)
      return false;
  }
  return std::nullopt;
}

/// True if both values are computed alike from the same variables, with nothing in between that could change them:
/// they belong to one statement, or the second one to the statement which the first one's comparison guards.
bool isSameComputation(Value left, Value right) {
  if (left == right)
    return true;
  Operation *a = left.getDefiningOp(), *b = right.getDefiningOp();
  if (!a || !b || a->getName() != b->getName() || a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands() || a->getNumRegions() || left.getType() != right.getType())
    return false;
  if (!isMemoryEffectFree(a) && !isa<fir::LoadOp>(a))
    return false;
  return llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                      [](auto operands) { return isSameComputation(std::get<0>(operands), std::get<1>(operands)); });
}

std::optional<ReductionKind> minMaxOfSelect(arith::SelectOp select) {
  Operation *compare = select.getCondition().getDefiningOp();
  std::optional<bool> greater = compare ? isGreaterComparison(compare) : std::nullopt;
  if (!greater)
    return std::nullopt;
  Value left = select.getTrueValue(), right = select.getFalseValue();
  if (isSameComputation(compare->getOperand(0), left) && isSameComputation(compare->getOperand(1), right))
    return *greater ? ReductionKind::Max : ReductionKind::Min;
  if (isSameComputation(compare->getOperand(0), right) && isSameComputation(compare->getOperand(1), left))
    return *greater ? ReductionKind::Min : ReductionKind::Max;
  return std::nullopt;
}

/// Flang compares the operands of `.eqv.` and `.neqv.`.
std::optional<ReductionKind> equivalence(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isInteger(1))
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpIPredicate::eq)
    return ReductionKind::LEqv;
  if (compare.getPredicate() == arith::CmpIPredicate::ne)
    return ReductionKind::LNeqv;
  return std::nullopt;
}

std::optional<Step> matchStep(Operation *op) {
  auto binary = [&](ReductionKind kind, bool leftOnly = false) {
    return Step{kind, op->getOperand(0), op->getOperand(1), leftOnly, {op}};
  };
  bool isLogical = op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  if (isa<arith::AddFOp, arith::AddIOp, fir::AddcOp>(op))
    return binary(ReductionKind::Add);
  if (isa<arith::SubFOp, arith::SubIOp, fir::SubcOp>(op))
    return binary(ReductionKind::Add, /*leftOnly=*/true);
  if (isa<arith::MulFOp, arith::MulIOp, fir::MulcOp>(op))
    return binary(ReductionKind::Mul);
  if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp>(op))
    return binary(ReductionKind::Max);
  if (isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp>(op))
    return binary(ReductionKind::Min);
  if (isa<arith::AndIOp>(op))
    return binary(isLogical ? ReductionKind::LAnd : ReductionKind::IAnd);
  if (isa<arith::OrIOp>(op))
    return binary(isLogical ? ReductionKind::LOr : ReductionKind::IOr);
  if (isa<arith::XOrIOp>(op))
    return binary(isLogical ? ReductionKind::LNeqv : ReductionKind::IEor);
  if (auto kind = equivalence(op))
    return binary(*kind);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (auto kind = minMaxOfSelect(select))
      return Step{
          *kind, select.getTrueValue(), select.getFalseValue(), false, {op, select.getCondition().getDefiningOp()}};
  return std::nullopt;
}

/// True if `convert` changes the kind of a number, or is a part of the arithmetic of logicals. A number that becomes
/// one of another type is another one: a sum of reals that is rounded to an integer in each step.
bool keepsValue(fir::ConvertOp convert) {
  Type from = convert.getValue().getType(), to = convert.getType();
  if (isa<fir::LogicalType>(from) || isa<fir::LogicalType>(to))
    return true;
  return (isa<IntegerType>(from) && isa<IntegerType>(to)) || (isa<FloatType>(from) && isa<FloatType>(to)) ||
         (isa<ComplexType>(from) && isa<ComplexType>(to));
}

/// What `value` is without changes of its kind and parentheses.
Value withoutConversions(Value value) {
  if (auto convert = value.getDefiningOp<fir::ConvertOp>(); convert && keepsValue(convert))
    return withoutConversions(convert.getValue());
  if (auto parentheses = value.getDefiningOp<fir::NoReassocOp>())
    return withoutConversions(parentheses.getVal());
  return value;
}

/// A comparison that has to hold, or not to hold.
struct Condition {
  Operation *compare;
  bool isNegated;
};

/// Adds the comparisons that all have to hold for `value`, a truth value.
void addConditions(Value value, SmallVectorImpl<Condition> &conditions) {
  Operation *op = withoutConversions(value).getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    addConditions(both.getLhs(), conditions);
    addConditions(both.getRhs(), conditions);
  } else if (auto other = dyn_cast_or_null<arith::XOrIOp>(op); other && fir::getIntIfConstant(other.getRhs())) {
    Operation *compare = withoutConversions(other.getLhs()).getDefiningOp();
    if (isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(compare))
      conditions.push_back({compare, /*isNegated=*/true});
  } else if (isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(op)) {
    conditions.push_back({op, /*isNegated=*/false});
  }
}

/// The reduction that `if (...) variable = .true.` is, or `.false.`, or none.
std::optional<ReductionKind> kindOfConstant(fir::StoreOp store) {
  if (!isa<fir::LogicalType>(store.getValue().getType()))
    return std::nullopt;
  auto truth = fir::getIntIfConstant(withoutConversions(store.getValue()));
  return truth ? std::optional(*truth ? ReductionKind::LOr : ReductionKind::LAnd) : std::nullopt;
}

/// Follows the chain of combinations that ends in `stored` back to a load of the variable.
class ChainFinder {
public:
  explicit ChainFinder(Value reference) : reference(reference) {}

  /// The kind of the chain that makes `stored`, or none.
  std::optional<ReductionKind> find(Value stored) {
    kind.reset();
    if (!reachesLoad(stored) || !kind)
      return std::nullopt;
    return kind;
  }

  /// The kind of `if (value > variable) variable = value` and its likes, of which `store` is the assignment, or none.
  std::optional<ReductionKind> findGuarded(fir::StoreOp store) {
    auto guard = dyn_cast<fir::IfOp>(store->getParentOp());
    if (!guard || store->getParentRegion() != &guard.getThenRegion() || !guard.getElseRegion().empty())
      return std::nullopt;
    SmallVector<Condition> conditions;
    addConditions(guard.getCondition(), conditions);
    for (Condition condition : conditions)
      if (auto kind = kindOfGuard(condition, store))
        return kind;
    return std::nullopt;
  }

  /// True if `load` feeds nothing but chains that were found.
  bool isConsumed(fir::LoadOp load) const {
    return loads.contains(load) &&
           llvm::all_of(load->getUsers(), [&](Operation *user) { return parts.contains(user); });
  }

private:
  bool isVariable(Value value) {
    auto load = withoutConversions(value).getDefiningOp<fir::LoadOp>();
    return load && load.getMemref() == reference;
  }

  /// The kind of `store`, an assignment if `condition` holds, or none.
  std::optional<ReductionKind> kindOfGuard(Condition condition, fir::StoreOp store) {
    Operation *compare = condition.compare;
    Value left = compare->getOperand(0), right = compare->getOperand(1);
    bool variableOnLeft = isVariable(left);
    if (!variableOnLeft && !isVariable(right))
      return std::nullopt;
    if (!isSameComputation(withoutConversions(variableOnLeft ? right : left), withoutConversions(store.getValue())))
      return std::nullopt;
    std::optional<bool> greater = isGreaterComparison(compare);
    if (!greater)
      return std::nullopt;
    noteRead(variableOnLeft ? left : right);
    parts.insert(compare);
    bool isGreater = *greater != condition.isNegated;
    return isGreater != variableOnLeft ? ReductionKind::Max : ReductionKind::Min;
  }

  /// Notes that `value`, if it is that of the variable, is read for the chain.
  void noteRead(Value value) {
    if (!isVariable(value))
      return;
    Operation *op = value.getDefiningOp();
    for (; !isa<fir::LoadOp>(op); op = op->getOperand(0).getDefiningOp())
      parts.insert(op);
    loads.insert(op);
  }

  /// True for `merge(combination, variable, condition)`: not every iteration combines.
  bool reachesLoadsOf(arith::SelectOp select) {
    if (!reachesLoad(select.getTrueValue()) || !reachesLoad(select.getFalseValue()))
      return false;
    parts.insert(select);
    return true;
  }

  /// True if `value` is calculated from the variable.
  bool isOfVariable(Value value) const {
    llvm::SetVector<Operation *> sources;
    auto add = [&](Value source) {
      if (Operation *op = source.getDefiningOp())
        sources.insert(op);
    };
    add(value);
    for (size_t next = 0; next < sources.size(); ++next) {
      auto load = dyn_cast<fir::LoadOp>(sources[next]);
      if (load && load.getMemref() == reference)
        return true;
      for (Value operand : sources[next]->getOperands())
        add(operand);
    }
    return false;
  }

  /// True if one side of `step` leads to a load of the variable, and the other one has nothing to do with it: `n + n`
  /// is no sum of what iterations add.
  bool reachesLoadOf(const Step &step) {
    if (reachesLoad(step.left))
      return !isOfVariable(step.right);
    return !step.leftOnly && reachesLoad(step.right) && !isOfVariable(step.left);
  }

  bool reachesLoad(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto load = dyn_cast<fir::LoadOp>(op); load && load.getMemref() == reference) {
      loads.insert(load);
      return true;
    }
    if (auto convert = dyn_cast<fir::ConvertOp>(op); (convert && keepsValue(convert)) || isa<fir::NoReassocOp>(op)) {
      if (!reachesLoad(op->getOperand(0)))
        return false;
      parts.insert(op);
      return true;
    }
    auto step = matchStep(op);
    if (!step && isa<arith::SelectOp>(op))
      return reachesLoadsOf(cast<arith::SelectOp>(op));
    if (!step || (kind && *kind != step->kind))
      return false;
    std::optional<ReductionKind> outer = kind;
    kind = step->kind;
    if (!reachesLoadOf(*step)) {
      kind = outer;
      return false;
    }
    parts.insert(step->parts.begin(), step->parts.end());
    // The comparison of a maximum reads the variable, too.
    if (isa<arith::SelectOp>(op))
      for (Value operand : step->parts.back()->getOperands())
        noteRead(operand);
    return true;
  }

  Value reference;
  std::optional<ReductionKind> kind;
  llvm::SetVector<Operation *> loads;
  llvm::SetVector<Operation *> parts;
};

/// True if the first thing that an iteration does with the variable is to store it.
bool isStoredFirst(Value reference, Region &loops) {
  for (Operation &op : loops.front()) {
    if (auto store = dyn_cast<fir::StoreOp>(op); store && store.getMemref() == reference)
      return store.getValue() != reference;
    bool uses = false;
    op.walk([&](Operation *inner) { uses |= llvm::is_contained(inner->getOperands(), reference); });
    if (uses)
      return false;
  }
  return false;
}

} // namespace

ScalarUse cufort::cufx::classifyScalar(Value reference, Region &loops) {
  SmallVector<fir::LoadOp> loads;
  SmallVector<fir::StoreOp> stores;
  bool otherUses = false;
  for (Operation *user : reference.getUsers()) {
    if (!loops.isAncestor(user->getParentRegion()))
      continue;
    if (auto load = dyn_cast<fir::LoadOp>(user))
      loads.push_back(load);
    else if (auto store = dyn_cast<fir::StoreOp>(user); store && store.getMemref() == reference)
      stores.push_back(store);
    else
      otherUses = true;
  }
  ScalarUse use;
  if (isStoredFirst(reference, loops)) {
    use.isPrivate = true;
    return use;
  }
  if (stores.empty() || otherUses)
    return use;
  ChainFinder finder(reference);
  std::optional<ReductionKind> kind;
  for (fir::StoreOp store : stores) {
    auto found = finder.find(store.getValue());
    if (!found)
      found = finder.findGuarded(store);
    if (!found && !isDeviceAddressable(reference))
      found = kindOfConstant(store);
    if (!found || (kind && *kind != *found))
      return use;
    kind = found;
  }
  if (llvm::all_of(loads, [&](fir::LoadOp load) { return finder.isConsumed(load); }))
    use.reduction = kind;
  return use;
}

std::optional<ReductionKind> cufort::cufx::reductionKind(fir::ReduceAttr clause, Type type) {
  using Clause = fir::ReduceOperationEnum;
  bool logical = isa<fir::LogicalType>(type);
  switch (clause.getReduceOperation()) {
  case Clause::Add:
    return ReductionKind::Add;
  case Clause::Multiply:
    return ReductionKind::Mul;
  case Clause::MAX:
    return ReductionKind::Max;
  case Clause::MIN:
    return ReductionKind::Min;
  case Clause::AND:
  case Clause::IAND:
    return logical ? ReductionKind::LAnd : ReductionKind::IAnd;
  case Clause::OR:
  case Clause::IOR:
    return logical ? ReductionKind::LOr : ReductionKind::IOr;
  case Clause::IEOR:
    return ReductionKind::IEor;
  case Clause::EQV:
    return logical ? std::optional(ReductionKind::LEqv) : std::nullopt;
  case Clause::NEQV:
    return logical ? std::optional(ReductionKind::LNeqv) : std::nullopt;
  default:
    return std::nullopt;
  }
}

//===-- Arithmetic -----------------------------------------------------------------------------------------------===//

namespace {

Value integerNeutral(OpBuilder &builder, Location loc, ReductionKind kind, IntegerType type) {
  unsigned bits = type.getWidth();
  APInt value = APInt::getZero(bits);
  if (kind == ReductionKind::Mul)
    value = APInt(bits, 1);
  else if (kind == ReductionKind::Max)
    value = APInt::getSignedMinValue(bits);
  else if (kind == ReductionKind::Min)
    value = APInt::getSignedMaxValue(bits);
  else if (kind == ReductionKind::IAnd)
    value = APInt::getAllOnes(bits);
  return arith::ConstantOp::create(builder, loc, type, builder.getIntegerAttr(type, value));
}

Value floatNeutral(OpBuilder &builder, Location loc, ReductionKind kind, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat value = APFloat::getZero(semantics);
  if (kind == ReductionKind::Mul)
    value = APFloat(semantics, 1);
  else if (kind == ReductionKind::Max)
    value = APFloat::getInf(semantics, /*Negative=*/true);
  else if (kind == ReductionKind::Min)
    value = APFloat::getInf(semantics);
  return arith::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, value));
}

template <typename ForFloat, typename ForInteger, typename ForComplex>
Value createArithmetic(OpBuilder &builder, Location loc, Value left, Value right) {
  Type type = left.getType();
  if (isa<FloatType>(type))
    return ForFloat::create(builder, loc, left, right);
  if (isa<ComplexType>(type))
    return ForComplex::create(builder, loc, left, right);
  return ForInteger::create(builder, loc, left, right);
}

/// The greater one, or less one, of `left` and `right`; `left` if `right` is no number, as long as it is one itself.
Value createMinMax(OpBuilder &builder, Location loc, bool max, Value left, Value right) {
  Value takeRight;
  if (isa<FloatType>(left.getType()))
    takeRight =
        arith::CmpFOp::create(builder, loc, max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, right, left);
  else
    takeRight =
        arith::CmpIOp::create(builder, loc, max ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, right, left);
  return arith::SelectOp::create(builder, loc, takeRight, right, left);
}

Value createTruth(OpBuilder &builder, Location loc, ReductionKind kind, Value left, Value right) {
  switch (kind) {
  case ReductionKind::LAnd:
    return arith::AndIOp::create(builder, loc, left, right);
  case ReductionKind::LOr:
    return arith::OrIOp::create(builder, loc, left, right);
  case ReductionKind::LEqv:
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left, right);
  default:
    return arith::XOrIOp::create(builder, loc, left, right);
  }
}

Value createLogical(OpBuilder &builder, Location loc, ReductionKind kind, Value left, Value right) {
  Type logical = left.getType(), i1 = builder.getI1Type();
  left = fir::ConvertOp::create(builder, loc, i1, left);
  right = fir::ConvertOp::create(builder, loc, i1, right);
  return fir::ConvertOp::create(builder, loc, logical, createTruth(builder, loc, kind, left, right));
}

} // namespace

Value cufort::cufx::createNeutral(OpBuilder &builder, Location loc, ReductionKind kind, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerNeutral(builder, loc, kind, integer);
  if (auto real = dyn_cast<FloatType>(type))
    return floatNeutral(builder, loc, kind, real);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    auto element = cast<FloatType>(complex.getElementType());
    Value real = floatNeutral(builder, loc, kind, element);
    Value imaginary = floatNeutral(builder, loc, ReductionKind::Add, element);
    Value result = fir::UndefOp::create(builder, loc, type);
    for (auto [index, part] : llvm::enumerate(SmallVector<Value>{real, imaginary}))
      result = fir::InsertValueOp::create(builder, loc, type, result, part,
                                          builder.getArrayAttr(builder.getIndexAttr(index)));
    return result;
  }
  bool isTrue = kind == ReductionKind::LAnd || kind == ReductionKind::LEqv;
  Value truth = arith::ConstantIntOp::create(builder, loc, isTrue, 1);
  return fir::ConvertOp::create(builder, loc, type, truth);
}

Value cufort::cufx::createValueForEmptyArray(OpBuilder &builder, Location loc, ReductionKind kind, Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (!real || (kind != ReductionKind::Max && kind != ReductionKind::Min))
    return {};
  bool negative = kind == ReductionKind::Max;
  auto largest = llvm::APFloat::getLargest(real.getFloatSemantics(), negative);
  return arith::ConstantOp::create(builder, loc, type, builder.getFloatAttr(type, largest));
}

Value cufort::cufx::createCombine(OpBuilder &builder, Location loc, ReductionKind kind, Value left, Value right) {
  switch (kind) {
  case ReductionKind::Add:
    return createArithmetic<arith::AddFOp, arith::AddIOp, fir::AddcOp>(builder, loc, left, right);
  case ReductionKind::Mul:
    return createArithmetic<arith::MulFOp, arith::MulIOp, fir::MulcOp>(builder, loc, left, right);
  case ReductionKind::Max:
  case ReductionKind::Min:
    return createMinMax(builder, loc, kind == ReductionKind::Max, left, right);
  case ReductionKind::IAnd:
    return arith::AndIOp::create(builder, loc, left, right);
  case ReductionKind::IOr:
    return arith::OrIOp::create(builder, loc, left, right);
  case ReductionKind::IEor:
    return arith::XOrIOp::create(builder, loc, left, right);
  case ReductionKind::LAnd:
  case ReductionKind::LOr:
  case ReductionKind::LEqv:
  case ReductionKind::LNeqv:
    return createLogical(builder, loc, kind, left, right);
  }
  llvm_unreachable("every ReductionKind has a case");
}
