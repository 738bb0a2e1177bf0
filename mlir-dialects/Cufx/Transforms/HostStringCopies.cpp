// In: loops of a CUF kernel that read a string of the host, the length of which is known when the program runs.
//
// Out: %memory = cuf.alloc !fir.array<?xi8>, %bytes
//      cuf.data_transfer %string to %memory, %shape {host_device}
//      the loops, with %memory
//      cuf.free %memory
//
// all in the order of the loops' stream. Threads share the copy, so that the loops must not change the string. If a
// graph is being made of the stream, the copy lasts as long as it, with the value of now, as host scalars have it.

#include "mlir-dialects/Cufx/Transforms/HostStringCopies.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceTemporaries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

fir::CharacterType stringType(Value address) {
  Type type = fir::dyn_cast_ptrEleTy(address.getType());
  auto box = dyn_cast_or_null<fir::BaseBoxType>(type);
  return dyn_cast_or_null<fir::CharacterType>(box ? fir::unwrapRefType(box.getEleTy()) : type);
}

/// Lets the copy be made, and freed, in the order of the stream that `loops` have, from the place of `builder` to the
/// end of the loops.
void useStream(OpBuilder &builder, KernelLoopsOp loops, Value address) {
  if (!loops.getStream())
    return;
  Location loc = loops.getLoc();
  Value before = UseStreamOfOp::create(builder, loc, builder.getI64Type(), address, Value());
  UseStreamOp::create(builder, loc, loops.getStream());
  OpBuilder after(loops->getContext());
  after.setInsertionPointAfter(loops);
  UseStreamOp::create(after, loc, before);
}

} // namespace

Value cufort::cufx::lengthOfString(Value address) {
  fir::CharacterType string = stringType(address);
  if (!string || string.hasConstantLen())
    return {};
  if (auto declare = address.getDefiningOp<fir::DeclareOp>())
    return declare.getTypeparams().empty() ? Value() : declare.getTypeparams().front();
  if (auto parts = address.getDefiningOp<fir::UnboxCharOp>())
    return parts.getResult(1);
  auto alloca = address.getDefiningOp<fir::AllocaOp>();
  return alloca && !alloca.getTypeparams().empty() ? alloca.getTypeparams().front() : Value();
}

Value cufort::cufx::copyStringForLoops(KernelLoopsOp loops, Value address, Value length) {
  fir::FirOpBuilder builder(loops, fir::getKindMapping(loops->getParentOfType<ModuleOp>()));
  Location loc = loops.getLoc();
  Type index = builder.getIndexType();
  // Not an argument that is absent, nor what is not allocated or not associated.
  Value isThere = builder.genIsNotNullAddr(loc, address);
  Value size = arith::ConstantIndexOp::create(builder, loc, stringType(address).getFKind());
  Value bytes = arith::MulIOp::create(builder, loc, fir::ConvertOp::create(builder, loc, index, length), size);
  Value none = arith::ConstantIndexOp::create(builder, loc, 0);
  bytes = arith::SelectOp::create(builder, loc, isThere, bytes, none);
  auto type = fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, builder.getI8Type());
  auto onDevice = cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Device);
  useStream(builder, loops, address);
  Value memory = cuf::AllocOp::create(builder, loc, type, deviceTemporaryName, deviceTemporaryName, onDevice,
                                      ValueRange(), ValueRange{bytes});
  Value source = fir::ConvertOp::create(builder, loc, fir::ReferenceType::get(type), address);
  Value shape = fir::ShapeOp::create(builder, loc, bytes);
  auto toDevice = cuf::DataTransferKindAttr::get(builder.getContext(), cuf::DataTransferKind::HostDevice);
  auto transfer = cuf::DataTransferOp::create(builder, loc, source, memory, shape, toDevice);
  transfer->setAttr(asValueAttribute, builder.getUnitAttr());
  Value copy = fir::ConvertOp::create(builder, loc, address.getType(), memory);
  copy = arith::SelectOp::create(builder, loc, isThere, copy, address);
  builder.setInsertionPointAfter(loops);
  cuf::FreeOp::create(builder, loc, memory, onDevice);
  return copy;
}

Value cufort::cufx::copyDescribedStringForLoops(KernelLoopsOp loops, Value reference) {
  OpBuilder builder(loops);
  Location loc = loops.getLoc();
  Value box = fir::LoadOp::create(builder, loc, reference);
  auto type = cast<fir::BaseBoxType>(box.getType());
  Value address = fir::BoxAddrOp::create(builder, loc, type.getEleTy(), box);
  Value size = arith::ConstantIndexOp::create(builder, loc, stringType(reference).getFKind());
  Value bytes = fir::BoxEleSizeOp::create(builder, loc, builder.getIndexType(), box);
  Value length = arith::DivUIOp::create(builder, loc, bytes, size);
  Value copy = copyStringForLoops(loops, address, length);
  builder.setInsertionPoint(loops);
  return fir::EmboxOp::create(builder, loc, type, copy, Value(), Value(), ValueRange{length});
}
