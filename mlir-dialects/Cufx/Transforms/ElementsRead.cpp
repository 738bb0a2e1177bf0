#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/DeviceScalars.h"
#include "mlir-dialects/Cufx/Transforms/ElementsInPlace.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/LineReductions.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for the place of a variable of the host procedure in the tuple that an internal procedure gets.
bool isHostAssociated(Operation *op) {
  auto place = dyn_cast<fir::CoordinateOp>(op);
  return place && isa_and_nonnull<TupleType>(fir::dyn_cast_ptrEleTy(place.getRef().getType()));
}

/// The way from a variable to memory that belongs to it.
struct Way {
  Value storage;                     ///< where the declaration or allocation of the variable is
  SmallVector<StringRef> components; ///< that lead to the memory, the last one first
  bool isThroughPointer = false;     ///< the memory may be that of another variable
};

Way wayTo(Value memory) {
  Way way;
  while (Operation *op = memory.getDefiningOp()) {
    if (isHostAssociated(op) || !isa<hlfir::DeclareOp, hlfir::DesignateOp, fir::ConvertOp, fir::LoadOp, fir::ReboxOp,
                                     fir::EmboxOp, fir::BoxAddrOp, fir::CoordinateOp>(op))
      break;
    if (auto part = dyn_cast<hlfir::DesignateOp>(op); part && part.getComponent())
      way.components.push_back(*part.getComponent());
    auto variable = dyn_cast<fir::FortranVariableOpInterface>(op);
    way.isThroughPointer |= (variable && variable.isPointer()) || isa<fir::CoordinateOp>(op);
    memory = op->getOperand(0);
  }
  way.storage = memory;
  return way;
}

Value storageOf(Value memory) { return wayTo(memory).storage; }

/// True if `storage` is that of a variable which the procedure knows by one name: what dummy arguments and variables of
/// a host procedure are associated with may have others.
bool isOfKnownVariable(Value storage) {
  return storage.getDefiningOp() &&
         isa<fir::AddrOfOp, fir::AllocaOp, cuf::AllocOp, EachDeviceOp>(storage.getDefiningOp());
}

bool isSameStorage(Value a, Value b) {
  auto first = a.getDefiningOp<fir::AddrOfOp>(), second = b.getDefiningOp<fir::AddrOfOp>();
  auto one = a.getDefiningOp<EachDeviceOp>(), other = b.getDefiningOp<EachDeviceOp>();
  return a == b || (first && second && first.getSymbol() == second.getSymbol()) ||
         (one && other && one.getVariable() == other.getVariable());
}

/// True if the ways lead to different components of one type at some point.
bool haveDifferentComponents(const Way &a, const Way &b) {
  return llvm::any_of(llvm::zip(llvm::reverse(a.components), llvm::reverse(b.components)),
                      [](auto pair) { return std::get<0>(pair) != std::get<1>(pair); });
}

} // namespace

bool cufort::cufx::mayOverlap(Value written, Value array) {
  Way first = wayTo(written), second = wayTo(array);
  bool isSame = isSameStorage(first.storage, second.storage);
  if (isSame && !haveDifferentComponents(first, second))
    return true;
  bool isKnown = isSame || (isOfKnownVariable(first.storage) && isOfKnownVariable(second.storage));
  if (isKnown && !first.isThroughPointer && !second.isThroughPointer)
    return false;
  return mayHaveOtherNames(written) && mayHaveOtherNames(array);
}

namespace {

bool mayReadScalar(Value value, Value written) {
  SmallVector<Value> memory;
  if (value.getParentRegion()->getParentOfType<hlfir::ElementalOp>())
    return false;
  collectMemoryOfScalar(value, memory);
  return llvm::any_of(memory, [&](Value read) { return mayOverlap(written, read); });
}

bool isOfWholeElements(hlfir::DesignateOp section) {
  return section.getSubstring().empty() && !section.getComplexPart();
}

/// True if `a` and `b` are sections of one array with the same subscript triplets. Whatever the other subscripts are,
/// the elements in the same place are then one element, or no element of one section is in the other.
bool haveSameTriplets(hlfir::DesignateOp a, hlfir::DesignateOp b) {
  if (!isOfWholeElements(a) || !isOfWholeElements(b) || a.getComponentAttr() != b.getComponentAttr() ||
      a.getIsTriplet() != b.getIsTriplet() || !isSameInStatement(a.getMemref(), b.getMemref()))
    return false;
  size_t at = 0;
  for (bool isTriplet : a.getIsTriplet()) {
    size_t end = at + (isTriplet ? 3 : 1);
    for (; at < end; ++at)
      if (isTriplet && !isSameInStatement(a.getIndices()[at], b.getIndices()[at]))
        return false;
  }
  return true;
}

} // namespace

