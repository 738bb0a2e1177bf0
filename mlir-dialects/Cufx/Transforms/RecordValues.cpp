// In: calls of Flang's runtime, which works from descriptions of types in host memory, and assignments that would
// become such calls. Out: loops over the elements, and operations for each component:
//
//   fir.call @_FortranAInitialize(%box, ...)
//   // becomes
//   %component = fir.coordinate_of %element, a
//   %value = fir.load (fir.address_of @_QMmE.di.t.a)
//   fir.store %value to %component
//
// The operations fir.type_info say which components have initial values, and in which constants these are.

#include "mlir-dialects/Cufx/Transforms/RecordValues.h"
#include "flang/Optimizer/Builder/MutableBox.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// A component of a derived type.
struct Component {
  int32_t number;
  StringRef name;
  Type type;

  bool isAllocatable() const {
    auto box = dyn_cast<fir::BaseBoxType>(type);
    return box && isa<fir::HeapType>(box.getEleTy());
  }
  bool isPointer() const { return isa<fir::BaseBoxType>(type) && !isAllocatable(); }
  /// The type of the component, or of its elements, if that is a derived type.
  fir::RecordType record() const { return dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type)); }
};

SmallVector<Component> componentsOf(fir::RecordType record) {
  SmallVector<Component> components;
  for (const auto &[name, type] : record.getTypeList())
    components.push_back({static_cast<int32_t>(components.size()), name, type});
  return components;
}

/// The derived type of what an allocatable component holds, or null.
fir::RecordType recordInside(const Component &component) {
  Type inside = fir::unwrapRefType(cast<fir::BaseBoxType>(component.type).getEleTy());
  return dyn_cast<fir::RecordType>(fir::unwrapSequenceType(inside));
}

class RecordBuilder {
public:
  RecordBuilder(fir::FirOpBuilder &builder, Location loc) : module(builder.getModule()), builder(builder), loc(loc) {}

  /// Runs `body` with the address of each element of `entity`.
  void forEachElement(hlfir::Entity entity, llvm::function_ref<void(Value, ValueRange)> body) {
    OpBuilder::InsertionGuard guard(builder);
    if (!entity.isArray())
      return body(elementAt(entity, {}), {});
    Value shape = hlfir::genShape(loc, builder, entity);
    hlfir::LoopNest nest = hlfir::genLoopNest(loc, builder, shape, /*isUnordered=*/true);
    builder.setInsertionPointToStart(nest.body);
    body(elementAt(entity, nest.oneBasedIndices), nest.oneBasedIndices);
  }

  /// The address of an element, or of a scalar if there are no `indices`.
  Value elementAt(hlfir::Entity entity, ValueRange indices) {
    if (!indices.empty())
      entity = hlfir::getElementAt(loc, builder, entity, indices);
    return hlfir::genVariableRawAddress(loc, builder, entity);
  }

