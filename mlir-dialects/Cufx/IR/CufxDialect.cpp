// Registration of the dialect and the verifiers of its operations.

#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "flang/Optimizer/Dialect/FIRType.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "mlir-dialects/Cufx/IR/CufxDialect.cpp.inc"
#include "mlir-dialects/Cufx/IR/CufxEnums.cpp.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Cufx/IR/CufxOps.cpp.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Cufx/IR/CufxHostOps.cpp.inc"

using namespace mlir;
using namespace cufort::cufx;

void CufxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "mlir-dialects/Cufx/IR/CufxOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mlir-dialects/Cufx/IR/CufxHostOps.cpp.inc"
      >();
}

LogicalResult BarrierOp::verify() {
  bool reduces = getReduction().has_value();
  if (reduces != static_cast<bool>(getPredicate()) || reduces != static_cast<bool>(getResult()))
    return emitOpError("has a reduction, a predicate and a result, or none of them");
  return success();
}

LogicalResult MatchOp::verify() {
  if ((getKind() == MatchKind::All) != static_cast<bool>(getAllEqual()))
    return emitOpError("has a second result if and only if its kind is 'all'");
  return success();
}

LogicalResult ShuffleOp::verify() {
  if (getValue().getType() != getResult().getType())
    return emitOpError("gives a value of the type that it takes");
  return success();
}

/// The word that a FIR reference points at, or null when the operand is no FIR reference any more.
static Type wordOf(Value memory) { return fir::dyn_cast_ptrEleTy(memory.getType()); }

LogicalResult AtomicRMWOp::verify() {
  if (getValue().getType() != getOld().getType())
    return emitOpError("gives a value of the type that it takes");
  if (Type word = wordOf(getMemory()); word && word != getValue().getType())
    return emitOpError("updates a ") << word << " with a " << getValue().getType();
  bool bitwise = getKind() == AtomicKind::And || getKind() == AtomicKind::Or || getKind() == AtomicKind::Xor;
  bool wraps = getKind() == AtomicKind::Inc || getKind() == AtomicKind::Dec;
  if ((bitwise || wraps) && !getValue().getType().isInteger())
    return emitOpError("of kind '") << stringifyAtomicKind(getKind()) << "' works on integers only";
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type type = getValue().getType();
  if (getCompare().getType() != type || getOld().getType() != type)
    return emitOpError("compares, stores and gives values of one type");
  return success();
}

LogicalResult SharedOp::verify() {
  if (getBytes() && getOffset())
    return emitOpError("is static with 'bytes' or dynamic with 'offset', not both");
  if (getBytes() && *getBytes() <= 0)
    return emitOpError("needs at least one byte");
  int64_t alignment = getAlignment();
  if (alignment <= 0 || (alignment & (alignment - 1)))
    return emitOpError("alignment must be a power of two");
  return success();
}

/// Empty, or what is wrong with a fragment of this shape and element type.
static StringRef elementProblem(MatrixRole role, MatrixShape shape, Type element) {
  if (shape == MatrixShape::M8N8K4)
    return element.isF64() ? "" : "of shape m8n8k4 has elements of f64";
  if (role == MatrixRole::C)
    return element.isF16() || element.isF32() ? "" : "of this shape adds up in f16 or f32";
  return element.isF16() ? "" : "of this shape multiplies elements of f16";
}

/// Checks a fragment that is moved between registers and `memory`, a matrix of that element type.
static LogicalResult verifyMove(Operation *op, MatrixRole role, MatrixShape shape, Type element, Value memory) {
  if (StringRef problem = elementProblem(role, shape, element); !problem.empty())
    return op->emitOpError(problem);
  Type word = wordOf(memory);
  if (word && fir::unwrapSequenceType(word) != element)
    return op->emitOpError("moves elements of ") << element << ", and the matrix has " << word;
  return success();
}

LogicalResult MatrixLoadOp::verify() {
  return verifyMove(*this, getRole(), getShape(), getElement(), getMemory());
}

LogicalResult MatrixStoreOp::verify() {
  return verifyMove(*this, MatrixRole::C, getShape(), getElement(), getMemory());
}

LogicalResult MatrixMultiplyOp::verify() {
  for (Type element : {getDElement(), getCElement()})
    if (StringRef problem = elementProblem(MatrixRole::C, getShape(), element); !problem.empty())
      return emitOpError(problem);
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getCluster() && getCluster()->size() != 3)
    return emitOpError("cluster has three extents");
  return success();
}

LogicalResult KernelLoopsOp::verify() {
  size_t loops = getLowerBounds().size();
  if (loops == 0 || getUpperBounds().size() != loops || getSteps().size() != loops || getAxes().size() != loops)
    return emitOpError("needs a lower bound, an upper bound, a step and an axis for each of at least one loop");
  if (getGrid().size() != 3 || getBlock().size() != 3)
    return emitOpError("has three grid and three block extents");
  if (getReductions().size() != getReductionKinds().size())
    return emitOpError("needs one kind for each reduction");
  unsigned used = 0;
  for (int64_t axis : getAxes()) {
    if (axis < -1 || axis > 2)
      return emitOpError("axis must be -1 (in the thread), 0 (x), 1 (y) or 2 (z), not ") << axis;
    if (axis >= 0 && (used & (1u << axis)))
      return emitOpError("maps two loops onto axis ") << axis;
    if (axis >= 0)
      used |= 1u << axis;
  }
  Block &body = getBody().front();
  if (body.getNumArguments() != loops || !llvm::all_of(body.getArgumentTypes(), [](Type t) { return t.isIndex(); }))
    return emitOpError("body has one argument of type index for each loop");
  return success();
}
