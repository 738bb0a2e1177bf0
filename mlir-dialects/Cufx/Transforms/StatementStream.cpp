#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/AddressHere.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"

using namespace mlir;
using namespace cufort::cufx;

/// The whole variable that `value` is or is a part of. Parts may be designated, and descriptors loaded, behind the
/// place where a statement's kernels begin.
static Value wholeVariable(Value value) {
  while (true) {
    auto part = value.getDefiningOp<hlfir::DesignateOp>();
    auto descriptor = value.getDefiningOp<fir::LoadOp>();
    if (part && !part.getComponent())
      value = part.getMemref();
    else if (descriptor && isa<fir::BaseBoxType>(descriptor.getType()))
      value = descriptor.getMemref();
    else
      return value;
  }
}

Value cufort::cufx::addressHere(fir::FirOpBuilder &builder, Location loc, Value value) {
  if (!value || !isDeviceAddressable(value))
    return {};
  value = wholeVariable(value);
  Operation *definition = value.getDefiningOp();
  Block *block = builder.getInsertionBlock();
  bool isKnown = !definition || definition->getBlock() != block || builder.getInsertionPoint() == block->end() ||
                 definition->isBeforeInBlock(&*builder.getInsertionPoint());
  if (!isKnown || !(definition ? definition->getParentRegion() : value.getParentRegion())->isAncestor(block->getParent()))
    return {};
  hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{value});
  return hlfir::genVariableRawAddress(loc, builder, entity);
}

StatementStream::StatementStream(fir::FirOpBuilder &builder, Location loc, Value target, Value source) : loc(loc) {
  Value first = addressHere(builder, loc, target), second = addressHere(builder, loc, source);
  if (!first)
    std::swap(first, second);
  if (first)
    before = UseStreamOfOp::create(builder, loc, builder.getI64Type(), first, second);
}

void StatementStream::end(fir::FirOpBuilder &builder) {
  if (before)
    UseStreamOp::create(builder, loc, before);
}