Value cufort::cufx::arrayName(Value array) {
  if (auto load = array.getDefiningOp<fir::LoadOp>())
    array = load.getMemref();
  return variableOf(array);
}

bool cufort::cufx::areSameInPlace(Value a, Value b) {
  Value first = arrayName(a), second = arrayName(b);
  auto firstSection = first.getDefiningOp<hlfir::DesignateOp>(),
       secondSection = second.getDefiningOp<hlfir::DesignateOp>();
  return first == second || (firstSection && secondSection &&
                             (isSameInStatement(first, second) || haveSameTriplets(firstSection, secondSection)));
}

namespace {

/// True if the procedure called may read `written` by itself. It does not know the variables of its caller, and what it
/// knows is not what a dummy argument of its caller is, if that is neither a target nor a pointer.
bool mayReadInCall(fir::CallOp call, Value written) {
  auto callee = call.getCallee();
  if (callee && !callee->getRootReference().getValue().starts_with("_Q"))
    return false; // an intrinsic function
  bool isInternal = llvm::any_of(call.getOperandTypes(),
                                 [](Type type) { return isa_and_nonnull<TupleType>(fir::dyn_cast_ptrEleTy(type)); });
  Value storage = storageOf(written);
  return isInternal || mayHaveOtherNames(written) ||
         !(isa<BlockArgument>(storage) || storage.getDefiningOp<fir::AllocaOp>());
}

bool isArrayOrExpression(Value value) {
  return hlfir::isFortranEntity(value) && (isa<hlfir::ExprType>(value.getType()) || hlfir::Entity{value}.isArray());
}

bool mayReadInPart(Operation &part, hlfir::ElementalOp elemental, Value written, bool inPlace);

/// `value` is evaluated for the element with the same subscripts if `inPlace`.
bool mayReadIn(Value value, Value written, bool inPlace) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return mayOverlap(written, value) && !(inPlace && areSameInPlace(value, written));
  Operation *op = value.getDefiningOp();
  if (auto line = LineReduction::match(value); line && line->mask && mayReadIn(line->mask, written, /*inPlace=*/false))
    return true;
  auto elemental = dyn_cast<hlfir::ElementalOp>(op);
  if (!elemental)
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isArrayOrExpression(operand) && mayReadIn(operand, written, /*inPlace=*/false);
    });
  return llvm::any_of(*elemental.getBody(),
                      [&](Operation &part) { return mayReadInPart(part, elemental, written, inPlace); });
}

/// `part` is one of the operations of `elemental`, which is evaluated for the element with the same subscripts if
/// `inPlace`.
bool mayReadInPart(Operation &part, hlfir::ElementalOp elemental, Value written, bool inPlace) {
  if (llvm::any_of(part.getOperands(), [&](Value operand) { return mayReadScalar(operand, written); }))
    return true;
  if (auto call = dyn_cast<fir::CallOp>(part))
    return mayReadInCall(call, written);
  if (auto apply = dyn_cast<hlfir::ApplyOp>(part))
    return mayReadIn(apply.getExpr(), written, inPlace && llvm::equal(apply.getIndices(), elemental.getIndices()));
  if (auto element = dyn_cast<hlfir::DesignateOp>(part))
    return mayReadIn(element.getMemref(), written, inPlace && isElementInPlace(element));
  // Arguments of intrinsic functions that may be absent are read in a branch.
  bool isBranch = isa<fir::IfOp>(part);
  return llvm::any_of(part.getRegions(), [&](Region &region) {
    return llvm::any_of(region.getOps(), [&](Operation &inner) {
      return mayReadInPart(inner, elemental, written, inPlace && isBranch);
    });
  });
}

} // namespace

bool cufort::cufx::mayRead(Value value, Value memory) { return mayReadIn(value, memory, /*inPlace=*/false); }

bool cufort::cufx::mayReadElsewhere(Value value, Value array) { return mayReadIn(value, array, /*inPlace=*/true); }

