#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/StringTransfers.h"

using namespace mlir;
using namespace cufort::cufx;

hlfir::Entity cufort::cufx::variableOf(Value memory) {
  auto declare = memory.getDefiningOp<hlfir::DeclareOp>();
  return hlfir::Entity{declare ? declare.getBase() : memory};
}

Value cufort::cufx::stringAt(Value address) {
  if (!isa_and_nonnull<fir::CharacterType>(fir::dyn_cast_ptrEleTy(address.getType())))
    return address;
  Value value = beforeConversion(address);
  if (auto parts = value.getDefiningOp<fir::UnboxCharOp>())
    return parts.getBoxchar();
  if (auto part = value.getDefiningOp<fir::BoxAddrOp>(); part && isa<fir::BaseBoxType>(part.getVal().getType()))
    return part.getVal();
  return value.getDefiningOp<hlfir::DeclareOp>() ? variableOf(value) : address;
}

std::pair<Value, Value> cufort::cufx::copyToHost(fir::FirOpBuilder &builder, Location loc, Value array) {
  hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{array});
  SmallVector<Value> pairs, extents;
  for (auto [bounds, extent] :
       llvm::zip(hlfir::genBounds(loc, builder, entity), hlfir::genExtentsVector(loc, builder, entity))) {
    pairs.append({bounds.first, extent});
    extents.push_back(extent);
  }
  SmallVector<Value> lengths;
  hlfir::genLengthParameters(loc, builder, entity, lengths);
  Type element = entity.getFortranElementType();
  auto string = dyn_cast<fir::CharacterType>(element);
  auto type = builder.getVarLenSeqTy(element, extents.size());
  Value memory = builder.createHeapTemporary(loc, type, ".host", extents,
                                             string && string.hasConstantLen() ? ValueRange() : ValueRange(lengths));
  Value shape =
      fir::ShapeShiftOp::create(builder, loc, fir::ShapeShiftType::get(builder.getContext(), extents.size()), pairs);
  Value copy = hlfir::DeclareOp::create(builder, loc, memory, ".host", shape, lengths).getBase();
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, array, copy, Value(), kind);
  return {copy, memory};
}

Value cufort::cufx::copyScalarToHost(fir::FirOpBuilder &builder, Location loc, Value scalar) {
  hlfir::Entity entity{scalar};
  if (entity.isCharacter())
    return receiveString(builder, loc, scalar, builder.getModule());
  entity = hlfir::derefPointersAndAllocatables(loc, builder, entity);
  Value copy = builder.createTemporary(loc, entity.getFortranElementType());
  auto kind = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::DeviceHost);
  cuf::DataTransferOp::create(builder, loc, hlfir::genVariableRawAddress(loc, builder, entity), copy, Value(), kind);
  return copy;
}

void cufort::cufx::replaceByHostCopy(OpOperand &operand, Operation *end) {
  Operation *op = operand.getOwner();
  fir::FirOpBuilder builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>()));
  if (hlfir::Entity{operand.get()}.isScalar())
    return operand.set(copyScalarToHost(builder, op->getLoc(), operand.get()));
  auto [copy, memory] = copyToHost(builder, op->getLoc(), operand.get());
  operand.set(copy);
  builder.setInsertionPointAfter(end);
  fir::FreeMemOp::create(builder, op->getLoc(), memory);
}

Operation *cufort::cufx::endOfValue(Operation *op) {
  for (Operation *user : op->getUsers())
    if (isa<hlfir::DestroyOp>(user) && user->getBlock() == op->getBlock())
      return user;
  return op;
}

bool cufort::cufx::isOnlyFor(hlfir::AssociateOp associate, Operation *op) {
  return llvm::all_of(associate->getUsers(),
                      [&](Operation *user) { return user == op || isa<hlfir::EndAssociateOp>(user); });
}

void cufort::cufx::eraseAssociation(hlfir::AssociateOp associate) {
  // The end of an association uses two of its results.
  while (!associate->use_empty())
    associate->user_begin()->erase();
  associate->erase();
}
