#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/CodeGen/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

static int64_t elementBytes(fir::FirOpBuilder &builder, Location loc, const DataLayout &layout, Type element) {
  if (auto size = fir::getTypeSizeAndAlignment(loc, element, layout, builder.getKindMap()))
    return llvm::alignTo(size->first, std::max<uint64_t>(size->second, 1));
  // A derived type with descriptors in it: its size is known once it is an LLVM type.
  fir::LLVMTypeConverter converter(builder.getModule(), /*applyTBAA=*/false, /*forceUnifiedTBAATree=*/false, layout);
  // Procedure pointers become addresses by a pass of their own, later.
  converter.addConversion(
      [](fir::BoxProcType procedure) -> Type { return LLVM::LLVMPointerType::get(procedure.getContext()); });
  return layout.getTypeSize(converter.convertType(element));
}

Value cufort::codegen::sizeInBytes(fir::FirOpBuilder &builder, Location loc, const DataLayout &layout, Type type,
                                   ValueRange shape, ValueRange lengths) {
  auto widen = [&](Value value) { return builder.createConvert(loc, builder.getI64Type(), value); };
  Value bytes = runtimeConstant(builder, loc, elementBytes(builder, loc, layout, fir::unwrapSequenceType(type)));
  for (Value length : lengths)
    bytes = arith::MulIOp::create(builder, loc, bytes, widen(length));
  auto sequence = dyn_cast<fir::SequenceType>(type);
  if (!sequence)
    return bytes;
  bool allExtents = shape.size() == sequence.getDimension();
  unsigned operand = 0;
  for (auto [index, extent] : llvm::enumerate(sequence.getShape())) {
    bool known = extent != fir::SequenceType::getUnknownExtent();
    Value factor = known ? runtimeConstant(builder, loc, extent) : widen(shape[allExtents ? index : operand++]);
    bytes = arith::MulIOp::create(builder, loc, bytes, factor);
  }
  return bytes;
}
