// In: HLFIR in which host code assigns an expression to a device array, in one of three forms:
//
//   cuf.data_transfer %expression to %array
//   %host = hlfir.associate %expression; cuf.data_transfer %host to %array   with a function call in it
//   hlfir.assign %expression to %array
//
// or to a managed array, if it reads device arrays. Out: if all arrays in the expression are on the device,
//
//   cuf.kernel<<<*, *>>> (%i : index) = ... {
//     ... hlfir.assign %element to %array(%i)
//   }
//
// An allocatable array is given the shape of the expression first. If the array is also read in the expression,
// elsewhere than where it is written, the kernel writes to a temporary, from which it is transferred. Matrix products
// in the expression are evaluated first, each by itself. One kernel does neighbouring assignments that have arrays in
// common (JoinAssignments.cpp). A scalar that is calculated from device memory is assigned to
// device memory by a kernel of one iteration.

#include "mlir-dialects/Cufx/Transforms/AssignDeviceExpressions.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceAssignment.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/JoinAssignments.h"
#include "mlir-dialects/Cufx/Transforms/MatrixProducts.h"
#include "mlir-dialects/Cufx/Transforms/StatementStream.h"
#include "mlir-dialects/Cufx/Transforms/SubscriptCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Evaluates into device memory of its own, and transfers that.
void evaluateAside(fir::FirOpBuilder &builder, Location loc, DeviceExpression &expression, Value target) {
  hlfir::DeclareOp aside =
      createDeviceTemporary(builder, loc, hlfir::getFortranElementType(target.getType()), expression.extents());
  evaluateInto(builder, loc, expression, hlfir::Entity{aside.getBase()});
  // The host may read managed data in its next statement: a transfer to the host waits.
  auto kind = isHiddenFromHost(target) ? cuf::DataTransferKind::DeviceDevice : cuf::DataTransferKind::DeviceHost;
  cuf::DataTransferOp::create(builder, loc, aside.getBase(), target, Value(),
                              cuf::DataTransferKindAttr::get(builder.getContext(), kind));
  freeDeviceTemporary(builder, aside);
}

void assignByKernel(DeviceAssignment assignment, ModuleOp module) {
  fir::FirOpBuilder builder(assignment.op, fir::getKindMapping(module));
  Location loc = assignment.op->getLoc();
  StatementStream stream(builder, loc, assignment.target, hiddenArrayIn(assignment.expression));
  DeviceExpression expression(builder, loc, assignment.expression);
  // Kernels cannot write constant memory.
  bool isConstant = dataAttribute(assignment.target) == cuf::DataAttribute::Constant;
  if (isConstant || !isHiddenFromHost(assignment.target) ||
      mayReadElsewhere(assignment.expression, assignment.target)) {
    evaluateAside(builder, loc, expression, assignment.target);
  } else {
    if (assignment.mayChangeShape())
      giveShape(builder, loc, assignment.target, expression.extents());
    evaluateInto(builder, loc, expression, hlfir::Entity{assignment.target});
  }
  stream.end(builder);
  assignment.erase();
}

/// `array = matmul(a, b)` without a temporary.
void assignProduct(DeviceAssignment assignment, MatrixProduct product, ModuleOp module) {
  fir::FirOpBuilder builder(assignment.op, fir::getKindMapping(module));
  Location loc = assignment.op->getLoc();
  StatementStream stream(builder, loc, assignment.target, hiddenArrayIn(assignment.expression));
  product.prepare(builder);
  if (assignment.mayChangeShape())
    giveShape(builder, loc, assignment.target, product.extents());
  product.multiplyInto(builder, hlfir::Entity{assignment.target});
  stream.end(builder);
  assignment.erase();
}

/// True if `array`, or its value, is PAD of RESHAPE.
bool isPad(Value array) {
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    if (auto reshape = dyn_cast<hlfir::ReshapeOp>(user))
      return reshape.getPad() == array;
    return isa<hlfir::AsExprOp>(user) && isPad(user->getResult(0));
  });
}

