// Moves what runs on the device into a gpu.module.
//
//   1. Every procedure with device attributes and every device variable that the source defines is cloned into
//      `gpu.module @device`.
//   2. What these name in turn is followed: constants are cloned, device procedures and variables of other sources
//      are declared, runtime routines are declared. A variable of the host is an error, unless -gpu=mem:unified lets
//      the device use its address: then a pair of variables, one on each side, tells the device that address. The
//      runtime copies the one to the other when it loads device code. With -gpu=mem:managed the device has copies of
//      the descriptors of allocatables and pointers, which each launch brings up to date.
//   3. The device's copies of procedures for both sides get the names of these (SeparateBothSides.cpp).
//   4. On the host a kernel keeps an empty body: its address is the kernel's identity. Device procedures go, unless
//      the host still names them (a type-bound table does), when they keep a body that returns nothing of use.
//      Constants of other sources are declarations again: their values were here for the device.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/MutableBox.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/BlockShapes.h"
#include "mlir-dialects/Cufx/Transforms/DescriptorCopies.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_SPLITDEVICECODE
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Of the variables that tell the device where a variable of the host is.
constexpr StringLiteral hostAddressSuffix = "$on_host";

/// True for a variable that the device has its own of. Unified data is in the memory of the host, and kernels get its
/// address; of allocatable variables the device has copies of the descriptors.
bool isDeviceVariable(fir::GlobalOp global) {
  using Attribute = cuf::DataAttribute;
  auto attribute = global.getDataAttr();
  bool isOfHost = attribute == Attribute::Unified && !isa<fir::BaseBoxType>(global.getType());
  return attribute && *attribute != Attribute::Pinned && *attribute != Attribute::Shared && !isOfHost;
}

/// The name that the user gave a global symbol.
std::string sourceName(StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  return parts.second.name.empty() ? symbol.str() : parts.second.name;
}

/// Where device code uses the variable whose address `op` takes for its declaration at the beginning of the procedure.
Location placeOfUse(Operation *op) {
  while (op->getNumResults() == 1 && isa<fir::AddrOfOp, fir::DeclareOp>(op) && !op->use_empty()) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (!first || (user->getBlock() == first->getBlock() && user->isBeforeInBlock(first)))
        first = user;
    op = first;
  }
  return op->getLoc();
}

class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), hostSymbols(module) {}

  LogicalResult run() {
    eraseUnusedDeclares();
    SmallVector<Operation *> roots = findRoots();
    if (!roots.empty()) {
      OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
      device = gpu::GPUModuleOp::create(builder, module.getLoc(), deviceModuleName);
      for (Operation *root : roots)
        cloneIntoDevice(root, /*declarationOnly=*/false);
      if (failed(cloneWhatIsNamed()))
        return failure();
      renameCopies();
      reduceHost();
    }
    returnConstants();
    return success();
  }

