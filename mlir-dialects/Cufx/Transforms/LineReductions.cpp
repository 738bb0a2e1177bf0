#include "mlir-dialects/Cufx/Transforms/LineReductions.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

std::optional<LineReduction> along(Value dim, LineReduction reduction) {
  auto dimension = dim ? fir::getIntIfConstant(dim) : std::nullopt;
  if (!dimension || (reduction.mask && !hlfir::Entity{reduction.mask}.isArray()))
    return std::nullopt;
  reduction.dimension = *dimension - 1;
  return reduction;
}

template <typename Op>
std::optional<LineReduction> ofNumbers(Op op, ReductionKind kind) {
  if (!fir::isa_trivial(hlfir::getFortranElementType(op.getType())))
    return std::nullopt;
  return along(op.getDim(), {kind, op.getArray(), op.getMask(), 0, /*isCount=*/false});
}

template <typename Op>
std::optional<LineReduction> ofTruths(Op op, ReductionKind kind, bool isCount = false) {
  return along(op.getDim(), {kind, op.getMask(), {}, 0, isCount});
}

} // namespace

std::optional<LineReduction> LineReduction::match(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<hlfir::ExprType>(value.getType()))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<LineReduction>>(op)
      .Case([](hlfir::SumOp op) { return ofNumbers(op, ReductionKind::Add); })
      .Case([](hlfir::ProductOp op) { return ofNumbers(op, ReductionKind::Mul); })
      .Case([](hlfir::MaxvalOp op) { return ofNumbers(op, ReductionKind::Max); })
      .Case([](hlfir::MinvalOp op) { return ofNumbers(op, ReductionKind::Min); })
      .Case([](hlfir::CountOp op) { return ofTruths(op, ReductionKind::Add, /*isCount=*/true); })
      .Case([](hlfir::AllOp op) { return ofTruths(op, ReductionKind::LAnd); })
      .Case([](hlfir::AnyOp op) { return ofTruths(op, ReductionKind::LOr); })
      .Default([](Operation *) { return std::nullopt; });
}
