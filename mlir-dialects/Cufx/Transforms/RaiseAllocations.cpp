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
#include "mlir-dialects/Cufx/Transforms/DefinedAssignments.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/DynamicTypes.h"
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
  LogicalResult allocate(const DynamicTypes &types, Value descriptor, bool isPointer, Value source, bool hasStat) {
    bool isUnlimited = fir::isUnlimitedPolymorphicType(fir::unwrapRefType(descriptor.getType()));
    descriptor = types.descriptorOf(builder, loc, descriptor);
    if (!descriptor)
      return op->emitError("ALLOCATE of an object with CLASS needs a ")
             << (isUnlimited ? "derived " : "")
             << "type in device code that is known when the program is compiled: name it, as in "
                "ALLOCATE(type :: object)";
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

  /// What lowering assigns to a temporary is a copy.
  void copy(hlfir::Entity to, hlfir::Entity from) {
    copyRecords(builder, loc, hlfir::derefPointersAndAllocatables(loc, builder, to),
                hlfir::derefPointersAndAllocatables(loc, builder, from));
    op->erase();
  }

  void assign(hlfir::Entity to, hlfir::Entity from, bool reallocates, bool mayOverlap) {
    from = hlfir::derefPointersAndAllocatables(loc, builder, from);
    if (reallocates)
      reallocateRecords(builder, loc, to, from, mayOverlap);
    else
      assignRecords(builder, loc, hlfir::derefPointersAndAllocatables(loc, builder, to), from, mayOverlap);
    op->erase();
  }

  /// False if this is not possible, and nothing has been done.
  bool assignElemental(hlfir::Entity to, hlfir::ElementalOp from, bool reallocates) {
    if (!assignElementalRecords(builder, loc, to, from, reallocates))
      return false;
    op->erase();
    for (Operation *user : llvm::make_early_inc_range(from->getUsers()))
      if (isa<hlfir::DestroyOp>(user))
        user->erase();
    if (from->use_empty())
      from->erase();
    return true;
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
      copyRecords(builder, loc, object, hlfir::Entity{source});
    else
      hlfir::AssignOp::create(builder, loc, loadedScalar(source), object);
    return success();
  }

  /// A descriptor of a scalar is no operand of assignments.
  Value loadedScalar(Value source) {
    hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{source});
    return hlfir::loadTrivialScalar(loc, builder, entity);
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

/// Ends what is left of `value`, an expression whose variable has been assigned. The elements of an array constructor
/// are those of what it was made of, which frees them: only its memory goes.
void dropExpression(Value value) {
  auto expression = value.getDefiningOp<hlfir::AsExprOp>();
  if (!expression || !llvm::all_of(expression->getUsers(), [](Operation *user) { return isa<hlfir::DestroyOp>(user); }))
    return;
  Value mustFree = expression.getMustFree();
  for (Operation *destroy : llvm::make_early_inc_range(expression->getUsers())) {
    if (mustFree && isTrue(mustFree)) {
      Location loc = destroy->getLoc();
      fir::FirOpBuilder builder(destroy, fir::getKindMapping(destroy->getParentOfType<ModuleOp>()));
      Value memory = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{expression.getVar()});
      Type heap = fir::HeapType::get(fir::unwrapRefType(memory.getType()));
      fir::FreeMemOp::create(builder, loc, builder.createConvert(loc, heap, memory));
    }
    destroy->erase();
  }
  expression->erase();
}

/// True if assigning to `to` may change or free a part of `from`, which is not the case for a scalar and itself.
bool mayOverlap(hlfir::Entity to, hlfir::Entity from, fir::RecordType type, bool isDefined) {
  if (!to.isArray() && !holdsItself(type) && !isDefined)
    return false;
  return memoryOf(to) == memoryOf(from) || (mayHaveOtherNames(to) && mayHaveOtherNames(from));
}

/// Copies of derived types with allocatable components, or with components that have an assignment of their own;
/// others are those of memory.
LogicalResult raiseAssignment(hlfir::AssignOp assign) {
  hlfir::Entity to{assign.getLhs()}, from{withoutCopy(assign.getRhs())};
  fir::RecordType type = staticRecordType(to.getType());
  if (!type)
    return success();
  bool isDefined = !assign.isTemporaryLHS() && componentsDefineAssignment(assign->getParentOfType<ModuleOp>(), type);
  if (!holdsAllocatables(type) && !isDefined)
    return success();
  bool reallocates = assign.isAllocatableAssignment() && from.isArray() == to.isArray();
  if (auto elemental = from.getDefiningOp<hlfir::ElementalOp>())
    if (Statement(assign).assignElemental(to, elemental, reallocates))
      return success();
  if (!from.isVariable() || staticRecordType(from.getType()) != type)
    return assign.emitError("this assignment of a derived type with ")
           << (isDefined ? "components that define their assignment" : "allocatable components")
           << " is not possible in device code; assign its components, or one element at a time";
  Value value = assign.getRhs();
  if (assign.isTemporaryLHS() && !reallocates)
    Statement(assign).copy(to, from);
  else
    Statement(assign).assign(to, from, reallocates, mayOverlap(to, from, type, isDefined));
  dropExpression(value);
  return success();
}

