// In: hlfir.assign from one array to another, of which Flang cannot prove that they do not overlap.
// Out, for two sections of one variable with the same steps, such as a(2:n) = a(1:n-1) or a(i,:) = a(j,:):
//
//   a loop over the elements, forwards or backwards, so that each is read before it is written
//
// and for others whose size is known and small: an assignment of a copy of the right side.
//
// In: hlfir.assign to an array of records or strings. Out: such a loop, unless they may overlap otherwise; Flang would
// call its runtime library.
//
// In: hlfir.assign from one record to another. Out: a load and a store of small ones, of which LLVM makes accesses with
// the alignment of their components; fir.copy of others.

#include "mlir-dialects/Cufx/Transforms/AssignSections.h"
#include "flang/Optimizer/Analysis/AliasAnalysis.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// How far the elements of a section on the left are from those of a section on the right, in one dimension in which
/// both have more than one element: the difference of these bounds, the first of each section.
struct Shift {
  Value to, from;
  std::optional<int64_t> known; ///< the difference
};

} // namespace

/// True if `a` and `b` are computed alike, from the same values.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto constant = fir::getIntIfConstant(a), other = fir::getIntIfConstant(b);
  if (constant || other)
    return constant == other;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return first && second && isPure(first) && first->getName() == second->getName() &&
         first->getAttrDictionary() == second->getAttrDictionary() && a.getType() == b.getType() &&
         first->getNumRegions() == 0 && first->getNumResults() == 1 &&
         llvm::equal(first->getOperands(), second->getOperands(), areEqual);
}

/// The shifts between two sections of one variable, in the order of dimensions; none if they are not such.
static std::optional<SmallVector<Shift>> shiftsBetween(hlfir::AssignOp assign) {
  auto left = assign.getLhs().getDefiningOp<hlfir::DesignateOp>();
  auto right = assign.getRhs().getDefiningOp<hlfir::DesignateOp>();
  if (!left || !right || left.getMemref() != right.getMemref() || left.getComponentAttr() != right.getComponentAttr() ||
      left.getComplexPartAttr() || right.getComplexPartAttr() || !left.getSubstring().empty() ||
      left.getIsTriplet() != right.getIsTriplet())
    return {};
  SmallVector<Shift> shifts;
  auto to = left.getIndices().begin(), from = right.getIndices().begin();
  for (bool isTriplet : left.getIsTriplet()) {
    if (!isTriplet) {
      ++to, ++from;
      continue;
    }
    auto step = fir::getIntIfConstant(*(to + 2)), other = fir::getIntIfConstant(*(from + 2));
    if (!step || step != other || *step <= 0)
      return {};
    auto first = fir::getIntIfConstant(*to), second = fir::getIntIfConstant(*from);
    Shift shift = {*to, *from, std::nullopt};
    if (first && second)
      shift.known = *first - *second;
    else if (areEqual(*to, *from))
      shift.known = 0;
    shifts.push_back(shift);
    to += 3, from += 3;
  }
  return shifts;
}

/// Whether elements have to be assigned from the last to the first, as an i1; null if they need not.
/// What is written is the element that is read, but for the shifts: in the order of loops, the shift of the outermost
/// dimension in which there is one decides whether it is read before.
static Value isBackwards(Location loc, fir::FirOpBuilder &builder, ArrayRef<Shift> shifts) {
  Value result;
  Type index = builder.getIndexType();
  for (const Shift &shift : shifts) {
    if (shift.known) {
      if (*shift.known != 0)
        result = *shift.known > 0 ? builder.createBool(loc, true) : Value();
      continue;
    }
    Value to = builder.createConvert(loc, index, shift.to), from = builder.createConvert(loc, index, shift.from);
    auto compare = [&](arith::CmpIPredicate predicate) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, to, from);
    };
    Value further = result ? result : builder.createBool(loc, false);
    result = arith::SelectOp::create(builder, loc, compare(arith::CmpIPredicate::eq), further,
                                     compare(arith::CmpIPredicate::sgt));
  }
  return result;
}

