// Calls of Fortran's runtime library that a program can do without.
//
// In: HLFIR that calls the runtime for what is plain memory. Out: in device code, TRANSFER of scalars is a load through
// a converted address, and the descriptor of a Cray pointee is a variable of the thread which gets the pointer's
// address by a store; a structure constructor does not initialise what it assigns anyway. The latter holds for the
// host, too, where the runtime has no description of dim3 to work from. Assignments of arrays to and from shared
// memory, between sections of one variable, and of records, which would become such calls, are loops and copies, and
// so is what passes sections to procedures. Shared variables are initialised once for a block. Exceptions of
// floating-point arithmetic go. All other calls of device code stay for the device library, or for the message that
// they are not available.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIRDialect.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/AssignSections.h"
#include "mlir-dialects/Cufx/Transforms/AssignSharedMemory.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Finalization.h"
#include "mlir-dialects/Cufx/Transforms/HostAllocatables.h"
#include "mlir-dialects/Cufx/Transforms/InitialiseSharedMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/RaiseAllocations.h"
#include "mlir-dialects/Cufx/Transforms/RaiseFloatingPointModes.h"
#include "mlir-dialects/Cufx/Transforms/ResetObjects.h"
#include "mlir-dialects/Cufx/Transforms/SectionArguments.h"
#include "mlir-dialects/Cufx/Transforms/ValueArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_INLINERUNTIMECALLS
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

class RuntimeCallInliner {
public:
  RuntimeCallInliner(const DataLayout &layout, const fir::KindMapping &kinds) : layout(layout), kinds(kinds) {}

  void run(fir::CallOp call) {
    StringRef name = calleeName(call);
    if (name == "_FortranATransfer" && isInDeviceCode(call))
      inlineTransfer(call);
    else if (name == "_FortranAPointerAssociateScalar" && isInDeviceCode(call))
      associatePointee(call);
    else if (name == "_FortranAInitialize")
      dropInitialization(call);
  }

private:
  std::optional<uint64_t> bytesOf(Location loc, Type type) {
    auto size = fir::getTypeSizeAndAlignment(loc, type, layout, kinds);
    return size ? std::optional(size->first) : std::nullopt;
  }

  /// The result descriptor, allocated by the runtime and freed by the program, gets a variable instead.
  void inlineTransfer(fir::CallOp call) {
    Location loc = call.getLoc();
    Value result = beforeConversion(call.getArgs()[0]);
    auto source = beforeConversion(call.getArgs()[1]).getDefiningOp<fir::EmboxOp>();
    auto box = dyn_cast<fir::BoxType>(fir::unwrapRefType(result.getType()));
    Type type = box ? fir::unwrapRefType(box.getEleTy()) : Type();
    if (!type || !fir::isa_trivial(type) || !source || source.getSlice() || source.getShape())
      return;
    auto sourceBytes = bytesOf(loc, fir::unwrapRefType(source.getMemref().getType())), bytes = bytesOf(loc, type);
    if (!sourceBytes || !bytes || *sourceBytes < *bytes)
      return;
    OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(call));
    Value variable = fir::AllocaOp::create(atStart, loc, type);
    OpBuilder builder(call);
    Value address = fir::ConvertOp::create(builder, loc, fir::ReferenceType::get(type), source.getMemref());
    fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, address), variable);
    for (Operation *user : result.getUsers())
      if (auto load = dyn_cast<fir::LoadOp>(user);
          load && load->getBlock() == call->getBlock() && call->isBeforeInBlock(load))
        replaceAllocated(load, variable);
    call.erase();
  }

  static void replaceAllocated(fir::LoadOp descriptor, Value variable) {
    for (Operation *user : llvm::make_early_inc_range(descriptor->getUsers())) {
      auto address = dyn_cast<fir::BoxAddrOp>(user);
      if (!address)
        continue;
      for (Operation *use : llvm::make_early_inc_range(address->getUsers()))
        if (isa<fir::FreeMemOp>(use))
          use->erase();
      OpBuilder builder(address);
      Value converted = fir::ConvertOp::create(builder, address.getLoc(), address.getType(), variable);
      address.replaceAllUsesWith(converted);
      address.erase();
    }
  }

  /// Before each use of a Cray pointee its descriptor, whose first word is the address, gets that of the pointer.
  static void associatePointee(fir::CallOp call) {
    OpBuilder builder(call);
    Location loc = call.getLoc();
    Type word = builder.getI64Type();
    Value descriptor = beforeConversion(call.getArgs()[0]);
    Value target = fir::ConvertOp::create(builder, loc, fir::ReferenceType::get(word), descriptor);
    fir::StoreOp::create(builder, loc, fir::ConvertOp::create(builder, loc, word, call.getArgs()[1]), target);
    call.erase();
  }

  /// A type without descriptors has nothing that must be set before its components are assigned.
  static void dropInitialization(fir::CallOp call) {
    auto box = dyn_cast<fir::BoxType>(beforeConversion(call.getArgs()[0]).getType());
    auto record = box ? dyn_cast<fir::RecordType>(box.getEleTy()) : fir::RecordType();
    auto embox = beforeConversion(call.getArgs()[0]).getDefiningOp<fir::EmboxOp>();
    auto declare =
        embox ? embox.getMemref().getDefiningOp<fir::FortranVariableOpInterface>() : fir::FortranVariableOpInterface();
    bool isConstructor = declare && declare->getAttrOfType<StringAttr>("uniq_name") == "ctor.temp";
    if (record && isConstructor && !holdsDescriptors(record))
      call.erase();
  }

  const DataLayout &layout;
  const fir::KindMapping &kinds;
};

/// Erases what frees `variable`, by the name under which it is declared or another.
void eraseFrees(Value variable) {
  for (Operation *user : llvm::make_early_inc_range(variable.getUsers()))
    if (isa<cuf::FreeOp>(user))
      user->erase();
    else if (isa<fir::FortranVariableOpInterface>(user))
      llvm::for_each(user->getResults(), eraseFrees);
}

/// Descriptors that lowering wants in the memory of their attribute. Device code has them on the stack of the thread.
void keepOnStack(ModuleOp module) {
  module.walk([](cuf::AllocOp alloc) {
    if (!isInDeviceCode(alloc) || !isa<fir::BaseBoxType>(alloc.getInType()))
      return;
    eraseFrees(alloc.getPtr());
    OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(alloc));
    Value variable = fir::AllocaOp::create(atStart, alloc.getLoc(), alloc.getInType());
    alloc.getPtr().replaceAllUsesWith(variable);
    alloc.erase();
  });
}

struct InlineRuntimeCallsPass : cufort::cufx::impl::InlineRuntimeCallsBase<InlineRuntimeCallsPass> {
  void runOnOperation() override {
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    fir::KindMapping kinds = fir::getKindMapping(getOperation());
    initialiseSharedMemory(getOperation());
    SmallVector<fir::CallOp> calls;
    getOperation().walk([&](fir::CallOp call) { calls.push_back(call); });
    keepOnStack(getOperation());
    RuntimeCallInliner inliner(*layout, kinds);
    for (fir::CallOp call : calls)
      inliner.run(call);
    assignSharedMemory(getOperation());
    keepHostAllocations(getOperation());
    copyRecordsForCalls(getOperation());
    if (failed(resetObjects(getOperation())) || failed(dropFinalization(getOperation())) ||
        failed(raiseAllocations(getOperation())) || failed(raiseFloatingPointModes(getOperation())))
      return signalPassFailure();
    // Behind the message about assignments that would have to finalize.
    assignSections(getOperation());
    copySectionArguments(getOperation());
  }
};

} // namespace
