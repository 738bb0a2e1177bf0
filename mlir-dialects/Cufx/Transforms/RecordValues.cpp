// In: calls of Flang's runtime, which works from descriptions of types in host memory, and assignments that would
// become such calls. Out: loops over the elements, and operations for each component:
//
//   fir.call @_FortranAInitialize(%box, ...)
//   // becomes
//   %component = fir.coordinate_of %element, a
//   %value = fir.load (fir.address_of @_QMmE.di.t.a)
//   fir.store %value to %component

#include "mlir-dialects/Cufx/Transforms/RecordValues.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DefinedAssignments.h"
#include "mlir-dialects/Cufx/Transforms/RecordBuilder.h"

using namespace mlir;
using namespace cufort::cufx;

bool cufort::cufx::holdsAllocatables(fir::RecordType record) {
  return llvm::any_of(componentsOf(record), [](const Component &component) {
    return component.isAllocatable() || (component.record() && holdsAllocatables(component.record()));
  });
}

/// True if allocatable components lead from `at` to a type in `path`.
static bool leadsTo(fir::RecordType at, SmallVectorImpl<fir::RecordType> &path) {
  path.push_back(at);
  bool found = llvm::any_of(componentsOf(at), [&](const Component &component) {
    fir::RecordType next = component.isAllocatable() ? component.recordInside() : component.record();
    return next && (llvm::is_contained(path, next) || leadsTo(next, path));
  });
  path.pop_back();
  return found;
}

bool cufort::cufx::holdsItself(fir::RecordType record) {
  SmallVector<fir::RecordType> path;
  return leadsTo(record, path);
}

fir::RecordType cufort::cufx::staticRecordType(Type variable) {
  if (isa<fir::ClassType>(fir::unwrapRefType(variable)))
    return {};
  return dyn_cast<fir::RecordType>(hlfir::getFortranElementType(variable));
}

LogicalResult cufort::cufx::initializeRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity variable) {
  RecordBuilder records(builder, loc);
  LogicalResult result = success();
  records.forEachElement(variable, [&](Value element, ValueRange) {
    result = records.initialize(element, staticRecordType(variable.getType()));
  });
  return result;
}

void cufort::cufx::destroyRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity variable) {
  RecordBuilder records(builder, loc);
  records.forEachElement(
      variable, [&](Value element, ValueRange) { records.destroy(element, staticRecordType(variable.getType())); });
}

namespace {

/// New records with the values of the right side, which nothing else changes any more.
class RecordCopy {
public:
  /// An array if `shape` is not null.
  RecordCopy(fir::FirOpBuilder &builder, Location loc, fir::RecordType type, Value shape)
      : builder(builder), loc(loc), records(builder, loc), type(type), shape(shape) {
    SmallVector<Value> extents;
    if (shape)
      extents = hlfir::getIndexExtents(loc, builder, shape);
    memory = records.allocate(type, {}, extents);
    if (shape)
      whole = fir::EmboxOp::create(builder, loc, fir::BoxType::get(fir::unwrapRefType(memory.getType())), memory,
                                   builder.genShape(loc, extents));
    else
      whole = records.asReference(memory);
  }

  Value at(ValueRange indices) { return records.elementAt(variable(), indices); }
  hlfir::Entity variable() { return hlfir::Entity{whole}; }

  void takeCopyOf(hlfir::Entity from) {
    records.forEachElement(from,
                           [&](Value element, ValueRange indices) { records.copyToNew(at(indices), element, type); });
  }

  /// Moves the values to `to` and frees the memory. A scalar is copied to every element of an array.
  void moveTo(hlfir::Entity to) {
    bool isSpread = to.isArray() && !shape;
    if (isSpread || componentsDefineAssignment(builder.getModule(), type))
      return assignTo(to, isSpread);
    records.forEachElement(to, [&](Value element, ValueRange indices) {
      records.destroy(element, type);
      records.move(element, at(indices));
    });
    fir::FreeMemOp::create(builder, loc, memory);
  }

  /// Makes the records those of the allocatable at `descriptor`.
  void becomeThatOf(Value descriptor) {
    Component component{0, "", fir::unwrapRefType(descriptor.getType())};
    if (componentsDefineAssignment(builder.getModule(), type)) {
      RecordBuilder assignment(builder, loc, /*callsDefined=*/true);
      Value assigned = assignment.allocateCopy(variable(), component);
      records.deallocate(descriptor, component);
      fir::StoreOp::create(builder, loc, assigned, descriptor);
      return release();
    }
    records.deallocate(descriptor, component);
    Value box = shape ? fir::ReboxOp::create(builder, loc, component.type, whole, Value(), Value()).getResult()
                      : fir::EmboxOp::create(builder, loc, component.type, memory).getResult();
    fir::StoreOp::create(builder, loc, box, descriptor);
  }

private:
  void assignTo(hlfir::Entity to, bool isSpread) {
    RecordBuilder assignment(builder, loc, /*callsDefined=*/true);
    records.forEachElement(to, [&](Value element, ValueRange indices) {
      assignment.assign(element, at(isSpread ? ValueRange{} : indices), type);
    });
    release();
  }

  void release() {
    records.forEachElement(variable(), [&](Value element, ValueRange) { records.destroy(element, type); });
    fir::FreeMemOp::create(builder, loc, memory);
  }