private:
  /// Flang declares every variable of a used module in every procedure, and makes descriptors of arrays whose
  /// subscripts do not begin with 1. What is not used must neither be looked for on the device nor make the host ask
  /// for its device address.
  void eraseUnusedDeclares() {
    SmallVector<fir::DeclareOp> declares;
    module.walk([&](fir::DeclareOp declare) { declares.push_back(declare); });
    for (fir::DeclareOp declare : llvm::reverse(declares)) {
      for (Operation *user : llvm::make_early_inc_range(declare->getUsers()))
        if (isOpTriviallyDead(user))
          user->erase();
      if (eraseUnusedCopy(declare))
        continue;
      SmallVector<Operation *> address = addressOfGlobal(declare.getMemref());
      if (!declare->use_empty() || address.empty())
        continue;
      declare.erase();
      for (Operation *op : address)
        if (op->use_empty())
          op->erase();
    }
  }

  /// A variable with THREADPRIVATE is declared for each thread of the host once more. True if `declare` did that in
  /// vain.
  static bool eraseUnusedCopy(fir::DeclareOp declare) {
    auto copy = declare.getMemref().getDefiningOp<omp::ThreadprivateOp>();
    if (!copy || !declare->use_empty())
      return false;
    declare.erase();
    if (copy->use_empty())
      copy.erase();
    return true;
  }

  /// The operations that make `address` of that of a variable, or of its COMMON block, the last one first; none if it
  /// is another one's address.
  static SmallVector<Operation *> addressOfGlobal(Value address) {
    SmallVector<Operation *> steps;
    Operation *op = address.getDefiningOp();
    for (; isa_and_nonnull<fir::ConvertOp, fir::CoordinateOp>(op); op = op->getOperand(0).getDefiningOp())
      steps.push_back(op);
    if (!isa_and_nonnull<fir::AddrOfOp>(op))
      return {};
    steps.push_back(op);
    return steps;
  }

  SmallVector<Operation *> findRoots() {
    SmallVector<Operation *> roots;
    for (Operation &op : *module.getBody()) {
      if (auto func = dyn_cast<func::FuncOp>(op); func && isDeviceProcedure(func) && !func.isDeclaration())
        roots.push_back(&op);
      else if (auto global = dyn_cast<fir::GlobalOp>(op); global && isDeviceVariable(global) && hasInitialValue(global))
        roots.push_back(&op);
    }
    return roots;
  }

  static bool hasInitialValue(fir::GlobalOp global) { return global.hasInitializationBody() || global.getInitVal(); }

  /// True for a managed variable that the host's descriptors are in: they name types and procedures of the host. The
  /// runtime copies the initial value when it loads the variable.
  static bool isInitialisedByHost(fir::GlobalOp global) {
    auto record = dyn_cast<fir::RecordType>(fir::unwrapSequenceType(global.getType()));
    return record && global.getDataAttr() == cuf::DataAttribute::Managed && holdsDescriptors(record) &&
           global.hasInitializationBody();
  }

  static void clearValue(fir::GlobalOp global) {
    global.getRegion().getBlocks().clear();
    OpBuilder builder = OpBuilder::atBlockBegin(&global.getRegion().emplaceBlock());
    Value zero = fir::ZeroOp::create(builder, global.getLoc(), global.getType());
    fir::HasValueOp::create(builder, global.getLoc(), zero);
  }

  void cloneIntoDevice(Operation *op, bool declarationOnly) {
    Block &body = device.getBodyRegion().front();
    OpBuilder builder(device.getContext());
    if (body.mightHaveTerminator())
      builder.setInsertionPoint(body.getTerminator());
    else
      builder.setInsertionPointToEnd(&body);
    Operation *clone = builder.clone(*op);
    cloned.insert(SymbolTable::getSymbolName(op).getValue());
    worklist.push_back(clone);
    // A variable of the host's main program or procedure is local to its file; the host asks for it by name.
    if (auto global = dyn_cast<fir::GlobalOp>(clone); global && isDeviceVariable(global)) {
      global.removeLinkNameAttr();
      if (isInitialisedByHost(global))
        clearValue(global);
    }
    if (declarationOnly)
      for (Region &region : clone->getRegions())
        region.getBlocks().clear();
    if (auto func = dyn_cast<func::FuncOp>(clone); func && func.isDeclaration())
      func.setPrivate();
  }

  LogicalResult cloneWhatIsNamed() {
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      auto uses = SymbolTable::getSymbolUses(op);
      if (!uses)
        continue;
      for (SymbolTable::SymbolUse use : *uses)
        if (failed(bringAlong(use)))
          return failure();
    }
    return success();
  }

  LogicalResult bringAlong(const SymbolTable::SymbolUse &use) {
    StringRef name = use.getSymbolRef().getRootReference();
    if (cloned.contains(name))
      return success();
    Operation *op = hostSymbols.lookup(name);
    if (!op)
      return success();
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      // Runtime routines are resolved when device code is linked.
      cloneIntoDevice(op, /*declarationOnly=*/!isDeviceProcedure(func));
      return success();
    }
    auto global = dyn_cast<fir::GlobalOp>(op);
    if (!global || isDeviceVariable(global) || global.getConstant() || isLinkOnce(global)) {
      cloneIntoDevice(op, /*declarationOnly=*/false);
      return success();
    }
    auto address = dyn_cast<fir::AddrOfOp>(use.getUser());
    auto mode = module->getAttrOfType<StringAttr>(hostDataAttribute);
    if (mode && mode.getValue() == "unified" && address && address->getParentOfType<func::FuncOp>()) {
      readAddressOnHost(address, global);
      return success();
    }
    if (mode && isa<fir::BaseBoxType>(global.getType())) {
      createDescriptorCopy(global);
      return success();
    }
    auto diagnostic = emitError(placeOfUse(use.getUser()))
                      << "device code cannot use '" << sourceName(name)
                      << "', a variable of the host; give it the device, managed or constant attribute";
    diagnostic.attachNote(global.getLoc()) << "'" << sourceName(name) << "' is declared here";
    return diagnostic;
  }

  /// Replaces the address of a host variable in device code by what the variable that tells it holds there.
  void readAddressOnHost(fir::AddrOfOp address, fir::GlobalOp global) {
    OpBuilder builder(address);
    Location loc = address.getLoc();
    Type i64 = builder.getI64Type();
    std::string name = (global.getSymName() + hostAddressSuffix).str();
    if (!cloned.contains(name))
      createAddressPair(name, global);
    auto symbol = SymbolRefAttr::get(builder.getContext(), name);
    Value pointer = fir::AddrOfOp::create(builder, loc, fir::ReferenceType::get(i64), symbol);
    Value value = fir::LoadOp::create(builder, loc, pointer);
    Value converted = fir::ConvertOp::create(builder, loc, address.getType(), value);
    address.replaceAllUsesWith(converted);
    address.erase();
  }

  /// Other files may have the same pair: it is the linker's to keep one of them.
  void createAddressPair(StringRef name, fir::GlobalOp global) {
    cloned.insert(name);
    Location loc = global.getLoc();
    OpBuilder builder(module.getContext());
    Type i64 = builder.getI64Type();
    auto weak = builder.getStringAttr("weak");
    builder.setInsertionPointAfter(global);
    auto onHost = fir::GlobalOp::create(builder, loc, name, /*isConstant=*/false, /*isTarget=*/false, i64,
                                        /*initialVal=*/Attribute(), weak);
    builder.createBlock(&onHost.getRegion());
    Value address = fir::AddrOfOp::create(builder, loc, global.resultType(), global.getSymbol());
    fir::HasValueOp::create(builder, loc, fir::ConvertOp::create(builder, loc, i64, address));
    builder.setInsertionPointToStart(&device.getBodyRegion().front());
    auto onDevice = fir::GlobalOp::create(builder, loc, name, /*isConstant=*/false, /*isTarget=*/false, i64,
                                          builder.getI64IntegerAttr(0), weak);
    onDevice.setDataAttrAttr(cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Device));
    onDevice->setAttr(hostAddressAttribute, builder.getUnitAttr());
  }

  /// What -gpu=mem:managed allocates is managed, its descriptor lies in the memory of the host. Other files may have
  /// the same copy.
  void createDescriptorCopy(fir::GlobalOp global) {
    cloned.insert(global.getSymName());
    Location loc = global.getLoc();
    fir::FirOpBuilder builder(device.getOperation(), fir::getKindMapping(module));
    builder.setInsertionPointToStart(&device.getBodyRegion().front());
    auto copy = fir::GlobalOp::create(builder, loc, global.getSymName(), /*isConstant=*/false, /*isTarget=*/false,
                                      global.getType(), /*initialVal=*/Attribute(), builder.getStringAttr("weak"));
    copy.setDataAttrAttr(cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Managed));
    copy->setAttr(followsHostAttribute, builder.getUnitAttr());
    builder.createBlock(&copy.getRegion());
    fir::HasValueOp::create(builder, loc, fir::factory::createUnallocatedBox(builder, loc, global.getType(), {}));
  }

  static bool isLinkOnce(fir::GlobalOp global) {
    auto linkage = global.getLinkName();
    return linkage && (*linkage == "linkonce" || *linkage == "linkonce_odr");
  }

  /// The device's copies of host and device procedures get the names of these.
  void renameCopies() {
    for (auto func : device.getOps<func::FuncOp>()) {
      StringRef name = func.getSymName();
      if (!name.consume_back(deviceCopySuffix))
        continue;
      auto original = StringAttr::get(func.getContext(), name);
      (void)SymbolTable::replaceAllSymbolUses(func.getSymNameAttr(), original, device);
      func.setSymNameAttr(original);
    }
  }

  void reduceHost() {
    SmallVector<func::FuncOp> procedures;
    for (auto func : module.getOps<func::FuncOp>())
      if (!isHostProcedure(func))
        procedures.push_back(func);
    for (func::FuncOp func : procedures)
      if (!func.isDeclaration())
        makeStub(func);
    // Stubs use nothing: what is unused is so all at once.
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    for (func::FuncOp func : procedures)
      if (!isKernel(func) && users.useEmpty(func))
        func.erase();
  }

  /// The host has the constants of other files there.
  void returnConstants() {
    for (auto global : module.getOps<fir::GlobalOp>()) {
      if (!global->removeAttr(ofOtherFileAttribute))
        continue;
      global.removeInitValAttr();
      global.getRegion().getBlocks().clear();
      global.removeLinkNameAttr();
    }
  }

  /// Leaves a body that only returns.
  void makeStub(func::FuncOp func) {
    func.getBody().dropAllReferences();
    func.getBody().getBlocks().clear();
    Block *entry = func.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    SmallVector<Value> results;
    for (Type type : func.getFunctionType().getResults())
      results.push_back(fir::UndefOp::create(builder, func.getLoc(), type));
    func::ReturnOp::create(builder, func.getLoc(), results);
  }

  ModuleOp module;
  SymbolTable hostSymbols;
  gpu::GPUModuleOp device;
  llvm::StringSet<> cloned;
  SmallVector<Operation *> worklist;
};

struct SplitDeviceCodePass : cufort::cufx::impl::SplitDeviceCodeBase<SplitDeviceCodePass> {
  void runOnOperation() override {
    noteBlockShapes(getOperation());
    if (failed(Splitter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
