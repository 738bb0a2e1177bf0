// In: an assignment of device code to a section of an array from an expression that reads other sections of it, either
// shifted ones, as in a(2:n-1) = a(1:n-2) + a(3:n), or ones with other subscripts, as in a(:, new) = a(:, old) + 1.
// Flang has all values of the expression in memory first, the latter because it does not know that new is not old.
//
//   hlfir.assign %expression to %section
//
// Out: loops in a direction in which no element is read any more when it is written.
//
//   fir.do_loop %i = ... { fir.store %expression(%i) to %section(%i) }
//
// If there are elements on both sides, the loop goes up and hands on the few elements behind it as they were.
//
//   fir.if %has_elements { fir.store %before(1) to %one }
//   fir.do_loop %i = ... {
//     %new = ... fir.load %one ...
//     fir.store %section(%i) to %one
//     fir.store %new to %section(%i)
//   }

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIRDialect.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/ElementLoops.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_ASSIGNSHIFTEDSECTIONS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Elements that a loop hands on at most: they are in registers.
constexpr int64_t mostBehind = 4;

bool isArrayOfTrivials(Value value) {
  hlfir::Entity entity{value};
  return !entity.isPolymorphic() && fir::isa_trivial(entity.getFortranElementType());
}

/// True for the assignment of an expression whose elements can be made one by one to a section.
bool isByElements(hlfir::AssignOp assign) {
  auto elemental = assign.getRhs().getDefiningOp<hlfir::ElementalOp>();
  return elemental && assign.getLhs().getDefiningOp<hlfir::DesignateOp>() && !assign.isAllocatableAssignment() &&
         !assign.isTemporaryLHS() && isMadeWhereUsed(elemental) && !elemental.isOrdered() &&
         hlfir::Entity{assign.getLhs()}.isArray() && isArrayOfTrivials(elemental) && isArrayOfTrivials(assign.getLhs());
}

/// Turns `assign` into a loop if each element needs no other one of the section than itself, as in a(:, i) = a(:, j) +
/// 1: true if it has.
bool assignInPlace(hlfir::AssignOp assign) {
  if (!mayRead(assign.getRhs(), assign.getLhs()) || mayReadElsewhere(assign.getRhs(), assign.getLhs()))
    return false;
  fir::FirOpBuilder builder(assign.getOperation(), fir::getKindMapping(assign->getParentOfType<ModuleOp>()));
  hlfir::genNoAliasArrayAssignment(assign.getLoc(), builder, hlfir::Entity{assign.getRhs()},
                                   hlfir::Entity{assign.getLhs()});
  assign.erase();
  return true;
}

class ShiftedAssignment {
public:
  /// Null if `assign`, which is by elements, is something else.
  static std::optional<ShiftedAssignment> match(hlfir::AssignOp assign) {
    auto elemental = assign.getRhs().getDefiningOp<hlfir::ElementalOp>();
    auto section = assign.getLhs().getDefiningOp<hlfir::DesignateOp>();
    if (hlfir::Entity{assign.getLhs()}.getRank() != 1 || !mayReadElsewhere(elemental, section))
      return std::nullopt;
    auto reads = shiftedReads(elemental, section);
    if (!reads)
      return std::nullopt;
    ShiftedAssignment result(assign, elemental, hlfir::Entity{Value(section)}, std::move(*reads));
    return result.isUpward() && result.behind > mostBehind ? std::nullopt : std::optional(std::move(result));
  }

  void run() {
    Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
    extent = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, section)).front();
    if (isUpward())
      fetchElementsBehind();
    auto loop = isUpward() ? fir::DoLoopOp::create(builder, loc, one, extent, one)
                           : fir::DoLoopOp::create(builder, loc, extent, one,
                                                   builder.createIntegerConstant(loc, builder.getIndexType(), -1));
    builder.setInsertionPointToStart(loop.getBody());
    assignElement(loop);
    assign.erase();
    eraseExpression(elemental);
  }