  fir::FirOpBuilder &builder;
  Location loc;
  RecordBuilder records;
  fir::RecordType type;
  Value shape, memory, whole;
};

} // namespace

/// Copies the right side before anything of the left side changes.
static void assignThroughCopy(fir::FirOpBuilder &builder, Location loc, hlfir::Entity to, hlfir::Entity from) {
  Value shape = from.isArray() ? hlfir::genShape(loc, builder, from) : Value();
  RecordCopy copy(builder, loc, staticRecordType(to.getType()), shape);
  copy.takeCopyOf(from);
  copy.moveTo(to);
}

void cufort::cufx::assignRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity to, hlfir::Entity from,
                                 bool mayOverlap) {
  if (mayOverlap)
    return assignThroughCopy(builder, loc, to, from);
  fir::RecordType type = staticRecordType(to.getType());
  bool isDefined = componentsDefineAssignment(builder.getModule(), type);
  RecordBuilder records(builder, loc, /*callsDefined=*/true);
  records.forEachElement(to, [&](Value element, ValueRange indices) {
    Value source = records.elementAt(from, from.isArray() ? indices : ValueRange{});
    if (isDefined)
      records.assign(element, source, type);
    else
      records.assignUnlessSame(element, source, type);
  });
}

void cufort::cufx::copyRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity to, hlfir::Entity from) {
  RecordBuilder records(builder, loc);
  records.forEachElement(to, [&](Value element, ValueRange indices) {
    Value source = records.elementAt(from, from.isArray() ? indices : ValueRange{});
    records.copyToNew(element, source, staticRecordType(to.getType()));
  });
}

/// Whether an allocatable that holds `held` is allocated, with the shape of `from`.
static Value hasShapeOf(fir::FirOpBuilder &builder, Location loc, hlfir::Entity held, hlfir::Entity from) {
  Value same = builder.genIsNotNullAddr(loc, hlfir::genVariableRawAddress(loc, builder, held));
  if (!from.isArray())
    return same;
  SmallVector<Value> own = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, held));
  SmallVector<Value> other = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, from));
  for (auto [extent, wanted] : llvm::zip(own, other)) {
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, extent, wanted);
    same = arith::AndIOp::create(builder, loc, same, equal);
  }
  return same;
}

void cufort::cufx::reallocateRecords(fir::FirOpBuilder &builder, Location loc, Value descriptor, hlfir::Entity from,
                                     bool mayOverlap) {
  Component component{0, "", fir::unwrapRefType(descriptor.getType())};
  hlfir::Entity held{fir::LoadOp::create(builder, loc, descriptor).getResult()};
  builder.genIfThenElse(loc, hasShapeOf(builder, loc, held, from))
      .genThen([&] { assignRecords(builder, loc, held, from, mayOverlap); })
      .genElse([&] {
        RecordBuilder records(builder, loc, /*callsDefined=*/true);
        // `from` may be a part of what is freed.
        Value copy = records.allocateCopy(from, component);
        records.deallocate(descriptor, component);
        fir::StoreOp::create(builder, loc, copy, descriptor);
      })
      .end();
}

/// The variable whose value `elemental` gives, in each element, or null.
static Value yieldedVariable(hlfir::ElementalOp elemental) {
  auto yield = cast<hlfir::YieldElementOp>(elemental.getBody()->getTerminator());
  auto expression = yield.getElementValue().getDefiningOp<hlfir::AsExprOp>();
  Value value = expression ? expression.getVar() : yield.getElementValue();
  return hlfir::isFortranVariableType(value.getType()) ? value : Value();
}

bool cufort::cufx::assignElementalRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity to,
                                          hlfir::ElementalOp from, bool reallocates) {
  fir::RecordType type = staticRecordType(to.getType());
  Value variable = yieldedVariable(from);
  if (!variable || staticRecordType(variable.getType()) != type)
    return false;
  RecordCopy copy(builder, loc, type, from.getShape());
  {
    OpBuilder::InsertionGuard guard(builder);
    hlfir::LoopNest nest = hlfir::genLoopNest(loc, builder, from.getShape(), /*isUnordered=*/!from.isOrdered());
    builder.setInsertionPointToStart(nest.body);
    hlfir::YieldElementOp yield = hlfir::inlineElementalOp(loc, builder, from, nest.oneBasedIndices);
    auto expression = yield.getElementValue().getDefiningOp<hlfir::AsExprOp>();
    Value source = expression ? expression.getVar() : yield.getElementValue();
    builder.setInsertionPoint(yield);
    RecordBuilder records(builder, loc);
    Value element = copy.at(nest.oneBasedIndices), address = records.elementAt(hlfir::Entity{source}, {});
    // What a function returns belongs to nobody else.
    if (expression && expression.isMove())
      records.move(element, address);
    else
      records.copyToNew(element, address, type);
    yield.erase();
    if (expression)
      expression.erase();
  }
  if (!reallocates) {
    copy.moveTo(hlfir::derefPointersAndAllocatables(loc, builder, to));
    return true;
  }
  hlfir::Entity held{fir::LoadOp::create(builder, loc, to).getResult()};
  builder.genIfThenElse(loc, hasShapeOf(builder, loc, held, copy.variable()))
      .genThen([&] { copy.moveTo(held); })
      .genElse([&] { copy.becomeThatOf(to); })
      .end();
  return true;
}
