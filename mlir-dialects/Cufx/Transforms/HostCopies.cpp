// A host copy is a temporary that is allocated, filled by one transfer, and declared again under the array's name, with
// bounds that begin at 1 whatever those of the array are. Where an assignment does nothing but convert the array, the
// temporary is not declared again.

#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

struct HostCopy {
  hlfir::DeclareOp temporary;   ///< of the memory
  hlfir::DeclareOp redeclared;  ///< what the expression uses; may be the temporary itself
  cuf::DataTransferOp transfer; ///< from the array
};

/// True if an elementwise operation reads the elements of `copy`.
bool isReadByElemental(hlfir::DeclareOp copy) {
  return llvm::any_of(copy->getUsers(), [&](Operation *user) {
    return isa<hlfir::DesignateOp>(user) && isa<hlfir::ElementalOp>(user->getParentOp());
  });
}

std::optional<HostCopy> matchHostCopy(cuf::DataTransferOp transfer) {
  HostCopy copy;
  copy.transfer = transfer;
  copy.temporary = transfer.getDst().getDefiningOp<hlfir::DeclareOp>();
  if (!copy.temporary || !copy.temporary.getMemref().getDefiningOp<fir::AllocMemOp>())
    return std::nullopt;
  for (Value result : copy.temporary->getResults())
    for (Operation *user : result.getUsers())
      if (auto declare = dyn_cast<hlfir::DeclareOp>(user); declare && declare.getDataAttr())
        copy.redeclared = declare;
  if (!copy.redeclared && isReadByElemental(copy.temporary))
    copy.redeclared = copy.temporary;
  if (!copy.redeclared || !copy.redeclared.getShape())
    return std::nullopt;
  return copy;
}

/// True if the expression reads nothing but single elements of the copy, each once.
bool readsSingleElements(const HostCopy &copy) {
  return llvm::all_of(copy.redeclared->getUsers(), [&](Operation *user) {
    auto element = dyn_cast<hlfir::DesignateOp>(user);
    return element && fir::isa_trivial(fir::unwrapRefType(element.getType())) &&
           element->getBlock() == copy.redeclared->getBlock();
  });
}

void eraseCopy(HostCopy copy) {
  auto memory = copy.temporary.getMemref().getDefiningOp<fir::AllocMemOp>();
  copy.transfer.erase();
  copy.redeclared.erase();
  copy.temporary.erase();
  for (Operation *user : llvm::make_early_inc_range(memory->getUsers()))
    user->erase();
  memory.erase();
}

/// The expression reads the device array itself, whose elements are transferred one by one afterwards.
void dropCopy(HostCopy copy) {
  OpBuilder builder(copy.redeclared);
  Value array = variableOf(copy.transfer.getSrc());
  if (fir::isBoxAddress(array.getType()))
    array = fir::LoadOp::create(builder, copy.redeclared.getLoc(), array);
  for (Operation *user : llvm::make_early_inc_range(copy.redeclared->getUsers()))
    cast<hlfir::DesignateOp>(user).getMemrefMutable().assign(array);
  eraseCopy(copy);
}

/// True if lowering addresses an element by its position in an elemental operation, which counts from 1 whatever the
/// bounds are that the program sees.
bool isByPosition(Operation *user) {
  auto element = dyn_cast<hlfir::DesignateOp>(user);
  return element && !element.getIndices().empty() && llvm::all_of(element.getIndices(), [&](Value index) {
           auto argument = dyn_cast<BlockArgument>(index);
           return argument && isa<hlfir::ElementalOp>(argument.getOwner()->getParentOp());
         });
}