  Value addressOf(Value record, const Component &component) {
    return fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(component.type), record,
                                     ArrayRef<fir::IntOrValue>{builder.getI32IntegerAttr(component.number)});
  }

  /// A component that is an array, or a scalar, as a variable.
  hlfir::Entity variableOf(Value address, Type type) {
    auto sequence = dyn_cast<fir::SequenceType>(type);
    if (!sequence)
      return hlfir::Entity{address};
    SmallVector<Value> extents;
    for (int64_t extent : sequence.getShape())
      extents.push_back(builder.createIntegerConstant(loc, builder.getIndexType(), extent));
    Value shape = builder.genShape(loc, extents);
    return hlfir::Entity{fir::EmboxOp::create(builder, loc, fir::BoxType::get(type), address, shape).getResult()};
  }

  //===-- Initial values
  //-------------------------------------------------------------------------------------------===//

  LogicalResult initialize(Value record, fir::RecordType type) {
    for (const Component &component : componentsOf(type))
      if (failed(initializeComponent(record, type, component)))
        return failure();
    return success();
  }

  //===-- The end
  //--------------------------------------------------------------------------------------------------===//

  void destroy(Value record, fir::RecordType type) {
    for (const Component &component : componentsOf(type)) {
      if (component.isAllocatable()) {
        deallocate(addressOf(record, component), component);
      } else if (fir::RecordType nested = component.record(); nested && holdsAllocatables(nested)) {
        forEachElement(variableOf(addressOf(record, component), component.type),
                       [&](Value element, ValueRange) { destroy(element, nested); });
      }
    }
  }

  //===-- Assignment
  //-----------------------------------------------------------------------------------------------===//

  /// x = x changes nothing.
  void assignUnlessSame(Value to, Value from, fir::RecordType type) {
    Value differ = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         builder.createConvert(loc, builder.getI64Type(), to),
                                         builder.createConvert(loc, builder.getI64Type(), from));
    builder.genIfThen(loc, differ).genThen([&] { assign(to, from, type); }).end();
  }

  void assign(Value to, Value from, fir::RecordType type) {
    for (const Component &component : componentsOf(type)) {
      Value target = addressOf(to, component), source = addressOf(from, component);
      if (component.isAllocatable())
        assignAllocatable(target, source, component);
      else
        assignPlain(target, source, component);
    }
  }

  //===-- Allocatables
  //----------------------------------------------------------------------------------------------===//

  /// Frees what the allocatable component at `address` holds, and leaves it unallocated.
  void deallocate(Value address, const Component &component) {
    Value box = fir::LoadOp::create(builder, loc, address);
    Value data = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{box});
    builder.genIfThen(loc, builder.genIsNotNullAddr(loc, data))
        .genThen([&] {
          if (fir::RecordType inside = recordInside(component); inside && holdsAllocatables(inside))
            forEachElement(hlfir::Entity{box}, [&](Value element, ValueRange) { destroy(element, inside); });
          fir::FreeMemOp::create(builder, loc, data);
        })
        .end();
    Value empty = fir::factory::createUnallocatedBox(builder, loc, component.type, /*nonDeferredParams=*/{});
    fir::StoreOp::create(builder, loc, empty, address);
  }

  /// Makes the component at `to` a copy of `source`, with its bounds.
  void allocateCopy(Value to, hlfir::Entity source, const Component &component) {
    Type type = source.getElementOrSequenceType();
    SmallVector<Value> bounds, extents;
    if (source.isArray()) {
      for (auto [lower, upper] : hlfir::genBounds(loc, builder, source))
        bounds.push_back(lower);
      extents = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, source));
    }
    SmallVector<Value> lengths;
    hlfir::genLengthParameters(loc, builder, source, lengths);
    Value memory = fir::AllocMemOp::create(builder, loc, type, "", lengths, extents);
    Value shape;
    if (source.isArray())
      shape = builder.genShape(loc, bounds, extents);
    Value box = fir::EmboxOp::create(builder, loc, component.type, memory, shape, Value(), lengths);
    fir::StoreOp::create(builder, loc, box, to);
    fir::RecordType inside = recordInside(component);
    if (!inside || !holdsAllocatables(inside)) {
      hlfir::AssignOp::create(builder, loc, source, box);
      return;
    }
    forEachElement(hlfir::Entity{box}, [&](Value element, ValueRange indices) {
      (void)initialize(element, inside); // every allocatable component, so that assigning frees nothing
      assign(element, elementAt(source, indices), inside);
    });
  }

