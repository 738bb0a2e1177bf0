#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"

using namespace mlir;
using namespace cufort::cufx;

hlfir::Entity cufort::cufx::variableOf(Value memory) {
  auto declare = memory.getDefiningOp<hlfir::DeclareOp>();
  return hlfir::Entity{declare ? declare.getBase() : memory};
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
