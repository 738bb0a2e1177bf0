// In: cuf.allocate and cuf.deallocate, whose descriptors have their bounds already, or calls of Flang's runtime for the
// same; calls that initialise and destroy variables of derived types; assignments of these. Out:
//
//   %status = fir.call @cufortAllocate(%descriptor, %isPointer)
//   fir.if (%status is not 0) { cufx.trap }     // without STAT=
//   fir.if (%status is 0) { ... }               // initial values, SOURCE=

#include "mlir-dialects/Cufx/Transforms/RaiseAllocations.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// One statement being replaced, or what it does to one object.
class Statement {
public:
  explicit Statement(Operation *op)
      : op(op), loc(op->getLoc()), builder(op, fir::getKindMapping(op->getParentOfType<ModuleOp>())) {}

  /// `source` may be null; `hasStat` if the program looks at the status itself.
  LogicalResult allocate(Value descriptor, bool isPointer, Value source, bool hasStat) {
    Value status = call("cufortAllocate", {descriptor, constant(isPointer)});
    trapUnless(isZero(status), hasStat, "ALLOCATE fails: the object is allocated already, or the heap is full");
    LogicalResult result = success();
    builder.genIfThen(loc, isZero(status)).genThen([&] { result = setValue(descriptor, source); }).end();
    finish(status);
    return result;
  }

  void deallocate(Value descriptor, bool hasStat) {
    destroyInside(descriptor);
    Value status = call("cufortDeallocate", {descriptor});
    trapUnless(isZero(status), hasStat, "DEALLOCATE fails: the object is not allocated");
    finish(status);
  }

  LogicalResult initialize(Value variable) {
    LogicalResult result = initializeRecords(builder, loc, hlfir::Entity{variable});
    op->erase();
    return result;
  }

  void destroy(Value variable) {
    destroyRecords(builder, loc, hlfir::Entity{variable});
    op->erase();
  }

  void assign(hlfir::Entity to, hlfir::Entity from, bool reallocates) {
    from = hlfir::derefPointersAndAllocatables(loc, builder, from);
    if (reallocates)
      reallocateRecords(builder, loc, to, from);
    else
      assignRecords(builder, loc, hlfir::derefPointersAndAllocatables(loc, builder, to), from);
    op->erase();
  }

private:
  Value constant(int64_t value) { return builder.createIntegerConstant(loc, builder.getI32Type(), value); }

  Value isZero(Value status) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status, constant(0));
  }

  /// Calls a routine of the device library that takes a descriptor and integers, and returns a status.
  Value call(StringRef name, SmallVector<Value> arguments) {
    Type i32 = builder.getI32Type();
    SmallVector<Type> types(arguments.size(), i32);
    types[0] = fir::ReferenceType::get(fir::BoxType::get(builder.getNoneType()));
    arguments[0] = builder.createConvert(loc, types[0], arguments[0]);
    func::FuncOp routine = builder.getNamedFunction(name);
    if (!routine)
      routine = builder.createFunction(loc, name, builder.getFunctionType(types, i32));
    return fir::CallOp::create(builder, loc, routine, arguments).getResult(0);
  }

  void trapUnless(Value succeeded, bool hasStat, StringRef what) {
    if (hasStat)
      return;
    builder.genIfThenElse(loc, succeeded).genThen([] {}).genElse([&] { TrapOp::create(builder, loc, what); }).end();
  }

  LogicalResult setValue(Value descriptor, Value source) {
    hlfir::Entity object{fir::LoadOp::create(builder, loc, descriptor).getResult()};
    fir::RecordType record = staticRecordType(object.getType());
    if (record && (!source || holdsAllocatables(record)) && failed(initializeRecords(builder, loc, object)))
      return failure();
    if (!source)
      return success();
    if (record && holdsAllocatables(record))
      assignRecords(builder, loc, object, hlfir::Entity{source});
    else
      hlfir::AssignOp::create(builder, loc, loadedScalar(source), object);
    return success();
  }

  /// A descriptor of a scalar is no operand of assignments.
  Value loadedScalar(Value source) {
    hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{source});
    return hlfir::loadTrivialScalar(loc, builder, entity);
  }

  /// Deallocates the components of what an allocatable or a pointer holds.
  void destroyInside(Value descriptor) {
    hlfir::Entity object{fir::LoadOp::create(builder, loc, descriptor).getResult()};
    fir::RecordType record = staticRecordType(object.getType());
    if (!record || !holdsAllocatables(record))
      return;
    Value address = hlfir::genVariableRawAddress(loc, builder, object);
    builder.genIfThen(loc, builder.genIsNotNullAddr(loc, address))
        .genThen([&] { destroyRecords(builder, loc, object); })
        .end();
  }

  void finish(Value status) {
    op->getResult(0).replaceAllUsesWith(status);
    op->erase();
  }

  Operation *op;
  Location loc;
  fir::FirOpBuilder builder;
};

