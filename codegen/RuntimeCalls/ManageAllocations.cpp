// Allocations take three forms here: calls of Flang's runtime, which takes memory from where the descriptor says; calls
// that assign to an allocatable variable, which do the same; and fir.allocmem, which would become malloc. What a
// fir.freemem frees may come from any of them, or from a file that was compiled without the option, so that is asked at
// run time.

#include "codegen/RuntimeCalls/ManageAllocations.h"
#include "codegen/RuntimeCalls/MemoryKind.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/RuntimeCalls/SizeInBytes.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "runtime/ABI/RuntimeABI.h"

using namespace mlir;
using namespace cufort;

namespace {

/// The places in Flang's table of allocators, which runtime/FlangEntries fills.
constexpr int32_t pinnedAllocator = 1, managedAllocator = 3;

/// True for calls that allocate, or may, what their first argument describes.
bool mayAllocate(fir::CallOp call) {
  static constexpr llvm::StringLiteral names[] = {"_FortranAAllocatableAllocate", "_FortranAAllocatableAllocateSource",
                                                  "_FortranAPointerAllocate", "_FortranAPointerAllocateSource",
                                                  "_FortranAAssign"};
  if (!llvm::is_contained(names, cufx::calleeName(call)))
    return false;
  Value descriptor = cufx::beforeConversion(call.getArgs()[0]);
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(descriptor.getType()));
  return box && isa<fir::HeapType, fir::PointerType>(box.getEleTy()) && !cufx::dataAttribute(descriptor);
}

/// True for the memory of variables; temporaries have no name of their own.
bool isOfVariable(fir::AllocMemOp allocation) {
  auto name = allocation.getUniqName();
  return name && !name->empty() && !name->starts_with(".");
}

bool isOfTemporary(fir::FreeMemOp release) {
  Value memory = release.getHeapref();
  while (Operation *op = memory.getDefiningOp()) {
    if (auto allocation = dyn_cast<fir::AllocMemOp>(op))
      return !isOfVariable(allocation);
    if (!isa<fir::ConvertOp, fir::DeclareOp>(op))
      return false;
    memory = op->getOperand(0);
  }
  return false;
}

struct ManageAllocations : PassWrapper<ManageAllocations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ManageAllocations)
  StringRef getArgument() const override { return "cufx-manage-allocations"; }

  explicit ManageAllocations(codegen::HostMemory memory)
      : allocator(memory == codegen::HostMemory::Pinned ? pinnedAllocator : managedAllocator),
        kind(codegen::memoryKind(memory == codegen::HostMemory::Pinned ? cuf::DataAttribute::Pinned
                                                                       : cuf::DataAttribute::Managed)) {}

  void runOnOperation() override {
    auto layout = fir::support::getOrSetMLIRDataLayout(getOperation(), /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    SmallVector<fir::CallOp> calls;
    SmallVector<fir::FreeMemOp> releases;
    SmallVector<fir::AllocMemOp> allocations;
    for (auto procedure : getOperation().getOps<func::FuncOp>())
      procedure.walk([&](Operation *op) {
        if (auto call = dyn_cast<fir::CallOp>(op); call && mayAllocate(call))
          calls.push_back(call);
        else if (auto release = dyn_cast<fir::FreeMemOp>(op); release && !isOfTemporary(release))
          releases.push_back(release);
        else if (auto allocation = dyn_cast<fir::AllocMemOp>(op); allocation && isOfVariable(allocation))
          allocations.push_back(allocation);
      });
    llvm::for_each(calls, [&](fir::CallOp call) { setAllocator(call); });
    llvm::for_each(releases, [&](fir::FreeMemOp release) { free(release); });
    llvm::for_each(allocations, [&](fir::AllocMemOp allocation) { allocate(allocation, *layout); });
  }

private:
  void setAllocator(fir::CallOp call) {
    fir::FirOpBuilder builder(call, fir::getKindMapping(getOperation()));
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortSetAllocator)>(call.getLoc(), builder);
    codegen::callRuntime(builder, call.getLoc(), function,
                         {call.getArgs()[0], codegen::runtimeConstant(builder, call.getLoc(), kind)});
  }

  void free(fir::FreeMemOp release) {
    fir::FirOpBuilder builder(release, fir::getKindMapping(getOperation()));
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortFree)>(release.getLoc(), builder);
    codegen::callRuntime(builder, release.getLoc(), function, {release.getHeapref()});
    release.erase();
  }

  void allocate(fir::AllocMemOp allocation, const DataLayout &layout) {
    fir::FirOpBuilder builder(allocation, fir::getKindMapping(getOperation()));
    Location loc = allocation.getLoc();
    Value bytes = codegen::sizeInBytes(builder, loc, layout, allocation.getInType(), allocation.getShape(),
                                       allocation.getTypeparams());
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMemAlloc)>(loc, builder);
    Value memory = codegen::callRuntime(builder, loc, function, {bytes, codegen::runtimeConstant(builder, loc, kind)});
    Value typed = builder.createConvert(loc, allocation.getType(), memory);
    allocation.replaceAllUsesWith(typed);
    allocation.erase();
    noteInDescriptors(typed);
  }

  /// Descriptors that are made of `memory` say where it comes from.
  void noteInDescriptors(Value memory) {
    for (Operation *user : memory.getUsers()) {
      if (auto descriptor = dyn_cast<fir::EmboxOp>(user))
        descriptor.setAllocatorIdx(allocator);
      else if (isa<fir::ConvertOp>(user))
        noteInDescriptors(user->getResult(0));
    }
  }

  int32_t allocator;
  int64_t kind; ///< of cufortMemAlloc
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createManageAllocations(HostMemory memory) {
  return std::make_unique<ManageAllocations>(memory);
}
