#include "codegen/RuntimeCalls/ReleaseComponents.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace cufort;

namespace {

constexpr StringLiteral releaseFunction = "cufortReleaseComponents";

/// True for an array of a derived type whose components may be allocatable.
bool isArrayOfHolders(Type type) {
  auto record = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type));
  return isa<fir::SequenceType>(type) && record && cufx::holdsDescriptors(record);
}

/// True if an object of `type` may have a component that Flang's runtime does not free, or one of its components may.
bool mayHoldMore(Type type, llvm::SmallPtrSetImpl<Type> &seen) {
  type = fir::unwrapSequenceType(type);
  if (auto box = dyn_cast<fir::BaseBoxType>(type)) {
    bool isAllocatable = isa<fir::HeapType>(box.getEleTy());
    return isAllocatable && (isa<fir::ClassType>(box) || mayHoldMore(box.unwrapInnerType(), seen));
  }
  auto record = dyn_cast<fir::RecordType>(type);
  if (!record || !seen.insert(type).second)
    return false;
  return llvm::any_of(record.getTypeList(), [&](auto &component) {
    return isArrayOfHolders(component.second) || mayHoldMore(component.second, seen);
  });
}

/// True for an object with such a component, and for one whose type is known when the program runs.
bool mayNeedRelease(Type descriptor) {
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(descriptor));
  if (!box)
    return false;
  llvm::SmallPtrSet<Type, 8> seen;
  Type object = box.unwrapInnerType();
  return isa<fir::ClassType>(box) || (object && mayHoldMore(object, seen));
}

bool endsObject(StringRef callee) {
  return callee == "_FortranADestroy" || callee == "_FortranADestroyWithoutFinalization" ||
         callee == "_FortranAAllocatableDeallocate" || callee == "_FortranAAllocatableDeallocatePolymorphic" ||
         callee == "_FortranAPointerDeallocate" || callee == "_FortranAPointerDeallocatePolymorphic";
}

struct ReleaseComponents : PassWrapper<ReleaseComponents, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReleaseComponents)
  StringRef getArgument() const override { return "cufx-release-components"; }

  void runOnOperation() override {
    SmallVector<fir::CallOp> found;
    getOperation().walk([&](fir::CallOp call) {
      if (endsObject(cufx::calleeName(call)) && mayNeedRelease(cufx::beforeConversion(call.getArgs()[0]).getType()))
        found.push_back(call);
    });
    for (fir::CallOp call : found)
      releaseBefore(call);
  }

  void releaseBefore(fir::CallOp call) {
    fir::FirOpBuilder builder(call.getOperation(), fir::getKindMapping(getOperation()));
    Location loc = call.getLoc();
    Value descriptor = cufx::beforeConversion(call.getArgs()[0]);
    if (!fir::isa_ref_type(descriptor.getType()))
      descriptor = codegen::descriptorAddress(builder, loc, descriptor);
    auto function = getOperation().lookupSymbol<func::FuncOp>(releaseFunction);
    if (!function) {
      auto type = builder.getFunctionType(fir::LLVMPointerType::get(builder.getI8Type()), {});
      function = builder.createFunction(loc, releaseFunction, type);
    }
    codegen::callRuntime(builder, loc, function, {descriptor});
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createReleaseComponents() { return std::make_unique<ReleaseComponents>(); }
