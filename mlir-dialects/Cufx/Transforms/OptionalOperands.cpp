// A kernel gets copies of scalars, and descriptors by value: what the address of an absent argument says, null, is
// known to the host only. It reads what a launch passes, also where the loops would not.
//
//   cuf.kernel { fir.if (fir.is_present %x) { use of %x } }
//
// becomes
//
//   %p = fir.is_present %x; %y = select %p, %x, %nothing
//   cuf.kernel { fir.if %p { use of %y } }

#include "mlir-dialects/Cufx/Transforms/OptionalOperands.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostFrames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool isOptional(Value value) {
  auto declare = value.getDefiningOp<fir::DeclareOp>();
  auto flags = declare ? declare.getFortranAttrs() : std::nullopt;
  return flags && fir::bitEnumContainsAny(*flags, fir::FortranVariableFlagsEnum::optional);
}

class OperandMaker {
public:
  explicit OperandMaker(cuf::KernelOp kernel) : kernel(kernel), host(kernel), loc(kernel.getLoc()) {}

  void makePresent(Value value) {
    Value nothing = nothingLike(value);
    if (!nothing)
      return askOnHost(value);
    Value isPresent = fir::IsPresentOp::create(host, loc, host.getI1Type(), value);
    askOnHost(value);
    replaceInLoops(value, arith::SelectOp::create(host, loc, isPresent, value, nothing));
  }

private:
  bool isInLoops(Operation *op) { return kernel.getRegion().isAncestor(op->getParentRegion()); }

  /// Lets the loops use `memory` in the place of the variable `value`.
  void replaceInLoops(Value value, Value memory) {
    auto declare = value.getDefiningOp<fir::DeclareOp>();
    // The attributes of the variable, which is none that may be absent, nor the dummy argument.
    auto present = cast<fir::DeclareOp>(host.clone(*declare));
    present.getMemrefMutable().assign(memory);
    present.getDummyScopeMutable().clear();
    present.removeDummyArgNoAttr();
    if (auto flags = declare.getFortranAttrs())
      present.setFortranAttrs(*flags & ~fir::FortranVariableFlagsEnum::optional);
    value.replaceUsesWithIf(present.getResult(), [&](OpOperand &use) {
      return use.getOwner() == kernel.getOperation() || isInLoops(use.getOwner());
    });
  }

  /// What the loops ask about `value` is the same in each iteration.
  void askOnHost(Value value) {
    Value answer;
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      auto question = dyn_cast<fir::IsPresentOp>(user);
      if (!question || !isInLoops(question))
        continue;
      if (!answer) {
        Value isPresent = fir::IsPresentOp::create(host, loc, host.getI1Type(), value);
        answer = arith::ExtUIOp::create(host, loc, host.getI32Type(), isPresent);
      }
      OpBuilder builder(question);
      Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
      question.replaceAllUsesWith(
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, answer, zero).getResult());
      question.erase();
    }
  }

  /// An empty array, or memory for a scalar, of the type of `value`; null if nobody reads through `value` on the host.
  Value nothingLike(Value value) {
    Type type = value.getType();
    if (auto box = dyn_cast<fir::BoxType>(type))
      return emptyArray(box);
    Type element = fir::dyn_cast_ptrEleTy(type);
    if (!element || type != fir::ReferenceType::get(element))
      return {};
    if (auto box = dyn_cast<fir::BoxType>(element)) {
      Value descriptor = emptyArray(box);
      if (!descriptor)
        return {};
      Value memory = allocate(element);
      fir::StoreOp::create(host, loc, descriptor, memory);
      return memory;
    }
    bool isScalar = fir::isa_trivial(element) || isa<fir::RecordType>(element);
    return isScalar && !isDeviceAddressable(value) ? allocate(element) : Value();
  }

  Value allocate(Type type) {
    OpBuilder entry = OpBuilder::atBlockBegin(&startOfFrame(kernel));
    return fir::AllocaOp::create(entry, loc, type);
  }

  Value emptyArray(fir::BoxType box) {
    Type described = box.getEleTy();
    Type type = fir::unwrapRefType(described);
    auto array = dyn_cast<fir::SequenceType>(type);
    Type element = array ? array.getEleTy() : type;
    if (!fir::isa_trivial(element) && !isa<fir::RecordType>(element))
      return {};
    if (described == type)
      described = fir::ReferenceType::get(type);
    Value memory = fir::ZeroOp::create(host, loc, described);
    if (!array)
      return fir::EmboxOp::create(host, loc, box, memory);
    Value zero = arith::ConstantIndexOp::create(host, loc, 0);
    Value shape = fir::ShapeOp::create(host, loc, SmallVector<Value>(array.getDimension(), zero));
    return fir::EmboxOp::create(host, loc, box, memory, shape);
  }

  cuf::KernelOp kernel;
  OpBuilder host;
  Location loc;
};

} // namespace

void cufort::cufx::makeOptionalOperandsPresent(cuf::KernelOp kernel) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(kernel.getRegion(), used);
  used.insert(kernel.getReduceOperands().begin(), kernel.getReduceOperands().end());
  OperandMaker maker(kernel);
  for (Value value : used)
    if (isOptional(value))
      maker.makePresent(value);
}
