// Subscripts in 32 bits times strides in 64 bits are three instructions each, and one if the stride has 32 bits. Nearly
// all strides do, of which only the host knows. Multiples of an element's size have its alignment, too, so that complex
// numbers can be loaded in one piece.

#include "mlir-dialects/Cufx/Transforms/KernelStrides.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

/// Products with strides that pay for a second version.
static constexpr unsigned productsWorthwhile = 4;

/// The bits of a `stride` that a plain one does not have.
static Value otherBits(OpBuilder &builder, Location loc, const ArrayStride &array, Value stride) {
  uint64_t bytes = array.elementBytes;
  if (array.isFirst)
    return arith::XOrIOp::create(builder, loc, stride, arith::ConstantIntOp::create(builder, loc, bytes, 64));
  // What LLVM could say of the alignment of elements, which have 16 bytes at most.
  uint64_t factor = std::min<uint64_t>(bytes & -bytes, 16);
  uint64_t plain = static_cast<uint64_t>(INT32_MAX) & -factor;
  return arith::AndIOp::create(builder, loc, stride, arith::ConstantIntOp::create(builder, loc, ~plain, 64));
}

void KernelStrides::pass(KernelLoopsOp loops, KernelCaptures &captures, const HoistedAddresses &addresses) {
  if (addresses.products < productsWorthwhile && !addresses.haveParts())
    return;
  OpBuilder host(loops);
  Location loc = loops.getLoc();
  Value others;
  std::string list;
  for (const ArrayStride &array : addresses.strides) {
    std::optional<unsigned> wide = captures.parameterWith(array.bytes);
    if (!wide)
      continue;
    Value stride = fir::ConvertOp::create(host, loc, host.getI64Type(), array.bytes);
    Value bits = otherBits(host, loc, array, stride);
    others = others ? arith::OrIOp::create(host, loc, others, bits).getResult() : bits;
    std::string narrow;
    if (!array.isFirst)
      narrow = std::to_string(captures.passNumber(fir::ConvertOp::create(host, loc, host.getI32Type(), stride)));
    list += "," + std::to_string(*wide) + ":" + narrow + ":" + std::to_string(array.elementBytes);
  }
  if (!others)
    return;
  Value none = arith::ConstantIntOp::create(host, loc, 0, 64);
  Value arePlain = arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, others, none);
  Value flag = arith::ExtUIOp::create(host, loc, host.getI32Type(), arePlain);
  parameters = std::to_string(captures.passNumber(flag)) + list;
}

void KernelStrides::mark(func::FuncOp kernel) const {
  if (!parameters.empty())
    kernel->setAttr(stridesAttribute, StringAttr::get(kernel.getContext(), parameters));
}
