// In: hlfir.matmul of device arrays, in an expression that is assigned to a device array. Out: cufx.matrix_product,
// which the runtime does; in larger expressions its result is an array of its own, and the expression reads
//
//   %product = hlfir.elemental (%i, %j) { hlfir.designate %temporary (%i, %j) ... }
//
// hlfir.transpose of an operand becomes an attribute, and nothing is moved.

#include "mlir-dialects/Cufx/Transforms/MatrixProducts.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool isFactor(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isF16() || type.isF32() || type.isF64();
}

} // namespace

std::optional<MatrixProduct::Operand> MatrixProduct::matchOperand(Value value) {
  if (auto transpose = value.getDefiningOp<hlfir::TransposeOp>();
      transpose && DeviceExpression::isOne(transpose.getArray()))
    return Operand{transpose.getArray(), /*isTransposed=*/true};
  if (!DeviceExpression::isOne(value))
    return std::nullopt;
  return Operand{value};
}

std::optional<MatrixProduct> MatrixProduct::match(Value expression) {
  auto matmul = expression.getDefiningOp<hlfir::MatmulOp>();
  if (!matmul)
    return std::nullopt;
  Type type = hlfir::getFortranElementType(matmul.getType());
  auto hasType = [&](Value operand) { return hlfir::getFortranElementType(operand.getType()) == type; };
  auto left = matchOperand(matmul.getLhs()), right = matchOperand(matmul.getRhs());
  bool isComplexHalf = isa<ComplexType>(type) && cast<ComplexType>(type).getElementType().isF16();
  if (!left || !right || !isFactor(type) || isComplexHalf || !hasType(matmul.getLhs()) || !hasType(matmul.getRhs()))
    return std::nullopt;
  MatrixProduct product;
  product.matmul = matmul;
  product.left = *left;
  product.right = *right;
  return product;
}

bool MatrixProduct::mayOverlap(Value array) const {
  return llvm::any_of(ArrayRef<Operand>{left, right}, [&](const Operand &operand) {
    if (isa<hlfir::ExprType>(operand.value.getType()))
      return false;
    return cufx::mayOverlap(array, operand.value);
  });
}

/// Returns the extent of the operand that is one of the result, null for a vector.
Value MatrixProduct::prepareOperand(fir::FirOpBuilder &builder, Operand &operand, unsigned freeDimension) {
  Location loc = matmul.getLoc();
  DeviceExpression expression(builder, loc, operand.value);
  Value array = operand.value;
  // A constant has no address on the device but in kernels.
  if (isa<hlfir::ExprType>(array.getType()) || isNamedConstant(array)) {
    operand.temporary = createDeviceTemporary(builder, loc, expression.elementType(), expression.extents());
    array = operand.temporary.getBase();
    evaluateInto(builder, loc, expression, hlfir::Entity{array});
  }
  hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{array});
  operand.box = hlfir::genVariableBox(loc, builder, entity);
  if (expression.extents().size() == 1)
    return {};
  return expression.extents()[operand.isTransposed ? 1 - freeDimension : freeDimension];
}

void MatrixProduct::prepare(fir::FirOpBuilder &builder) {
  if (Value rows = prepareOperand(builder, left, 0))
    resultExtents.push_back(rows);
  if (Value columns = prepareOperand(builder, right, 1))
    resultExtents.push_back(columns);
}

void MatrixProduct::multiplyInto(fir::FirOpBuilder &builder, hlfir::Entity array) {
  Location loc = matmul.getLoc();
  Value result = hlfir::genVariableBox(loc, builder, hlfir::derefPointersAndAllocatables(loc, builder, array));
  MatrixProductOp::create(builder, loc, result, left.box, right.box, left.isTransposed, right.isTransposed);
  for (Operand *operand : {&left, &right})
    if (operand->temporary)
      freeDeviceTemporary(builder, operand->temporary);
}

/// An expression for an array.
static Value expressionOf(fir::FirOpBuilder &builder, Location loc, hlfir::DeclareOp array, Type type) {
  SmallVector<Value> extents = hlfir::getIndexExtents(loc, builder, array.getShape());
  auto element = [&](Location loc, fir::FirOpBuilder &builder, ValueRange indices) {
    Type reference = fir::ReferenceType::get(hlfir::getFortranElementType(array.getType(0)));
    Value place = hlfir::DesignateOp::create(builder, loc, reference, array.getBase(), indices);
    return hlfir::Entity{fir::LoadOp::create(builder, loc, place)};
  };
  return hlfir::genElementalOp(loc, builder, hlfir::getFortranElementType(array.getType(0)),
                               builder.genShape(loc, extents), ValueRange(), element, /*isUnordered=*/true, Value(),
                               type);
}

/// Puts the product's elements into the place of the product.
static Value evaluate(MatrixProduct product, hlfir::MatmulOp matmul, Value target, ModuleOp module) {
  fir::FirOpBuilder builder(matmul.getOperation(), fir::getKindMapping(module));
  Location loc = matmul.getLoc();
  StatementStream stream(builder, loc, target, hiddenArrayIn(matmul.getResult()));
  product.prepare(builder);
  hlfir::DeclareOp array =
      createDeviceTemporary(builder, loc, hlfir::getFortranElementType(matmul.getType()), product.extents());
  product.multiplyInto(builder, hlfir::Entity{array.getBase()});
  stream.end(builder);
  Value expression = expressionOf(builder, loc, array, matmul.getType());
  for (Operation *user : matmul->getUsers())
    if (isa<hlfir::DestroyOp>(user)) {
      builder.setInsertionPointAfter(user);
      freeDeviceTemporary(builder, array);
    }
  SmallVector<Value> operands{matmul.getLhs(), matmul.getRhs()};
  matmul.replaceAllUsesWith(expression);
  matmul.erase();
  eraseExpressions(operands);
  return expression;
}

void cufort::cufx::evaluateProductsIn(Value &expression, Value target, ModuleOp module) {
  Operation *op = expression.getDefiningOp();
  if (!op || !isa<hlfir::ExprType>(expression.getType()))
    return;
  SmallVector<Value> operands(op->getOperands());
  op->walk([&](hlfir::ApplyOp apply) { operands.push_back(apply.getExpr()); });
  for (Value operand : operands)
    evaluateProductsIn(operand, target, module);
  if (auto product = MatrixProduct::match(expression))
    expression = evaluate(*product, cast<hlfir::MatmulOp>(op), target, module);
}
