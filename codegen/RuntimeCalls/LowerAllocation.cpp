// cuf.alloc, cuf.free and cuf.deallocate; the memory of components and of allocatable results of functions.
//
// Flang's own conversion multiplies only the extents that are not constant, which makes `real, device :: b(3, n)` too
// small, keeps descriptors in managed memory, and lets Flang's runtime abort where a deallocation fails; hence this
// one, which runs before it.

#include "codegen/RuntimeCalls/LowerAllocation.h"
#include "codegen/RuntimeCalls/MemoryKind.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "flang/Runtime/CUDA/allocatable.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/DeviceTemporaries.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace Fortran::runtime::cuda;

namespace {

/// True for the variable that a function returns as a value, which the caller provides later. A type with device
/// components makes Flang allocate it like any other variable.
bool isFunctionResult(Value variable) {
  return llvm::any_of(variable.getUsers(), [](Operation *user) {
    if (auto declare = dyn_cast<fir::DeclareOp>(user))
      return isFunctionResult(declare.getResult());
    return isa<fir::LoadOp>(user) &&
           llvm::any_of(user->getUsers(), [](Operation *use) { return isa<func::ReturnOp>(use); });
  });
}

/// True for the end of an allocatable result where the function was called: only the function knows in which memory it
/// is.
bool isOfFunctionResult(fir::FreeMemOp release) {
  auto address = release.getHeapref().getDefiningOp<fir::BoxAddrOp>();
  auto descriptor = address ? address.getVal().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
  auto storage = descriptor ? descriptor.getMemref().getDefiningOp<fir::AllocaOp>() : fir::AllocaOp();
  return storage && storage.getBindcName() == ".result";
}

/// True if Flang's runtime makes the descriptor anew for each ALLOCATE, which gives the type or the length.
bool isMadeByAllocate(Value descriptor) {
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(descriptor.getType()));
  auto text = box ? dyn_cast<fir::CharacterType>(fir::unwrapSequenceType(fir::unwrapRefType(box.getEleTy())))
                  : fir::CharacterType();
  return isa_and_nonnull<fir::ClassType>(box) || (text && text.hasDynamicLen());
}

/// True for descriptors that may not say which memory to allocate: static initial values of derived types do not, nor
/// does what Flang stores into an INTENT(OUT) dummy argument that it has deallocated, or makes for an ALLOCATE.
bool mayLackAllocator(Value descriptor) {
  auto declare = descriptor.getDefiningOp<fir::DeclareOp>();
  bool isIntentOut = declare && declare.getFortranAttrs() &&
                     bitEnumContainsAny(*declare.getFortranAttrs(), fir::FortranVariableFlagsEnum::intent_out);
  return fir::isBoxAddress(descriptor.getType()) &&
         (isIntentOut || isMadeByAllocate(descriptor) || cufort::cufx::isInComponent(descriptor));
}

bool deallocatesPointer(fir::CallOp call) {
  StringRef callee = cufort::cufx::calleeName(call);
  return callee == "_FortranAPointerDeallocate" || callee == "_FortranAPointerDeallocatePolymorphic";
}

class AllocationLowering {
public:
  AllocationLowering(Operation *op, ModuleOp module, const DataLayout &layout)
      : loc(op->getLoc()), module(module), layout(layout), builder(op, fir::getKindMapping(module)) {}

  void allocate(cuf::AllocOp alloc) {
    if (isa<fir::BaseBoxType>(alloc.getInType()) || isFunctionResult(alloc.getPtr())) {
      alloc.getPtr().replaceAllUsesWith(fir::AllocaOp::create(builder, loc, alloc.getInType()).getResult());
      return;
    }
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMemAlloc)>(loc, builder);
    Value bytes =
        cufort::codegen::sizeInBytes(builder, loc, layout, alloc.getInType(), alloc.getShape(), alloc.getTypeparams());
    bool isTemporary = alloc.getUniqName() == cufort::cufx::deviceTemporaryName;
    int64_t kind =
        isTemporary ? cufort::codegen::temporaryMemoryKind : cufort::codegen::memoryKind(alloc.getDataAttr());
    Value memory = call(function, {bytes, constant(kind)});
    auto record = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(alloc.getInType()));
    if (record && alloc.getDataAttr() == cuf::DataAttribute::Managed && cufort::cufx::holdsDescriptors(record))
      call(fir::runtime::getRuntimeFunc<FirmkKey(cufortReadMostly)>(loc, builder), {memory, bytes});
    alloc.getPtr().replaceAllUsesWith(builder.createConvert(loc, alloc.getPtr().getType(), memory));
  }

  void release(cuf::FreeOp free) {
    Value variable = free.getDevptr();
    if (isa<fir::BaseBoxType>(fir::unwrapRefType(variable.getType())) || isFunctionResult(variable))
      return;
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMemFree)>(loc, builder);
    call(function, {free.getDevptr(), constant(cufort::codegen::memoryKind(free.getDataAttr()))});
  }

  void releaseResult(fir::FreeMemOp free) {
    call(fir::runtime::getRuntimeFunc<FirmkKey(cufortFree)>(loc, builder), {free.getHeapref()});
  }

  /// Before a descriptor gets memory that it does not name.
  void setAllocator(Value descriptor, cuf::DataAttribute attribute) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortSetAllocator)>(loc, builder);
    call(function, {descriptor, constant(cufort::codegen::memoryKind(attribute))});
  }

  /// Before Flang's runtime frees the target of a pointer.
  void findAllocator(Value descriptor) {
    constexpr StringLiteral name = "cufortFindAllocator";
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      function = builder.createFunction(loc, name,
                                        builder.getFunctionType(fir::LLVMPointerType::get(builder.getI8Type()), {}));
    call(function, {descriptor});
  }

  void deallocate(cuf::DeallocateOp deallocate) {
    Value status = deallocate.getPointer() ? deallocatePointer(deallocate) : deallocateAllocatable(deallocate);
    deallocate.getStat().replaceAllUsesWith(builder.createConvert(loc, deallocate.getStat().getType(), status));
  }