/// Gives an object with CLASS the type that it is to have when it is allocated. Other calls stay.
LogicalResult setType(fir::CallOp call, DynamicTypes &types) {
  fir::RecordType type = describedType(call.getArgs()[1]);
  if (!type)
    return success();
  bool isPointer = calleeName(call) == "_FortranAPointerNullifyDerived";
  LogicalResult result = types.set(call, beforeConversion(call.getArgs()[0]), type, isPointer);
  call->erase();
  return result;
}

LogicalResult raiseCall(fir::CallOp call, DynamicTypes &types) {
  StringRef name = calleeName(call);
  if (!name.consume_front("_FortranA"))
    return success();
  if (name == "AllocatableInitDerived" || name == "AllocatableInitDerivedForAllocate" ||
      name == "PointerNullifyDerived")
    return setType(call, types);
  auto argument = [&](unsigned i) { return beforeConversion(call.getArgs()[i]); };
  bool isRecord = !call.getArgs().empty() && staticRecordType(argument(0).getType());
  if (name == "Initialize")
    return isRecord ? Statement(call).initialize(argument(0)) : success();
  if (name == "Destroy" || name == "DestroyWithoutFinalization") {
    if (isRecord)
      Statement(call).destroy(argument(0));
    return success();
  }
  if (name.ends_with("ApplyMold") || name.ends_with("AllocateSource"))
    if (failed(types.setLike(call, argument(0), argument(1), name.starts_with("Pointer"))))
      return failure();
  if (name == "AllocatableAllocate")
    return Statement(call).allocate(types, argument(0), /*isPointer=*/false, Value(), isTrue(call.getArgs()[2]));
  if (name == "PointerAllocate")
    return Statement(call).allocate(types, argument(0), /*isPointer=*/true, Value(), isTrue(call.getArgs()[1]));
  if (name == "AllocatableAllocateSource" || name == "PointerAllocateSource")
    return Statement(call).allocate(types, argument(0), name.starts_with("Pointer"), argument(1),
                                    isTrue(call.getArgs()[2]));
  if (name == "MoveAlloc" && argument(0) != argument(1))
    Statement(call).destroyInside(argument(0));
  if (name == "AllocatableDeallocate" || name == "PointerDeallocate")
    Statement(call).deallocate(argument(0), isTrue(call.getArgs()[1]));
  if (name == "AllocatableDeallocatePolymorphic" || name == "PointerDeallocatePolymorphic")
    Statement(call).deallocate(argument(0), isTrue(call.getArgs()[2]));
  return success();
}

/// Reports WHERE, FORALL and assignments to vector subscripts, which are lowered later, to copies of memory.
LogicalResult checkRegion(hlfir::RegionAssignOp assign) {
  Operation *end = assign.getLhsRegion().front().getTerminator();
  auto subscripts = dyn_cast<hlfir::ElementalAddrOp>(end);
  hlfir::YieldOp yield = subscripts ? subscripts.getYieldOp() : cast<hlfir::YieldOp>(end);
  fir::RecordType type = staticRecordType(yield.getEntity().getType());
  if (!type || assign.getUserDefinedAssignment().hasOneBlock())
    return success();
  bool isDefined = componentsDefineAssignment(assign->getParentOfType<ModuleOp>(), type);
  if (!holdsAllocatables(type) && !isDefined)
    return success();
  return assign.emitError("WHERE, FORALL and vector subscripts are not possible in device code where a derived type "
                          "with ")
         << (isDefined ? "components that define their assignment" : "allocatable components")
         << " is assigned; use DO and IF";
}

LogicalResult raise(Operation *op, DynamicTypes &types) {
  if (auto allocate = dyn_cast<cuf::AllocateOp>(op)) {
    Value source = allocate.getSource();
    if (source && failed(types.setLike(op, allocate.getBox(), source, allocate.getPointer())))
      return failure();
    return Statement(op).allocate(types, allocate.getBox(), allocate.getPointer(), source, allocate.getHasStat());
  }
  if (auto deallocate = dyn_cast<cuf::DeallocateOp>(op))
    Statement(op).deallocate(deallocate.getBox(), deallocate.getHasStat());
  else if (auto region = dyn_cast<hlfir::RegionAssignOp>(op))
    return checkRegion(region);
  else if (auto assign = dyn_cast<hlfir::AssignOp>(op))
    return raiseAssignment(assign);
  else
    return raiseCall(cast<fir::CallOp>(op), types);
  return success();
}

} // namespace

LogicalResult cufort::cufx::raiseAllocations(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isa<cuf::AllocateOp, cuf::DeallocateOp, hlfir::AssignOp, hlfir::RegionAssignOp, fir::CallOp>(op) &&
        isInDeviceCode(op))
      found.push_back(op);
  });
  LogicalResult result = success();
  DynamicTypes types;
  for (Operation *op : found)
    if (failed(raise(op, types)))
      result = failure();
  return result;
}