static void assignInOrder(hlfir::AssignOp assign, ArrayRef<Shift> shifts) {
  Location loc = assign.getLoc();
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(assign->getParentOfType<ModuleOp>()));
  hlfir::Entity left{assign.getLhs()}, right{assign.getRhs()};
  Value shape = hlfir::genShape(loc, builder, left);
  SmallVector<Value> extents(hlfir::getIndexExtents(loc, builder, shape));
  Value backwards = isBackwards(loc, builder, shifts);
  hlfir::LoopNest nest = hlfir::genLoopNest(loc, builder, extents, /*isUnordered=*/false, /*emitWorkshareLoop=*/false,
                                            /*couldVectorize=*/false);
  builder.setInsertionPointToStart(nest.body);
  SmallVector<Value> indices(nest.oneBasedIndices);
  if (backwards)
    for (auto [place, extent] : llvm::zip(indices, extents)) {
      Value one = builder.createIntegerConstant(loc, extent.getType(), 1);
      Value fromEnd = arith::SubIOp::create(builder, loc, arith::AddIOp::create(builder, loc, extent, one), place);
      place = arith::SelectOp::create(builder, loc, backwards, fromEnd, place);
    }
  hlfir::Entity element = right.isArray() ? hlfir::getElementAt(loc, builder, right, indices) : right;
  element = hlfir::loadTrivialScalar(loc, builder, element);
  hlfir::AssignOp::create(builder, loc, element, hlfir::getElementAt(loc, builder, left, indices));
  assign.erase();
}

/// True if a copy of `array` is small and of a size that is known.
static bool isSmall(hlfir::Entity array) {
  constexpr int64_t most = 256; // elements
  auto type = dyn_cast<fir::SequenceType>(array.getElementOrSequenceType());
  return type && !type.hasDynamicExtents() && type.getConstantArraySize() <= most;
}

static void assignCopy(hlfir::AssignOp assign) {
  OpBuilder builder(assign);
  assign.getRhsMutable().assign(hlfir::AsExprOp::create(builder, assign.getLoc(), assign.getRhs()));
}

/// True if `assign` is between arrays of which Flang cannot prove that they do not overlap.
static bool mayOverlap(hlfir::AssignOp assign, fir::AliasAnalysis &aliases) {
  hlfir::Entity left{assign.getLhs()}, right{assign.getRhs()};
  return isInDeviceCode(assign) && !assign.isAllocatableAssignment() && left.isVariable() && right.isVariable() &&
         left.isArray() && right.isArray() && !left.isPolymorphic() && !right.isPolymorphic() &&
         isPlainElement(left.getFortranElementType()) &&
         left.getFortranElementType() == right.getFortranElementType() && !aliases.alias(left, right).isNo();
}

/// True if `assign` copies all bytes of records or strings to an array.
static bool isCopyOfRecords(hlfir::AssignOp assign) {
  hlfir::Entity left{assign.getLhs()}, right{assign.getRhs()};
  Type element = left.getFortranElementType();
  auto string = dyn_cast<fir::CharacterType>(element);
  bool isCopied = string ? string.hasConstantLen() : isa<fir::RecordType>(element) && isPlainElement(element);
  return isInDeviceCode(assign) && !assign.isAllocatableAssignment() && left.isArray() && !left.isPolymorphic() &&
         !right.isPolymorphic() && right.getFortranElementType() == element && isCopied;
}

/// Lets the right side of `assign` be a variable of its own. Returns its end, or null if it is a variable.
static hlfir::EndAssociateOp makeVariable(hlfir::AssignOp assign) {
  Location loc = assign.getLoc();
  hlfir::Entity right{assign.getRhs()};
  if (right.isVariable())
    return {};
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(assign->getParentOfType<ModuleOp>()));
  auto variable = hlfir::genAssociateExpr(loc, builder, right, right.getType(), "copied");
  assign.getRhsMutable().assign(variable.getBase());
  builder.setInsertionPointAfter(assign);
  return hlfir::EndAssociateOp::create(builder, loc, variable);
}