/// What an expression that is only a variable copies.
Value withoutCopy(Value value) {
  auto expression = value.getDefiningOp<hlfir::AsExprOp>();
  return expression ? expression.getVar() : value;
}

bool isTrue(Value value) { return fir::getIntIfConstant(value).value_or(0) != 0; }

/// Copies of derived types with allocatable components; others are those of memory.
LogicalResult raiseAssignment(hlfir::AssignOp assign) {
  hlfir::Entity to{assign.getLhs()}, from{withoutCopy(assign.getRhs())};
  fir::RecordType type = staticRecordType(to.getType());
  if (!type || !holdsAllocatables(type))
    return success();
  bool mayOverlap = to.isArray() && from.isVariable() && variableName(to) == variableName(from);
  if (!from.isVariable() || mayOverlap || staticRecordType(from.getType()) != type)
    return assign.emitError("this assignment of a derived type with allocatable components is not possible in device "
                            "code; assign its components, or one element at a time");
  bool reallocates = assign.isAllocatableAssignment() && from.isArray() == to.isArray();
  Statement(assign).assign(to, from, reallocates);
  return success();
}

LogicalResult raiseCall(fir::CallOp call) {
  StringRef name = calleeName(call);
  if (!name.consume_front("_FortranA"))
    return success();
  auto argument = [&](unsigned i) { return beforeConversion(call.getArgs()[i]); };
  bool isRecord = !call.getArgs().empty() && staticRecordType(argument(0).getType());
  if (name == "Initialize")
    return isRecord ? Statement(call).initialize(argument(0)) : success();
  if (name == "Destroy" || name == "DestroyWithoutFinalization") {
    if (isRecord)
      Statement(call).destroy(argument(0));
    return success();
  }
  if (name == "AllocatableAllocate")
    return Statement(call).allocate(argument(0), /*isPointer=*/false, Value(), isTrue(call.getArgs()[2]));
  if (name == "PointerAllocate")
    return Statement(call).allocate(argument(0), /*isPointer=*/true, Value(), isTrue(call.getArgs()[1]));
  if (name == "AllocatableAllocateSource" || name == "PointerAllocateSource")
    return Statement(call).allocate(argument(0), name.starts_with("Pointer"), argument(1), isTrue(call.getArgs()[2]));
  if (name == "AllocatableDeallocate" || name == "PointerDeallocate")
    Statement(call).deallocate(argument(0), isTrue(call.getArgs()[1]));
  return success();
}

/// Reports what copies or frees variables of types that hold themselves.
LogicalResult checkTypes(Operation *op) {
  bool isBad = llvm::any_of(op->getOperands(), [](Value operand) {
    fir::RecordType record = staticRecordType(beforeConversion(operand).getType());
    return record && holdsItself(record);
  });
  bool frees = isa<cuf::DeallocateOp, hlfir::AssignOp>(op);
  if (auto call = dyn_cast<fir::CallOp>(op))
    frees = calleeName(call).starts_with("_FortranADestroy") || calleeName(call).ends_with("Deallocate");
  if (!isBad || !frees)
    return success();
  return op->emitError(
      "device code cannot have variables of a type that holds allocatable components of the same type; "
      "use pointers");
}

LogicalResult raise(Operation *op) {
  if (failed(checkTypes(op)))
    return failure();
  if (auto allocate = dyn_cast<cuf::AllocateOp>(op))
    return Statement(op).allocate(allocate.getBox(), allocate.getPointer(), allocate.getSource(),
                                  allocate.getHasStat());
  if (auto deallocate = dyn_cast<cuf::DeallocateOp>(op))
    Statement(op).deallocate(deallocate.getBox(), deallocate.getHasStat());
  else if (auto assign = dyn_cast<hlfir::AssignOp>(op))
    return raiseAssignment(assign);
  else
    return raiseCall(cast<fir::CallOp>(op));
  return success();
}

} // namespace

LogicalResult cufort::cufx::raiseAllocations(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<cuf::AllocateOp, cuf::DeallocateOp, hlfir::AssignOp, fir::CallOp>(op) && isInDeviceCode(op))
      found.push_back(op);
  });
  LogicalResult result = success();
  for (Operation *op : found)
    if (failed(raise(op)))
      result = failure();
  return result;
}
