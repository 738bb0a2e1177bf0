// The memory of variables of modules, of arguments of kernels, and of what a CUF kernel uses from around it, is the
// host's: a thread can neither free it nor tell the host of other memory.
//
// In:  hlfir.assign %value to %variable realloc
// Out: %fits = (%variable is allocated, and has the extents of %value and the length of its characters)
//      fir.if (%fits) {} else { cufx.print ...; cufx.trap }
//      hlfir.assign %value to %memory, which %variable describes

#include "mlir-dialects/Cufx/Transforms/HostAllocatables.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/FailedChecks.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

class AssignmentInPlace {
public:
  explicit AssignmentInPlace(hlfir::AssignOp assign)
      : assign(assign), loc(assign.getLoc()), builder(assign, fir::getKindMapping(assign->getParentOfType<ModuleOp>())),
        held(hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{assign.getLhs()})),
        value(hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{assign.getRhs()})) {}

  void run() {
    std::string what = "the assignment to '" + inFormat(variableName(assign.getLhs()).str()) +
                       "' fails: it is not allocated, or has another shape, and only the host can allocate it";
    builder.genIfThenElse(loc, fits()).genThen([] {}).genElse([&] { reportFailedCheck(builder, loc, what); }).end();
    hlfir::AssignOp::create(builder, loc, assign.getRhs(), withoutAllocation());
    assign.erase();
  }

private:
  Value fits() {
    Value result = builder.genIsNotNullAddr(loc, hlfir::genVariableRawAddress(loc, builder, held));
    if (value.isArray())
      for (auto [own, other] :
           llvm::zip(hlfir::genExtentsVector(loc, builder, held), hlfir::genExtentsVector(loc, builder, value)))
        result = alsoEqual(result, own, other);
    if (held.isCharacter() && !assign.mustKeepLhsLengthInAllocatableAssignment())
      result = alsoEqual(result, hlfir::genCharLength(loc, builder, held), hlfir::genCharLength(loc, builder, value));
    return result;
  }

  Value alsoEqual(Value condition, Value a, Value b) {
    Type i64 = builder.getI64Type();
    Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, builder.createConvert(loc, i64, a),
                                        builder.createConvert(loc, i64, b));
    return arith::AndIOp::create(builder, loc, condition, equal);
  }

  /// The descriptor of an array or string would still say that it is allocatable.
  Value withoutAllocation() {
    auto box = dyn_cast<fir::BoxType>(held.getType());
    if (!box || !isa<fir::HeapType>(box.getEleTy()))
      return held;
    return fir::ReboxOp::create(builder, loc, fir::BoxType::get(fir::unwrapRefType(box.getEleTy())), held,
                                /*shape=*/Value(), /*slice=*/Value());
  }

  hlfir::AssignOp assign;
  Location loc;
  fir::FirOpBuilder builder;
  hlfir::Entity held, value;
};

} // namespace

bool cufort::cufx::isAllocatedByHost(Operation *op, Value variable) {
  if (isInComponent(variable))
    return false;
  Value declared = memoryOf(variable);
  if (declared.getDefiningOp<fir::AddrOfOp>())
    return true;
  if (auto kernel = op->getParentOfType<cuf::KernelOp>())
    return !kernel.getRegion().isAncestor(declared.getParentRegion());
  return isa<BlockArgument>(declared) && isKernel(op->getParentOfType<func::FuncOp>());
}

void cufort::cufx::keepHostAllocations(ModuleOp module) {
  SmallVector<hlfir::AssignOp> found;
  module.walk([&](hlfir::AssignOp assign) {
    if (isInDeviceCode(assign) && assign.isAllocatableAssignment() && isAllocatedByHost(assign, assign.getLhs()))
      found.push_back(assign);
  });
  for (hlfir::AssignOp assign : found)
    AssignmentInPlace(assign).run();
}
