// What a submatrix is, the names of its type say: subMatrix<A|B|C>_<shape>_<element>[_<order>], as in
// subMatrixA_m16n16k16_Real2_Cmajor (frontend/Modules/wmma.CUF).

#include "mlir-dialects/Cufx/Transforms/RaiseMatrices.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// One submatrix argument.
struct Submatrix {
  Value fragment;
  MatrixRole role;
  MatrixShape shape;
  Type element;
  MatrixOrder order = MatrixOrder::Col;

  explicit Submatrix(Value fragment);
};

Submatrix::Submatrix(Value fragment) : fragment(fragment) {
  auto type = cast<fir::RecordType>(fir::unwrapRefType(fragment.getType()));
  auto name = fir::NameUniquer::deconstruct(type.getName()).second.name;
  SmallVector<StringRef, 4> words;
  StringRef(name).split(words, '_');
  assert(words.size() >= 3 && "a type of module wmma");
  MLIRContext *context = type.getContext();
  role = *symbolizeMatrixRole(words[0].take_back(1));
  shape = *symbolizeMatrixShape(words[1]);
  element = llvm::StringSwitch<Type>(words[2])
                .Case("real2", Float16Type::get(context))
                .Case("real4", Float32Type::get(context))
                .Case("real8", Float64Type::get(context));
  if (words.size() > 3 && words[3] == "rmajor")
    order = MatrixOrder::Row;
}

/// A leading dimension that is known and no multiple of 16 bytes makes GPUs fail, or load something else.
LogicalResult checkLeading(fir::CallOp call, Value leading, Type element) {
  APInt value;
  int64_t multiple = 128 / element.getIntOrFloatBitWidth();
  if (!matchPattern(leading, m_ConstantInt(&value)) || (value.isStrictlyPositive() && value.srem(multiple) == 0))
    return success();
  return call.emitError() << "the leading dimension " << value.getSExtValue() << " must be a positive multiple of "
                          << multiple << ", which is 16 bytes of the matrix";
}

/// Builds the operation for the storage order that the program passes as `order`, WMMAColMajor or WMMARowMajor.
LogicalResult createForOrder(fir::CallOp call, OpBuilder &builder, Value order,
                             llvm::function_ref<void(OpBuilder &, MatrixOrder)> create) {
  APInt value;
  if (matchPattern(order, m_ConstantInt(&value))) {
    std::optional<MatrixOrder> known = symbolizeMatrixOrder(value.getZExtValue());
    if (!known)
      return call.emitError("the storage order must be WMMAColMajor or WMMARowMajor");
    create(builder, *known);
    return success();
  }
  Location loc = call.getLoc();
  Value row = arith::ConstantIntOp::create(builder, loc, static_cast<int64_t>(MatrixOrder::Row), 32);
  Value isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, order, row);
  auto branch = fir::IfOp::create(builder, loc, TypeRange(), isRow, /*withElseRegion=*/true);
  OpBuilder inRow = branch.getThenBodyBuilder(), inColumn = branch.getElseBodyBuilder();
  create(inRow, MatrixOrder::Row);
  create(inColumn, MatrixOrder::Col);
  return success();
}

/// Builds `create`'s operation for the order of a submatrix, or for the argument behind the leading dimension.
LogicalResult createMove(fir::CallOp call, const Submatrix &submatrix, Value leading,
                         llvm::function_ref<void(OpBuilder &, MatrixOrder)> create) {
  constexpr unsigned orderArgument = 3;
  if (failed(checkLeading(call, leading, submatrix.element)))
    return failure();
  OpBuilder builder(call);
  if (call.getArgs().size() <= orderArgument)
    create(builder, submatrix.order);
  else if (failed(createForOrder(call, builder, call.getArgs()[orderArgument], create)))
    return failure();
  call.erase();
  return success();
}

} // namespace

LogicalResult cufort::cufx::raiseMatrixLoad(fir::CallOp call) {
  Submatrix to(call.getArgs()[0]);
  Value memory = call.getArgs()[1], leading = call.getArgs()[2];
  return createMove(call, to, leading, [&](OpBuilder &builder, MatrixOrder order) {
    MatrixLoadOp::create(builder, call.getLoc(), to.role, to.shape, order, to.element, memory, leading, to.fragment);
  });
}

LogicalResult cufort::cufx::raiseMatrixStore(fir::CallOp call) {
  Value memory = call.getArgs()[0], leading = call.getArgs()[2];
  Submatrix from(call.getArgs()[1]);
  return createMove(call, from, leading, [&](OpBuilder &builder, MatrixOrder order) {
    MatrixStoreOp::create(builder, call.getLoc(), from.shape, order, from.element, from.fragment, memory, leading);
  });
}

LogicalResult cufort::cufx::raiseMatrixMultiply(fir::CallOp call) {
  auto arguments = call.getArgs();
  Submatrix d(arguments[0]), a(arguments[1]), b(arguments[2]);
  Value c = arguments.size() > 3 ? arguments[3] : Value();
  OpBuilder builder(call);
  MatrixMultiplyOp::create(builder, call.getLoc(), d.shape, d.fragment, d.element, a.fragment, a.order, b.fragment,
                           b.order, c, c ? Submatrix(c).element : d.element);
  call.erase();
  return success();
}