LogicalResult reportNoKernel(const DeviceAssignment &assignment) {
  Value array = hostArrayIn(assignment.expression);
  StringRef name = array ? variableName(array) : "";
  if (name.empty())
    return assignment.op->emitError(
        "host code cannot calculate with device data and assign to it; use a kernel or host copies");
  auto error = assignment.op->emitError();
  if (!name.starts_with("."))
    error << "the host array '" << name << "'";
  else
    error << (isPad(array) ? "PAD of RESHAPE" : "an array constructor");
  return error << " cannot be in an expression that is assigned to device data; "
               << (isPad(array) ? "use a kernel or a host copy" : "copy it to a device array first");
}

/// The host evaluates what it has all arrays for, and transfers the value.
bool readsVariable(Value expression) {
  return bool(findArray(expression, [](Value array) { return !isNamedConstant(array); }));
}

/// True if `expression` is of strings of the device alone, of which the host takes copies to calculate with.
bool isOfStrings(Value expression) {
  return !hostArrayIn(expression) && !findArray(expression, [](Value array) {
    return isHiddenFromHost(array) && !isa<fir::CharacterType>(hlfir::getFortranElementType(array.getType()));
  });
}

LogicalResult assign(DeviceAssignment &assignment, ModuleOp module) {
  auto product = MatrixProduct::match(assignment.expression);
  if (product && isHiddenFromHost(assignment.target) && !product->mayOverlap(assignment.target)) {
    assignProduct(assignment, *product, module);
    return success();
  }
  evaluateProductsIn(assignment.expression, assignment.target, module);
  if (isHiddenFromHost(assignment.target) && readsHiddenArray(assignment.expression) &&
      !DeviceExpression::isOne(assignment.expression))
    copySubscripts(assignment, module);
  if (DeviceExpression::isOne(assignment.expression) && readsVariable(assignment.expression))
    assignByKernel(assignment, module);
  else if (isHiddenFromHost(assignment.target) && readsHiddenArray(assignment.expression) &&
           !isOfStrings(assignment.expression))
    return reportNoKernel(assignment);
  return success();
}

//===-- Scalars --------------------------------------------------------------------------------------------------===//

/// True if `transfer` brings a scalar, calculated from device memory, to a device scalar.
bool isOfDeviceScalar(cuf::DataTransferOp transfer) {
  Value value = transferredScalar(transfer);
  return value && isDeviceScalar(value) && isWritableDeviceScalar(transfer.getDst());
}

void assignScalarByKernel(cuf::DataTransferOp transfer, ModuleOp module) {
  dropPlaceOfScalar(transfer);
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(module));
  Location loc = transfer.getLoc();
  StatementStream stream(builder, loc, transfer.getDst());
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  SmallVector<Value> subscripts;
  createKernelOver(builder, loc, one, subscripts);
  Value value = DeviceScalars().inKernel(builder, transfer.getSrc());
  Type type = hlfir::getFortranElementType(transfer.getDst().getType());
  fir::StoreOp::create(builder, loc, builder.convertWithSemantics(loc, type, value), transfer.getDst());
  fir::FirEndOp::create(builder, loc);
  builder.setInsertionPoint(transfer);
  stream.end(builder);
  Value source = transfer.getSrc();
  transfer.erase();
  eraseExpression(source);
}

} // namespace

LogicalResult cufort::cufx::assignDeviceExpressions(ModuleOp module) {
  SmallVector<DeviceAssignment> assignments;
  SmallVector<cuf::DataTransferOp> scalars;
  module.walk([&](Operation *op) {
    if (isInDeviceCode(op))
      return;
    if (auto assignment = DeviceAssignment::match(op))
      assignments.push_back(*assignment);
    else if (auto transfer = dyn_cast<cuf::DataTransferOp>(op); transfer && isOfDeviceScalar(transfer))
      scalars.push_back(transfer);
  });
  for (cuf::DataTransferOp transfer : scalars)
    assignScalarByKernel(transfer, module);
  LogicalResult result = success();
  for (SmallVector<DeviceAssignment> &group : joinNeighbours(assignments)) {
    if (group.size() > 1)
      assignTogether(group, module);
    else if (failed(assign(group.front(), module)))
      result = failure();
  }
  return result;
}