private:
  LogicalResult initializeComponent(Value record, fir::RecordType type, const Component &component) {
    if (component.isAllocatable() || component.isPointer()) {
      if (component.isPointer() && beginsAtTarget(type, component))
        return emitError(loc) << "the pointer component '" << component.name
                              << "' begins at a target of the host; it has to begin at null() in device code";
      Value box = fir::factory::createUnallocatedBox(builder, loc, component.type, /*nonDeferredParams=*/{});
      fir::StoreOp::create(builder, loc, box, addressOf(record, component));
      return success();
    }
    if (fir::GlobalOp value = initialValue(type, component)) {
      Value source = fir::AddrOfOp::create(builder, loc, value.resultType(), value.getSymbol());
      copy(addressOf(record, component), source, component.type);
      return success();
    }
    fir::RecordType nested = component.record();
    if (!nested || !needsInitialization(nested))
      return success();
    LogicalResult result = success();
    forEachElement(variableOf(addressOf(record, component), component.type),
                   [&](Value element, ValueRange) { result = initialize(element, nested); });
    return result;
  }

  bool needsInitialization(fir::RecordType type) {
    auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
    return !info || !info.getNoInit();
  }

  /// The constant with the initial value of `component`, or null.
  fir::GlobalOp initialValue(fir::RecordType type, const Component &component) {
    auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
    if (!info || info.getComponentInfo().empty())
      return {};
    for (auto described : info.getComponentInfo().getOps<fir::DTComponentOp>())
      if (described.getName() == component.name && described.getInitVal())
        return module.lookupSymbol<fir::GlobalOp>(*described.getInitVal());
    return {};
  }

  /// True if the initial value of a pointer is the address of a variable.
  bool beginsAtTarget(fir::RecordType type, const Component &component) {
    fir::GlobalOp value = initialValue(type, component);
    return value && value.walk([](fir::AddrOfOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  void copy(Value to, Value from, Type type) {
    if (fir::isa_trivial(type))
      fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, from), to);
    else
      fir::CopyOp::create(builder, loc, from, to, /*no_overlap=*/true);
  }

  void assignPlain(Value to, Value from, const Component &component) {
    fir::RecordType nested = component.record();
    if (!nested || !holdsAllocatables(nested)) {
      if (fir::isa_box_type(component.type))
        fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, from), to);
      else
        copy(to, from, component.type);
      return;
    }
    hlfir::Entity source = variableOf(from, component.type);
    forEachElement(variableOf(to, component.type),
                   [&](Value element, ValueRange indices) { assign(element, elementAt(source, indices), nested); });
  }

  void assignAllocatable(Value to, Value from, const Component &component) {
    deallocate(to, component);
    hlfir::Entity source{fir::LoadOp::create(builder, loc, from).getResult()};
    Value data = hlfir::genVariableRawAddress(loc, builder, source);
    builder.genIfThen(loc, builder.genIsNotNullAddr(loc, data))
        .genThen([&] { allocateCopy(to, source, component); })
        .end();
  }

  ModuleOp module;
  fir::FirOpBuilder &builder;
  Location loc;
};

} // namespace

bool cufort::cufx::holdsAllocatables(fir::RecordType record) {
  return llvm::any_of(componentsOf(record), [](const Component &component) {
    return component.isAllocatable() || (component.record() && holdsAllocatables(component.record()));
  });
}

/// True if allocatable components lead from `at` to a type in `path`.
static bool leadsTo(fir::RecordType at, SmallVectorImpl<fir::RecordType> &path) {
  path.push_back(at);
  bool found = llvm::any_of(componentsOf(at), [&](const Component &component) {
    fir::RecordType next = component.isAllocatable() ? recordInside(component) : component.record();
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

void cufort::cufx::assignRecords(fir::FirOpBuilder &builder, Location loc, hlfir::Entity to, hlfir::Entity from) {
  RecordBuilder records(builder, loc);
  records.forEachElement(to, [&](Value element, ValueRange indices) {
    Value source = records.elementAt(from, from.isArray() ? indices : ValueRange{});
    records.assignUnlessSame(element, source, staticRecordType(to.getType()));
  });
}

void cufort::cufx::reallocateRecords(fir::FirOpBuilder &builder, Location loc, Value descriptor, hlfir::Entity from) {
  RecordBuilder records(builder, loc);
  Type type = fir::unwrapRefType(descriptor.getType());
  Component held{0, "", type};
  records.deallocate(descriptor, held);
  records.allocateCopy(descriptor, from, held);
}