/// Lets `assign` take its right side, a small array, from a copy in memory of the thread.
static void copyAside(hlfir::AssignOp assign) {
  Location loc = assign.getLoc();
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(assign->getParentOfType<ModuleOp>()));
  hlfir::Entity right{assign.getRhs()};
  Value memory = builder.createTemporary(loc, right.getElementOrSequenceType());
  SmallVector<Value> lengths;
  hlfir::genLengthParameters(loc, builder, right, lengths);
  auto aside = hlfir::DeclareOp::create(builder, loc, memory, "aside", hlfir::genShape(loc, builder, right), lengths);
  assignInOrder(hlfir::AssignOp::create(builder, loc, right, aside.getBase()), {});
  assign.getRhsMutable().assign(aside.getBase());
}

static void assignRecordsInOrder(hlfir::AssignOp assign, fir::AliasAnalysis &aliases) {
  bool isOwn = makeVariable(assign) || aliases.alias(assign.getLhs(), assign.getRhs()).isNo();
  auto shifts = isOwn ? SmallVector<Shift>() : shiftsBetween(assign);
  if (!shifts && isSmall(hlfir::Entity{assign.getLhs()}) && isSmall(hlfir::Entity{assign.getRhs()})) {
    copyAside(assign);
    shifts.emplace();
  }
  if (shifts)
    assignInOrder(assign, *shifts);
}

/// True if `assign` copies all bytes of a record.
static bool isCopyOfRecord(hlfir::AssignOp assign) {
  Type left = assign.getLhs().getType(), right = assign.getRhs().getType();
  auto record = dyn_cast_or_null<fir::RecordType>(fir::dyn_cast_ptrEleTy(left));
  return record && fir::dyn_cast_ptrEleTy(right) == record && isInDeviceCode(assign) && isPlainElement(record) &&
         !assign.isAllocatableAssignment() && !fir::hasDynamicSize(record);
}

/// How many numbers and characters there are in a value of `type`.
static int64_t numbersIn(Type type) {
  if (auto string = dyn_cast<fir::CharacterType>(type))
    return string.getLen();
  if (auto sequence = dyn_cast<fir::SequenceType>(type))
    return sequence.getConstantArraySize() * numbersIn(sequence.getEleTy());
  auto record = dyn_cast<fir::RecordType>(type);
  if (!record)
    return 1;
  int64_t count = 0;
  for (const auto &[name, component] : record.getTypeList())
    count += numbersIn(component);
  return count;
}

static void copyRecord(hlfir::AssignOp assign) {
  constexpr int64_t few = 64;
  OpBuilder builder(assign);
  Location loc = assign.getLoc();
  Value from = assign.getRhs(), to = assign.getLhs();
  if (numbersIn(fir::dyn_cast_ptrEleTy(to.getType())) <= few)
    fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, from), to);
  else
    fir::CopyOp::create(builder, loc, from, to);
  assign.erase();
}

void cufort::cufx::assignSections(ModuleOp module) {
  SmallVector<hlfir::AssignOp> arrays, arraysOfRecords, records;
  fir::AliasAnalysis aliases;
  module.walk([&](hlfir::AssignOp assign) {
    if (isCopyOfRecords(assign))
      arraysOfRecords.push_back(assign);
    else if (mayOverlap(assign, aliases))
      arrays.push_back(assign);
  });
  for (hlfir::AssignOp assign : arrays) {
    if (auto shifts = shiftsBetween(assign))
      assignInOrder(assign, *shifts);
    else if (isSmall(hlfir::Entity{assign.getLhs()}) && isSmall(hlfir::Entity{assign.getRhs()}))
      assignCopy(assign);
  }
  for (hlfir::AssignOp assign : arraysOfRecords)
    assignRecordsInOrder(assign, aliases);
  module.walk([&](hlfir::AssignOp assign) {
    if (isCopyOfRecord(assign))
      records.push_back(assign);
  });
  for (hlfir::AssignOp assign : records)
    copyRecord(assign);
}