/// A triplet without bounds, which lowering wrote as 1:extent, becomes that of an array that begins at `bounds`.
void shiftWholeTriplets(hlfir::DesignateOp section, ValueRange extents, ArrayRef<Value> lowerBounds) {
  OpBuilder builder(section);
  unsigned position = 0;
  for (auto [dimension, isTriplet] : llvm::enumerate(section.getIsTriplet())) {
    MutableOperandRange indices = section.getIndicesMutable();
    auto lower = isTriplet ? fir::getIntIfConstant(section.getIndices()[position]) : std::nullopt;
    if (lower && *lower == 1 && section.getIndices()[position + 1] == extents[dimension]) {
      Value one = arith::ConstantIndexOp::create(builder, section.getLoc(), 1);
      Value first = fir::ConvertOp::create(builder, section.getLoc(), builder.getIndexType(), lowerBounds[dimension]);
      Value offset = arith::SubIOp::create(builder, section.getLoc(), first, one);
      Value last = arith::AddIOp::create(builder, section.getLoc(), extents[dimension], offset);
      indices[position].set(first);
      indices[position + 1].set(last);
    }
    position += isTriplet ? 3 : 1;
  }
}

/// Gives the copy the lower bounds of the array.
void keepLowerBounds(HostCopy copy, ModuleOp module) {
  fir::FirOpBuilder builder(copy.redeclared.getOperation(), fir::getKindMapping(module));
  Location loc = copy.redeclared.getLoc();
  hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, variableOf(copy.transfer.getSrc()));
  if (!array.mayHaveNonDefaultLowerBounds())
    return;
  SmallVector<Value> pairs, lowerBounds;
  SmallVector<std::pair<Value, Value>> bounds = hlfir::genBounds(loc, builder, array);
  auto shape = copy.redeclared.getShape().getDefiningOp<fir::ShapeOp>();
  if (!shape)
    return;
  for (auto [bound, extent] : llvm::zip(bounds, shape.getExtents())) {
    pairs.append({bound.first, extent});
    lowerBounds.push_back(bound.first);
  }
  for (Operation *user : copy.redeclared->getUsers())
    if (auto section = dyn_cast<hlfir::DesignateOp>(user))
      shiftWholeTriplets(section, shape.getExtents(), lowerBounds);
  auto type = fir::ShapeShiftType::get(builder.getContext(), bounds.size());
  Value shifted = fir::ShapeShiftOp::create(builder, loc, type, pairs);
  auto declare = hlfir::DeclareOp::create(builder, loc, copy.redeclared.getMemref(), copy.redeclared.getUniqName(),
                                          shifted, copy.redeclared.getTypeparams());
  auto byProgramBounds = [](OpOperand &use) { return !isByPosition(use.getOwner()); };
  copy.redeclared.getBase().replaceUsesWithIf(declare.getBase(), byProgramBounds);
  copy.redeclared.getOriginalBase().replaceUsesWithIf(declare.getOriginalBase(), byProgramBounds);
}

//===-- Copies for assignments to the device ---------------------------------------------------------------------===//

/// The assignment that the copy was made for: the last one before its memory is freed. Null if there is none.
hlfir::AssignOp assignmentOf(HostCopy copy) {
  for (Operation *user : copy.temporary.getMemref().getUsers())
    if (isa<fir::FreeMemOp>(user))
      for (Operation *op = user->getPrevNode(); op && op != copy.transfer; op = op->getPrevNode())
        if (auto assign = dyn_cast<hlfir::AssignOp>(op))
          return assign;
  return {};
}

/// True if `target` is device memory. If the assigned array is also on the right side, lowering takes the copy for it.
bool isOnDevice(Value target) {
  if (isDeviceOnly(target) || arrayCopiedTo(target))
    return true;
  auto section = target.getDefiningOp<hlfir::DesignateOp>();
  return section && isOnDevice(section.getMemref());
}

/// Indices that count from 1 become those of an array with `lowerBounds`.
void shiftPositions(hlfir::DesignateOp element, ArrayRef<Value> lowerBounds) {
  OpBuilder builder(element);
  Value one = arith::ConstantIndexOp::create(builder, element.getLoc(), 1);
  MutableOperandRange indices = element.getIndicesMutable();
  for (auto [position, lower] : llvm::enumerate(lowerBounds)) {
    Value offset = arith::SubIOp::create(builder, element.getLoc(), lower, one);
    indices[position].set(arith::AddIOp::create(builder, element.getLoc(), element.getIndices()[position], offset));
  }
}

