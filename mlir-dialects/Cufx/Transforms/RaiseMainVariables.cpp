// Device variables of the main program, of which each device has one, as of those of modules.
//
// A main program's variables are saved (Fortran 2018, 8.5.16), and CUDA's static variables exist once in each device.
// Lowering allocates them where the program begins, on the device that is current there: a program that chooses another
// one, as each rank of MPI does, would give kernels addresses of a device that they do not run on.
//
// In: cuf.alloc in the main program, whose address the internal procedures get from their host. Out: cufx.each_device,
// in the internal procedures as well.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISEMAINVARIABLES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if the program gives elements of `type` values where they come into being, which happens in one device only.
bool hasInitialValue(Type type, ModuleOp module) {
  auto record = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(type));
  if (!record)
    return false;
  auto info = module.lookupSymbol<fir::TypeInfoOp>(record.getName());
  return !info || !info.getNoInit() || holdsDescriptors(record);
}

/// The declaration of a variable that lives as long as the program; null for one of a BLOCK construct, which is freed.
hlfir::DeclareOp soleDeclaration(cuf::AllocOp alloc) {
  if (!alloc.getPtr().hasOneUse())
    return {};
  auto declare = dyn_cast<hlfir::DeclareOp>(*alloc->user_begin());
  if (!declare || llvm::any_of(declare->getUsers(), [](Operation *user) { return isa<cuf::FreeOp>(user); }))
    return {};
  return declare;
}

class MainVariables {
public:
  MainVariables(func::FuncOp main, ModuleOp module) : main(main), module(module) {}

  void run() {
    for (auto alloc : llvm::make_early_inc_range(main.front().getOps<cuf::AllocOp>()))
      if (isStatic(alloc))
        raise(alloc);
    if (raised.empty())
      return;
    bool deviceCodeGetsAddresses = false;
    for (auto func : module.getOps<func::FuncOp>()) {
      if (func != main && !isDeviceProcedure(func))
        useIn(func);
      deviceCodeGetsAddresses |= isDeviceProcedure(func) && func.getNumArguments() &&
                                 func.getArgAttr(func.getNumArguments() - 1, fir::getHostAssocAttrName());
    }
    if (!deviceCodeGetsAddresses)
      for (auto &each : raised)
        forgetInHostAssociation(each.second);
  }

private:
  bool isStatic(cuf::AllocOp alloc) {
    return alloc.getDataAttr() == cuf::DataAttribute::Device && alloc.getUniqName() && alloc.getShape().empty() &&
           alloc.getTypeparams().empty() && !isa<fir::BaseBoxType>(alloc.getInType()) &&
           !fir::hasDynamicSize(alloc.getInType()) && !hasInitialValue(alloc.getInType(), module) &&
           soleDeclaration(alloc);
  }

  void raise(cuf::AllocOp alloc) {
    hlfir::DeclareOp declare = soleDeclaration(alloc);
    raised[*alloc.getUniqName()] = declare;
    OpBuilder builder(alloc);
    alloc.getPtr().replaceAllUsesWith(
        EachDeviceOp::create(builder, alloc.getLoc(), alloc.getPtr().getType(), alloc.getUniqNameAttr()));
    alloc.erase();
  }

  void useIn(func::FuncOp func) {
    func.walk([&](hlfir::DeclareOp declare) {
      auto attributes = declare.getFortranAttrs();
      bool isOfHost = attributes && bitEnumContainsAny(*attributes, fir::FortranVariableFlagsEnum::host_assoc);
      auto found = isOfHost ? raised.find(declare.getUniqName()) : raised.end();
      if (found == raised.end() || found->second.getMemref().getType() != declare.getMemref().getType())
        return;
      OpBuilder builder(declare);
      declare.getMemrefMutable().assign(builder.clone(*found->second.getMemref().getDefiningOp())->getResult(0));
    });
  }

  /// Internal procedures get the shape only: the address would be looked up before the program has chosen a device.
  void forgetInHostAssociation(hlfir::DeclareOp declare) {
    for (OpOperand &use : llvm::make_early_inc_range(declare->getUses())) {
      Operation *user = use.getOwner();
      Operation *stored = isa<fir::EmboxOp>(user) && user->hasOneUse() ? *user->user_begin() : user;
      auto store = dyn_cast<fir::StoreOp>(stored);
      auto place = store ? store.getMemref().getDefiningOp<fir::CoordinateOp>() : fir::CoordinateOp();
      if (!place || !isa<TupleType>(fir::unwrapRefType(place.getRef().getType())))
        continue;
      OpBuilder builder(user);
      use.set(fir::ZeroOp::create(builder, user->getLoc(), use.get().getType()));
    }
  }

  func::FuncOp main;
  ModuleOp module;
  llvm::StringMap<hlfir::DeclareOp> raised;
};

struct RaiseMainVariablesPass : cufort::cufx::impl::RaiseMainVariablesBase<RaiseMainVariablesPass> {
  void runOnOperation() override {
    if (auto main = getOperation().lookupSymbol<func::FuncOp>("_QQmain"); main && !main.isDeclaration())
      MainVariables(main, getOperation()).run();
  }
};

} // namespace