bool cufort::cufx::readsInPlace(Value value, Value array) {
  auto elemental = value.getDefiningOp<hlfir::ElementalOp>();
  return elemental && llvm::any_of(*elemental.getBody(), [&](Operation &part) {
           if (auto apply = dyn_cast<hlfir::ApplyOp>(part))
             return llvm::equal(apply.getIndices(), elemental.getIndices()) && readsInPlace(apply.getExpr(), array);
           auto element = dyn_cast<hlfir::DesignateOp>(part);
           return element && isElementInPlace(element) && areSameInPlace(element.getMemref(), array);
         });
}

//===-- Sections -------------------------------------------------------------------------------------------------===//

namespace {

/// A value as another one and a number that is added.
struct Sum {
  Value base; ///< null for zero
  int64_t number;
};

Sum asSum(Value value) {
  if (auto number = fir::getIntIfConstant(value))
    return {{}, *number};
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<fir::ConvertOp>(op) && value.getType().isIntOrIndex())
    return asSum(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return {value, 0};
  auto number = fir::getIntIfConstant(op->getOperand(1));
  if (!number)
    return {value, 0};
  Sum sum = asSum(op->getOperand(0));
  return {sum.base, isa<arith::AddIOp>(op) ? sum.number + *number : sum.number - *number};
}

/// `a` - `b`, if that is known.
std::optional<int64_t> difference(Value a, Value b) {
  Sum first = asSum(a), second = asSum(b);
  bool isSame = first.base && second.base ? isSameInStatement(first.base, second.base) : first.base == second.base;
  return isSame ? std::optional(first.number - second.number) : std::nullopt;
}

/// True for a section whose elements are those of an array or component, in one of its dimensions.
bool isLine(hlfir::DesignateOp section) {
  return llvm::count(section.getIsTriplet(), true) == 1 && isOfWholeElements(section);
}

/// How many elements `read` is ahead of `written`, if both are sections of one array in the same dimension.
std::optional<int64_t> distanceOf(hlfir::DesignateOp read, hlfir::DesignateOp written) {
  if (!isLine(read) || read.getComponentAttr() != written.getComponentAttr() ||
      read.getIsTriplet() != written.getIsTriplet() || !isSameInStatement(read.getMemref(), written.getMemref()))
    return std::nullopt;
  std::optional<int64_t> distance;
  size_t at = 0;
  for (bool isTriplet : written.getIsTriplet()) {
    Value ofRead = read.getIndices()[at], ofWritten = written.getIndices()[at];
    if (!isTriplet) {
      if (!isSameInStatement(ofRead, ofWritten))
        return std::nullopt;
      ++at;
      continue;
    }
    distance = difference(ofRead, ofWritten);
    for (hlfir::DesignateOp section : {read, written})
      if (fir::getIntIfConstant(section.getIndices()[at + 2]) != 1)
        return std::nullopt;
    at += 3;
  }
  return distance;
}

/// Adds to `reads` what `elemental` reads of the array of `written`; false if that is not only such sections, in place.
bool collectShiftedReads(hlfir::ElementalOp elemental, hlfir::DesignateOp written,
                         SmallVectorImpl<ShiftedRead> &reads) {
  return llvm::all_of(*elemental.getBody(), [&](Operation &part) {
    if (llvm::any_of(part.getOperands(), [&](Value operand) { return mayReadScalar(operand, written); }))
      return false;
    if (auto call = dyn_cast<fir::CallOp>(part))
      return !mayReadInCall(call, written);
    if (auto apply = dyn_cast<hlfir::ApplyOp>(part)) {
      auto inner = apply.getExpr().getDefiningOp<hlfir::ElementalOp>();
      return inner && llvm::equal(apply.getIndices(), elemental.getIndices())
                 ? collectShiftedReads(inner, written, reads)
                 : !mayRead(apply.getExpr(), written);
    }
    if (part.getNumRegions() > 0)
      return !mayReadInPart(part, elemental, written, /*inPlace=*/false);
    auto element = dyn_cast<hlfir::DesignateOp>(part);
    if (!element || !mayOverlap(written, element.getMemref()))
      return true;
    auto section = element.getMemref().getDefiningOp<hlfir::DesignateOp>();
    auto distance = section && isElementInPlace(element) ? distanceOf(section, written) : std::nullopt;
    if (distance)
      reads.push_back({section, *distance});
    return distance.has_value();
  });
}

} // namespace

std::optional<SmallVector<ShiftedRead>> cufort::cufx::shiftedReads(hlfir::ElementalOp value,
                                                                   hlfir::DesignateOp written) {
  SmallVector<ShiftedRead> reads;
  if (!isLine(written) || !collectShiftedReads(value, written, reads))
    return std::nullopt;
  return reads;
}