/// The statement names the device array itself.
void undoCopy(HostCopy copy, ModuleOp module) {
  fir::FirOpBuilder builder(copy.redeclared.getOperation(), fir::getKindMapping(module));
  Location loc = copy.redeclared.getLoc();
  hlfir::Entity variable = variableOf(copy.transfer.getSrc());
  hlfir::Entity array = hlfir::derefPointersAndAllocatables(loc, builder, variable);
  SmallVector<Value> lowerBounds;
  if (array.mayHaveNonDefaultLowerBounds())
    for (auto [lower, upper] : hlfir::genBounds(loc, builder, array))
      lowerBounds.push_back(builder.createConvert(loc, builder.getIndexType(), lower));
  auto shape = copy.redeclared.getShape().getDefiningOp<fir::ShapeOp>();
  SmallVector<OpOperand *> uses;
  for (Value result : copy.redeclared->getResults())
    for (OpOperand &use : result.getUses())
      uses.push_back(&use);
  for (OpOperand *use : uses) {
    if (auto designate = dyn_cast<hlfir::DesignateOp>(use->getOwner()); designate && !lowerBounds.empty())
      isByPosition(designate) ? shiftPositions(designate, lowerBounds)
                              : shiftWholeTriplets(designate, shape.getExtents(), lowerBounds);
    auto assign = dyn_cast<hlfir::AssignOp>(use->getOwner());
    use->set(assign && use->get() == assign.getLhs() ? variable : array);
  }
  eraseCopy(copy);
}

} // namespace

hlfir::Entity cufort::cufx::variableOf(Value memory) {
  auto declare = memory.getDefiningOp<hlfir::DeclareOp>();
  return hlfir::Entity{declare ? declare.getBase() : memory};
}

Value cufort::cufx::arrayCopiedTo(Value copy) {
  auto redeclared = copy.getDefiningOp<hlfir::DeclareOp>();
  auto temporary = redeclared ? redeclared.getMemref().getDefiningOp<hlfir::DeclareOp>() : hlfir::DeclareOp();
  if (!temporary)
    return {};
  for (Operation *user : temporary->getUsers())
    if (auto transfer = dyn_cast<cuf::DataTransferOp>(user))
      if (auto found = matchHostCopy(transfer); found && found->redeclared == redeclared)
        return variableOf(transfer.getSrc());
  return {};
}

void cufort::cufx::undoCopiesForDevice(ModuleOp module) {
  SmallVector<HostCopy> copies;
  module.walk([&](cuf::DataTransferOp transfer) {
    auto copy = matchHostCopy(transfer);
    hlfir::AssignOp assign = copy ? assignmentOf(*copy) : hlfir::AssignOp();
    if (assign && isOnDevice(assign.getLhs()))
      copies.push_back(*copy);
  });
  for (const HostCopy &copy : copies)
    undoCopy(copy, module);
}

void cufort::cufx::repairHostCopies(ModuleOp module) {
  SmallVector<HostCopy> copies;
  module.walk([&](cuf::DataTransferOp transfer) {
    if (auto copy = matchHostCopy(transfer))
      copies.push_back(*copy);
  });
  for (const HostCopy &copy : copies)
    readsSingleElements(copy) ? dropCopy(copy) : keepLowerBounds(copy, module);
}

std::pair<Value, Value> cufort::cufx::copyToHost(fir::FirOpBuilder &builder, Location loc, Value array) {
  hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{array});
  SmallVector<Value> pairs, extents;
  for (auto [bounds, extent] :
       llvm::zip(hlfir::genBounds(loc, builder, entity), hlfir::genExtentsVector(loc, builder, entity))) {
    pairs.append({bounds.first, extent});
    extents.push_back(extent);
  }
  auto type = builder.getVarLenSeqTy(entity.getFortranElementType(), extents.size());
  Value memory = builder.createHeapTemporary(loc, type, ".host", extents);
  Value shape =
      fir::ShapeShiftOp::create(builder, loc, fir::ShapeShiftType::get(builder.getContext(), extents.size()), pairs);
  Value copy = hlfir::DeclareOp::create(builder, loc, memory, ".host", shape).getBase();
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