private:
  ShiftedAssignment(hlfir::AssignOp assign, hlfir::ElementalOp elemental, hlfir::Entity section,
                    SmallVector<ShiftedRead> reads)
      : builder(assign.getOperation(), fir::getKindMapping(assign->getParentOfType<ModuleOp>())), loc(assign.getLoc()),
        assign(assign), elemental(elemental), section(section), reads(std::move(reads)) {
    for (const ShiftedRead &read : this->reads) {
      behind = std::max(behind, -read.distance);
      isAhead |= read.distance > 0;
    }
  }

  /// False if the loop may go down because nothing ahead is read, and so has nothing to hand on.
  bool isUpward() const { return isAhead || behind == 0; }

  Type elementType() const { return section.getFortranElementType(); }

  /// What is read that begins at least `distance` elements behind the section that is assigned to, but no more than
  /// needs be.
  const ShiftedRead &nearestBehind(int64_t distance) const {
    const ShiftedRead *nearest = nullptr;
    for (const ShiftedRead &read : reads)
      if (-read.distance >= distance && (!nearest || read.distance > nearest->distance))
        nearest = &read;
    return *nearest;
  }

  Value load(Value from, Value subscript) {
    return hlfir::loadElementAt(loc, builder, hlfir::Entity{from}, {subscript});
  }

  /// Puts the elements in front of the section into `held`, the nearest one first, those that are read.
  void fetchElementsBehind() {
    OpBuilder::InsertPoint here = builder.saveInsertionPoint();
    builder.setInsertionPointToStart(&startOfDeviceCode(assign));
    for (int64_t number = 1; number <= behind; ++number)
      held.push_back(fir::AllocaOp::create(builder, loc, elementType()));
    builder.restoreInsertionPoint(here);
    for (int64_t number = 1; number <= behind; ++number) {
      const ShiftedRead &from = nearestBehind(number);
      Value subscript = builder.createIntegerConstant(loc, builder.getIndexType(), -from.distance - number + 1);
      Value isRead = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, subscript, extent);
      builder.genIfThen(loc, isRead)
          .genThen([&] { fir::StoreOp::create(builder, loc, load(from.section, subscript), held[number - 1]); })
          .end();
    }
  }

  void assignElement(fir::DoLoopOp loop) {
    Value subscript = loop.getInductionVar();
    IRMapping mapping;
    Value made = hlfir::inlineElementalOp(loc, builder, elemental, {subscript}, mapping, isMadeWhereUsed);
    Value value =
        builder.convertWithSemantics(loc, elementType(), hlfir::loadTrivialScalar(loc, builder, hlfir::Entity{made}));
    if (isUpward())
      readHeldElements(loop);
    Value place = hlfir::getElementAt(loc, builder, section, {subscript});
    for (size_t number = held.size(); number > 0; --number) {
      Value next = number > 1 ? held[number - 2] : place;
      fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, next), held[number - 1]);
    }
    fir::StoreOp::create(builder, loc, value, place);
  }

  /// What `loop` reads behind the element is what has been held.
  void readHeldElements(fir::DoLoopOp loop) {
    SmallVector<hlfir::DesignateOp> elements;
    loop.walk([&](hlfir::DesignateOp element) { elements.push_back(element); });
    for (const ShiftedRead &read : reads)
      for (hlfir::DesignateOp element : elements)
        if (read.distance < 0 && element.getMemref() == read.section)
          element.replaceAllUsesWith(held[-read.distance - 1]);
  }

  fir::FirOpBuilder builder;
  Location loc;
  hlfir::AssignOp assign;
  hlfir::ElementalOp elemental;
  hlfir::Entity section;
  SmallVector<ShiftedRead> reads;
  int64_t behind = 0; ///< how many elements behind the one that is written the farthest is that is read
  bool isAhead = false;
  Value extent;
  SmallVector<Value> held;
};

struct AssignShiftedSectionsPass : cufort::cufx::impl::AssignShiftedSectionsBase<AssignShiftedSectionsPass> {
  void runOnOperation() override {
    SmallVector<hlfir::AssignOp> found;
    getOperation().walk([&](hlfir::AssignOp assign) {
      if (isInDeviceCode(assign) && isByElements(assign))
        found.push_back(assign);
    });
    for (hlfir::AssignOp assign : found)
      if (!assignInPlace(assign))
        if (auto shifted = ShiftedAssignment::match(assign))
          shifted->run();
  }
};

} // namespace
