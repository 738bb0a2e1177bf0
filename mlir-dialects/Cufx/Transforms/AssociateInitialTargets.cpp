// Pointers whose initial value is a device or managed variable, whose address the linker does not know.
//
// In: host variables that are descriptors of such an address. Out: they are null, and a function for each stores the
// descriptor of the address that the variable has on the device. The functions run before the program begins: the host
// object lists them among its constructors.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/MutableBox.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/InitialTargets.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_ASSOCIATEINITIALTARGETS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

class TargetAssociator {
public:
  TargetAssociator(fir::GlobalOp pointer, ModuleOp module)
      : pointer(pointer), loc(pointer.getLoc()), module(module),
        builder(pointer.getOperation(), fir::getKindMapping(module)) {}

  /// Lowering declares the target, which has an attribute if its address is that of a device.
  bool isNeeded() {
    if (!isa<fir::BaseBoxType>(pointer.getType()) || !pointer.hasInitializationBody())
      return false;
    auto isOnDevice = [](hlfir::DeclareOp target) {
      return target.getDataAttr() ? WalkResult::interrupt() : WalkResult::advance();
    };
    return pointer.walk(isOnDevice).wasInterrupted();
  }

  void run() {
    Block &value = pointer.getRegion().front();
    builder.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(builder, loc, (associatePrefix + pointer.getSymName()).str(),
                                         builder.getFunctionType({}, {}));
    Block *body = function.addEntryBlock();
    IRMapping mapping;
    builder.setInsertionPointToEnd(body);
    for (Operation &op : value.without_terminator())
      builder.clone(op, mapping);
    storeDescriptor(mapping.lookup(value.getTerminator()->getOperand(0)));
    func::ReturnOp::create(builder, loc);
    clearValue(value);
    // Of what a namelist lists, lowering makes constants.
    pointer.removeConstantAttr();
  }

private:
  void storeDescriptor(Value descriptor) {
    Value variable = fir::AddrOfOp::create(builder, loc, pointer.resultType(), pointer.getSymbol());
    auto attributes = fir::FortranVariableFlagsAttr::get(builder.getContext(), fir::FortranVariableFlagsEnum::pointer);
    auto declare = hlfir::DeclareOp::create(
        builder, loc, variable, pointer.getSymName(), /*shape=*/Value(), /*typeParams=*/{},
        /*dummyScope=*/Value(), /*storage=*/Value(), /*storageOffset=*/0, attributes, pointer.getDataAttrAttr());
    fir::StoreOp::create(builder, loc, descriptor, declare.getBase());
    if (pointer.getDataAttrAttr())
      cuf::SyncDescriptorOp::create(builder, loc, pointer.getSymbol());
  }

  void clearValue(Block &value) {
    Operation *terminator = value.getTerminator();
    builder.setInsertionPoint(terminator);
    Value null = fir::factory::createUnallocatedBox(builder, loc, cast<fir::BaseBoxType>(pointer.getType()), {});
    terminator->setOperand(0, null);
    SmallVector<Operation *> operations;
    for (Operation &op : value.without_terminator())
      operations.push_back(&op);
    for (Operation *op : llvm::reverse(operations))
      if (op->use_empty())
        op->erase();
  }

  fir::GlobalOp pointer;
  Location loc;
  ModuleOp module;
  fir::FirOpBuilder builder;
};

struct AssociateInitialTargetsPass : cufort::cufx::impl::AssociateInitialTargetsBase<AssociateInitialTargetsPass> {
  void runOnOperation() override {
    SmallVector<fir::GlobalOp> variables(getOperation().getOps<fir::GlobalOp>());
    for (fir::GlobalOp variable : variables)
      if (TargetAssociator associator(variable, getOperation()); associator.isNeeded())
        associator.run();
  }
};

} // namespace
