// The operations fir.type_info say which components have initial values, and in which constants these are.

#include "mlir-dialects/Cufx/Transforms/RecordBuilder.h"
#include "flang/Optimizer/Builder/MutableBox.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DefinedAssignments.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"

using namespace mlir;
using namespace cufort::cufx;

fir::RecordType Component::recordInside() const {
  Type inside = fir::unwrapRefType(cast<fir::BaseBoxType>(type).getEleTy());
  return dyn_cast<fir::RecordType>(fir::unwrapSequenceType(inside));
}

SmallVector<Component> cufort::cufx::componentsOf(fir::RecordType record) {
  SmallVector<Component> components;
  for (const auto &[name, type] : record.getTypeList())
    components.push_back({static_cast<int32_t>(components.size()), name, type});
  return components;
}

//===-- Addresses -------------------------------------------------------------------------------------------------===//

void RecordBuilder::forEachElement(hlfir::Entity entity, llvm::function_ref<void(Value, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (!entity.isArray())
    return body(elementAt(entity, {}), {});
  Value shape = hlfir::genShape(loc, builder, entity);
  hlfir::LoopNest nest = hlfir::genLoopNest(loc, builder, shape, /*isUnordered=*/true);
  builder.setInsertionPointToStart(nest.body);
  body(elementAt(entity, nest.oneBasedIndices), nest.oneBasedIndices);
}

Value RecordBuilder::elementAt(hlfir::Entity entity, ValueRange indices) {
  if (!indices.empty())
    entity = hlfir::getElementAt(loc, builder, entity, indices);
  return hlfir::genVariableRawAddress(loc, builder, entity);
}

Value RecordBuilder::addressOf(Value record, const Component &component) {
  return fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(component.type), record,
                                   ArrayRef<fir::IntOrValue>{builder.getI32IntegerAttr(component.number)});
}

Value RecordBuilder::asReference(Value address) {
  return builder.createConvert(loc, fir::ReferenceType::get(fir::unwrapRefType(address.getType())), address);
}

hlfir::Entity RecordBuilder::variableOf(Value address, Type type) {
  auto sequence = dyn_cast<fir::SequenceType>(type);
  if (!sequence)
    return hlfir::Entity{address};
  SmallVector<Value> extents;
  for (int64_t extent : sequence.getShape())
    extents.push_back(builder.createIntegerConstant(loc, builder.getIndexType(), extent));
  Value shape = builder.genShape(loc, extents);
  return hlfir::Entity{fir::EmboxOp::create(builder, loc, fir::BoxType::get(type), address, shape).getResult()};
}

//===-- Initial values --------------------------------------------------------------------------------------------===//

LogicalResult RecordBuilder::initialize(Value record, fir::RecordType type) {
  for (const Component &component : componentsOf(type))
    if (failed(initializeComponent(record, type, component)))
      return failure();
  return success();
}

void RecordBuilder::setUnallocated(Value address, Type type) {
  Value empty = fir::factory::createUnallocatedBox(builder, loc, type, /*nonDeferredParams=*/{});
  fir::StoreOp::create(builder, loc, empty, address);
}

LogicalResult RecordBuilder::initializeComponent(Value record, fir::RecordType type, const Component &component) {
  if (component.isAllocatable() || component.isPointer()) {
    if (component.isPointer() && beginsAtTarget(type, component))
      return emitError(loc) << "the pointer component '" << component.name
                            << "' begins at a target of the host; it has to begin at null() in device code";
    setUnallocated(addressOf(record, component), component.type);
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

bool RecordBuilder::needsInitialization(fir::RecordType type) {
  auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
  return !info || !info.getNoInit();
}

fir::GlobalOp RecordBuilder::initialValue(fir::RecordType type, const Component &component) {
  auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
  if (!info || info.getComponentInfo().empty())
    return {};
  for (auto described : info.getComponentInfo().getOps<fir::DTComponentOp>())
    if (described.getName() == component.name && described.getInitVal())
      return module.lookupSymbol<fir::GlobalOp>(*described.getInitVal());
  return {};
}

bool RecordBuilder::beginsAtTarget(fir::RecordType type, const Component &component) {
  fir::GlobalOp value = initialValue(type, component);
  return value && value.walk([](fir::AddrOfOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

//===-- The end ---------------------------------------------------------------------------------------------------===//

void RecordBuilder::destroy(Value record, fir::RecordType type) {
  if (holdsItself(type))
    return callDestroy(record, type);
  for (const Component &component : componentsOf(type))
    destroyComponent(record, component);
}

void RecordBuilder::destroyComponent(Value record, const Component &component) {
  if (component.isAllocatable()) {
    deallocate(addressOf(record, component), component);
  } else if (fir::RecordType nested = component.record(); nested && holdsAllocatables(nested)) {
    forEachElement(variableOf(addressOf(record, component), component.type),
                   [&](Value element, ValueRange) { destroy(element, nested); });
  }
}

//===-- Assignment ------------------------------------------------------------------------------------------------===//

void RecordBuilder::assignUnlessSame(Value to, Value from, fir::RecordType type) {
  Value differ = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                       builder.createConvert(loc, builder.getI64Type(), to),
                                       builder.createConvert(loc, builder.getI64Type(), from));
  builder.genIfThen(loc, differ).genThen([&] { assign(to, from, type); }).end();
}

void RecordBuilder::assign(Value to, Value from, fir::RecordType type) {
  if (holdsItself(type))
    return callAssign(to, from, type);
  for (const Component &component : componentsOf(type))
    assignComponent(to, from, component);
}

void RecordBuilder::copyToNew(Value to, Value from, fir::RecordType type) {
  (void)initialize(to, type); // every allocatable component, so that assigning frees nothing
  assign(to, from, type);
}

void RecordBuilder::assignComponent(Value to, Value from, const Component &component) {
  Value target = addressOf(to, component), source = addressOf(from, component);
  if (component.isAllocatable())
    assignAllocatable(target, source, component);
  else
    assignPlain(target, source, component);
}

void RecordBuilder::copy(Value to, Value from, Type type) {
  if (fir::isa_trivial(type))
    fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, from), to);
  else
    fir::CopyOp::create(builder, loc, from, to, /*no_overlap=*/true);
}

void RecordBuilder::assignPlain(Value to, Value from, const Component &component) {
  fir::RecordType nested = component.record();
  if (!nested || !isAssignedInParts(nested)) {
    if (fir::isa_box_type(component.type))
      fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, from), to);
    else
      copy(to, from, component.type);
    return;
  }
  hlfir::Entity source = variableOf(from, component.type);
  forEachElement(variableOf(to, component.type), [&](Value element, ValueRange indices) {
    assignInComponent(element, elementAt(source, indices), nested, !indices.empty());
  });
}