private:
  Value deallocateAllocatable(cuf::DeallocateOp deallocate) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<mkRTKey(CUFAllocatableDeallocate)>(loc, builder);
    Value message = deallocate.getErrmsg();
    if (!message)
      message = fir::AbsentOp::create(builder, loc, function.getFunctionType().getInput(2));
    return call(function, {deallocate.getBox(), constant(deallocate.getHasStat()), message});
  }

  Value deallocatePointer(cuf::DeallocateOp deallocate) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortPointerDeallocate)>(loc, builder);
    Value message = deallocate.getErrmsg();
    if (!message)
      message = fir::ZeroOp::create(builder, loc, fir::LLVMPointerType::get(builder.getI8Type()));
    else if (isa<fir::BaseBoxType>(message.getType()))
      message = builder.createTemporary(loc, message.getType());
    if (deallocate.getErrmsg() && isa<fir::BaseBoxType>(deallocate.getErrmsg().getType()))
      fir::StoreOp::create(builder, loc, deallocate.getErrmsg(), message);
    return call(function, {deallocate.getBox(), constant(deallocate.getHasStat()), message});
  }

  Value constant(int64_t value) { return cufort::codegen::runtimeConstant(builder, loc, value); }

  Value call(func::FuncOp function, const SmallVector<Value> &arguments) {
    return cufort::codegen::callRuntime(builder, loc, function, arguments);
  }

  Location loc;
  ModuleOp module;
  const DataLayout &layout;
  fir::FirOpBuilder builder;
};

struct LowerAllocation : PassWrapper<LowerAllocation, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerAllocation)
  StringRef getArgument() const override { return "cufx-lower-allocation"; }

  /// Allocations, assignments that may allocate, and deallocations of pointers.
  void setAllocators(const DataLayout &layout) {
    getOperation().walk([&](Operation *op) {
      // Without an attribute the object is on the host, and only SOURCE= is not.
      auto allocate = dyn_cast<cuf::AllocateOp>(op);
      if (allocate && allocate.getDataAttr() && mayLackAllocator(allocate.getBox()))
        AllocationLowering(op, getOperation(), layout).setAllocator(allocate.getBox(), *allocate.getDataAttr());
      auto transfer = dyn_cast<cuf::DataTransferOp>(op);
      if (transfer && transfer.getTransferKind() != cuf::DataTransferKind::DeviceHost &&
          mayLackAllocator(transfer.getDst()))
        AllocationLowering(op, getOperation(), layout).setAllocator(transfer.getDst(), cuf::DataAttribute::Device);
      auto call = dyn_cast<fir::CallOp>(op);
      if (call && deallocatesPointer(call))
        AllocationLowering(op, getOperation(), layout).findAllocator(call.getArgs()[0]);
    });
  }

  void runOnOperation() override {
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    setAllocators(*layout);
    SmallVector<Operation *> found;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](Operation *op) {
        auto release = dyn_cast<fir::FreeMemOp>(op);
        if (isa<cuf::AllocOp, cuf::FreeOp, cuf::DeallocateOp>(op) || (release && isOfFunctionResult(release)))
          found.push_back(op);
      });
    for (Operation *op : found) {
      AllocationLowering lowering(op, getOperation(), *layout);
      if (auto alloc = dyn_cast<cuf::AllocOp>(op))
        lowering.allocate(alloc);
      else if (auto free = dyn_cast<cuf::FreeOp>(op))
        lowering.release(free);
      else if (auto free = dyn_cast<fir::FreeMemOp>(op))
        lowering.releaseResult(free);
      else
        lowering.deallocate(cast<cuf::DeallocateOp>(op));
      op->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerAllocation() { return std::make_unique<LowerAllocation>(); }
