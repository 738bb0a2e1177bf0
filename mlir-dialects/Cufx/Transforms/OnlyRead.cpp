// Whether memory is read and nothing else: follows an address through everything that is computed from it.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for functions of the runtime that compare and search strings, or make others of them.
bool onlyReadsStrings(StringRef callee) {
  bool isOfArrays = callee.contains("PushArray") || callee.contains("Reduce");
  bool maySet = callee.contains("Character") && !callee.contains("Compare");
  return onlyReadsArguments(callee) && !isOfArrays && !maySet;
}

class AddressSearch {
public:
  explicit AddressSearch(Region *region) : region(region) {}

  bool findsOnlyReads(Value address) {
    addresses.insert(address);
    for (unsigned next = 0; next < addresses.size(); ++next)
      if (!llvm::all_of(addresses[next].getUses(), [&](OpOperand &use) { return follow(use); }))
        return false;
    return true;
  }

private:
  /// False if the memory may be changed by the operation that uses an address, or if it gets out of sight there.
  bool follow(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<fir::BoxDimsOp, fir::BoxEleSizeOp, fir::BoxRankOp, fir::IsPresentOp>(user))
      return true;
    bool isComputation = isMemoryEffectFree(user) && !user->getNumRegions() && !user->hasTrait<OpTrait::IsTerminator>();
    if (isComputation || isa<fir::DeclareOp>(user)) {
      addresses.insert(user->result_begin(), user->result_end());
      return true;
    }
    if (isOutside(user) || isa<fir::LoadOp, CachedLoadOp>(user))
      return true;
    if (auto store = dyn_cast<fir::StoreOp>(user); store && store.getValue() == use.get())
      return followThrough(store.getMemref());
    auto call = dyn_cast<fir::CallOp>(user);
    // Where the result's descriptor goes is an address of a descriptor.
    if (call && onlyReadsStrings(calleeName(call)))
      return !fir::isBoxAddress(use.get().getType());
    func::FuncOp callee = call ? definedCallee(call) : func::FuncOp();
    if (callee)
      addresses.insert(callee.getArgument(use.getOperandNumber()));
    return callee != nullptr;
  }

  /// A descriptor has been stored in `variable`: allocatable arrays of CUF kernels are local copies of descriptors.
  bool followThrough(Value variable) {
    if (!variable.getDefiningOp<fir::AllocaOp>())
      return false;
    for (Operation *user : variable.getUsers()) {
      if (auto declare = dyn_cast<fir::DeclareOp>(user)) {
        if (!llvm::all_of(declare->getUsers(), [](Operation *each) { return isa<fir::LoadOp>(each); }))
          return false;
        for (Operation *load : declare->getUsers())
          addresses.insert(load->getResult(0));
      } else if (isa<fir::LoadOp>(user)) {
        addresses.insert(user->getResult(0));
      } else if (auto store = dyn_cast<fir::StoreOp>(user); !store || store.getValue() == variable) {
        return false;
      }
    }
    return true;
  }

  bool isOutside(Operation *op) const {
    return region && op->getParentOfType<func::FuncOp>() == region->getParentOfType<func::FuncOp>() &&
           !region->isAncestor(op->getParentRegion());
  }

  Region *region;
  llvm::SetVector<Value> addresses;
};

} // namespace

bool cufort::cufx::isOnlyRead(Value address, Region *region) { return AddressSearch(region).findsOnlyReads(address); }