bool RecordBuilder::isAssignedInParts(fir::RecordType type) {
  return holdsAllocatables(type) || (callsDefined && (definedAssignment(module, type, /*forArrays=*/false) ||
                                                      componentsDefineAssignment(module, type)));
}

void RecordBuilder::assignInComponent(Value to, Value from, fir::RecordType type, bool isArray) {
  if (func::FuncOp defined = callsDefined ? definedAssignment(module, type, isArray) : func::FuncOp())
    callDefinedAssignment(defined, to, from);
  else
    assign(to, from, type);
}

void RecordBuilder::callDefinedAssignment(func::FuncOp procedure, Value to, Value from) {
  SmallVector<Value> arguments{asReference(to), asReference(from)};
  for (auto [argument, type] : llvm::zip(arguments, procedure.getArgumentTypes())) {
    if (isa<fir::BaseBoxType>(type)) {
      Type record = fir::unwrapRefType(argument.getType());
      Type box = isa<fir::ClassType>(type) ? Type(fir::ClassType::get(record)) : Type(fir::BoxType::get(record));
      argument = fir::EmboxOp::create(builder, loc, box, argument);
    }
    argument = builder.createConvert(loc, type, argument);
  }
  fir::CallOp::create(builder, loc, procedure, arguments);
}

void RecordBuilder::assignAllocatable(Value to, Value from, const Component &component) {
  deallocate(to, component);
  hlfir::Entity source{fir::LoadOp::create(builder, loc, from).getResult()};
  Value data = hlfir::genVariableRawAddress(loc, builder, source);
  builder.genIfThen(loc, builder.genIsNotNullAddr(loc, data))
      .genThen([&] { fir::StoreOp::create(builder, loc, allocateCopy(source, component), to); })
      .end();
}

//===-- Allocatables ----------------------------------------------------------------------------------------------===//

void RecordBuilder::deallocate(Value address, const Component &component) {
  Value box = fir::LoadOp::create(builder, loc, address);
  Value data = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{box});
  builder.genIfThen(loc, builder.genIsNotNullAddr(loc, data))
      .genThen([&] {
        if (fir::RecordType inside = component.recordInside(); inside && holdsAllocatables(inside))
          forEachElement(hlfir::Entity{box}, [&](Value element, ValueRange) { destroy(element, inside); });
        fir::FreeMemOp::create(builder, loc, data);
      })
      .end();
  setUnallocated(address, component.type);
}

Value RecordBuilder::allocate(Type type, ValueRange lengths, ValueRange extents) {
  if (!extents.empty()) {
    SmallVector<int64_t> shape(extents.size(), fir::SequenceType::getUnknownExtent());
    type = fir::SequenceType::get(shape, fir::unwrapSequenceType(type));
  }
  Value memory = fir::AllocMemOp::create(builder, loc, type, "", lengths, extents);
  builder.genIfThen(loc, builder.genIsNullAddr(loc, memory))
      .genThen([&] { TrapOp::create(builder, loc, "an assignment fails: the heap is full"); })
      .end();
  return memory;
}

Value RecordBuilder::allocateCopy(hlfir::Entity source, const Component &component) {
  Type type = source.getElementOrSequenceType();
  SmallVector<Value> bounds, extents;
  if (source.isArray()) {
    for (auto [lower, upper] : hlfir::genBounds(loc, builder, source))
      bounds.push_back(lower);
    extents = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, source));
  }
  SmallVector<Value> lengths;
  hlfir::genLengthParameters(loc, builder, source, lengths);
  Value memory = allocate(type, lengths, extents);
  Value shape;
  if (source.isArray())
    shape = builder.genShape(loc, bounds, extents);
  Value box = fir::EmboxOp::create(builder, loc, component.type, memory, shape, Value(), lengths);
  fir::RecordType inside = component.recordInside();
  if (!inside || !isAssignedInParts(inside)) {
    hlfir::AssignOp::create(builder, loc, source, box);
    return box;
  }
  forEachElement(hlfir::Entity{box}, [&](Value element, ValueRange indices) {
    (void)initialize(element, inside);
    assignInComponent(element, elementAt(source, indices), inside, source.isArray());
  });
  return box;
}
