#include "mlir-dialects/Cufx/Transforms/DynamicTypes.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"

using namespace mlir;
using namespace cufort::cufx;

Type cufort::cufx::withElement(Type type, Type element) {
  if (auto pointer = dyn_cast<fir::PointerType>(type))
    return fir::PointerType::get(withElement(pointer.getEleTy(), element));
  if (auto heap = dyn_cast<fir::HeapType>(type))
    return fir::HeapType::get(withElement(heap.getEleTy(), element));
  if (auto array = dyn_cast<fir::SequenceType>(type))
    return fir::SequenceType::get(array.getShape(), element);
  return element;
}

/// What the descriptor at `descriptor`, of an object with CLASS, is for an object with TYPE; null if it is another.
static fir::BoxType knownBox(Value descriptor, fir::RecordType type) {
  auto declared = dyn_cast<fir::ClassType>(fir::unwrapRefType(descriptor.getType()));
  return declared ? fir::BoxType::get(withElement(declared.getEleTy(), type)) : fir::BoxType();
}

/// A descriptor of nothing, of type `box`.
static Value emptyBox(fir::FirOpBuilder &builder, Location loc, fir::BoxType box) {
  Value null = builder.createNullConstant(loc, box.getEleTy());
  Value shape;
  if (auto array = dyn_cast<fir::SequenceType>(fir::unwrapRefType(box.getEleTy())))
    shape = builder.genShape(
        loc, SmallVector<Value>(array.getDimension(), builder.createIntegerConstant(loc, builder.getIndexType(), 0)));
  return fir::EmboxOp::create(builder, loc, box, null, shape);
}

LogicalResult DynamicTypes::set(Operation *op, Value descriptor, fir::RecordType type, bool isPointer) {
  fir::BoxType box = knownBox(descriptor, type);
  if (!box)
    return success();
  types[descriptor] = type;
  if (holdsAllocatables(type))
    return op->emitError("ALLOCATE of an object with CLASS is not possible in device code for a type with allocatable "
                         "components");
  Location loc = op->getLoc();
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  auto store = [&] {
    Type declared = fir::unwrapRefType(descriptor.getType());
    fir::StoreOp::create(builder, loc, builder.createConvert(loc, declared, emptyBox(builder, loc, box)), descriptor);
  };
  if (isPointer) {
    store();
    return success();
  }
  Value address = fir::BoxAddrOp::create(builder, loc, fir::LoadOp::create(builder, loc, descriptor));
  builder.genIfThen(loc, builder.genIsNullAddr(loc, address)).genThen(store).end();
  return success();
}

LogicalResult DynamicTypes::setLike(Operation *op, Value descriptor, Value source, bool isPointer) {
  if (fir::RecordType type = staticRecordType(source.getType()))
    return set(op, descriptor, type, isPointer);
  types.erase(descriptor);
  return success();
}

Value DynamicTypes::descriptorOf(fir::FirOpBuilder &builder, Location loc, Value descriptor) const {
  if (!isa<fir::ClassType>(fir::unwrapRefType(descriptor.getType())))
    return descriptor;
  auto known = types.find(descriptor);
  if (known == types.end())
    return {};
  return builder.createConvert(loc, fir::ReferenceType::get(knownBox(descriptor, known->second)), descriptor);
}

fir::RecordType cufort::cufx::describedType(Value description) {
  while (auto convert = description.getDefiningOp<fir::ConvertOp>())
    description = convert.getValue();
  if (auto known = description.getDefiningOp<fir::TypeDescOp>())
    return dyn_cast<fir::RecordType>(known.getInType());
  auto address = description.getDefiningOp<fir::AddrOfOp>();
  if (!address)
    return {};
  StringRef symbol = address.getSymbol().getRootReference();
  for (auto info : address->getParentOfType<ModuleOp>().getOps<fir::TypeInfoOp>())
    if (fir::NameUniquer::getTypeDescriptorName(info.getSymName()) == symbol)
      return dyn_cast<fir::RecordType>(info.getType());
  return {};
}
