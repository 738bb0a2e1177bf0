// One source from HLFIR to everything that its object holds.

#include "codegen/Pipelines/Compile.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Device/FloatingPoint.h"
#include "codegen/DeviceLink/ModuleArrays.h"
#include "codegen/Host/HostFloatingPoint.h"
#include "codegen/Host/HostFunctions.h"
#include "codegen/Host/MainProgram.h"
#include "codegen/Pipelines/Pipelines.h"
#include "codegen/Support/Targets.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace mlir;
using namespace cufort;
using namespace cufort::codegen;

Compilation::Compilation(ModuleOp module, const CodegenOptions &options, llvm::TargetMachine &host)
    : module(module), options(options), host(host) {}

LogicalResult Compilation::run(llvm::function_ref<void(PassManager &)> addPasses, ModuleOp on) {
  PassManager passes(on->getName(), OpPassManager::Nesting::Implicit);
  (void)applyPassManagerCLOptions(passes);
  // Once in each stage: after every pass it would take a third of all time.
  passes.enableVerifier(false);
  addPasses(passes);
  return failed(passes.run(on)) ? failure() : verify(on);
}

LogicalResult Compilation::lowerToFIR() {
  return run([&](PassManager &passes) { addFIRPasses(passes, options); }, module);
}

LogicalResult Compilation::lowerToCufx() {
  return run([&](PassManager &passes) { addCufxPasses(passes, options); }, module);
}

LogicalResult Compilation::splitDeviceCode() { return run(addSplitPasses, module); }

/// The machine whose data layout device code is lowered with. All GPUs share one.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machineFor(DeviceTarget target,
                                                                       const CodegenOptions &options) {
  return target == DeviceTarget::NVVM ? createGpuMachine(options, GpuTarget()) : createHostMachine(options);
}

/// Fills in `device`, which stays null if the source has no device code.
LogicalResult Compilation::prepareDevice() {
  if (device)
    return success();
  auto machine = machineFor(DeviceTarget::NVVM, options);
  if (!machine)
    return module.emitError(llvm::toString(machine.takeError()));
  device = cloneDeviceModule(module, **machine);
  return device ? run([&](PassManager &passes) { addDevicePasses(passes, options); }, *device) : success();
}

FailureOr<OwningOpRef<ModuleOp>> Compilation::lowerDevice(DeviceTarget target) {
  auto machine = machineFor(target, options);
  if (!machine)
    return module.emitError(llvm::toString(machine.takeError())), failure();
  if (failed(prepareDevice()))
    return failure();
  if (!device)
    return OwningOpRef<ModuleOp>();
  OwningOpRef<ModuleOp> result(device->clone());
  setDeviceTarget(*result, **machine);
  if (failed(run([&](PassManager &passes) { addDeviceTargetPasses(passes, target, options); }, *result)))
    return failure();
  return result;
}

/// The module variables with one of two attributes. Descriptors are left out: they are not the data.
static llvm::StringSet<> variablesWith(ModuleOp host, cuf::DataAttribute first, cuf::DataAttribute second) {
  llvm::StringSet<> names;
  host.walk([&](fir::GlobalOp global) {
    auto attribute = global.getDataAttr();
    if (attribute && (*attribute == first || *attribute == second) && !isa<fir::BaseBoxType>(global.getType()))
      names.insert(global.getSymName());
  });
  return names;
}

/// The names of the texture pointers that `host` defines.
static SmallVector<StringRef> texturesOf(ModuleOp host) {
  SmallVector<StringRef> names;
  if (auto textures = host->getAttrOfType<ArrayAttr>(cufx::texturesAttribute))
    llvm::append_range(names, textures.getAsValueRange<StringAttr>());
  return names;
}

llvm::Expected<std::unique_ptr<llvm::Module>> Compilation::translateDevice(DeviceTarget target,
                                                                           llvm::LLVMContext &context) {
  auto device = lowerDevice(target);
  if (failed(device))
    return llvm::createStringError("");
  if (!*device)
    return nullptr;
  auto machine = machineFor(target, options);
  if (!machine)
    return machine.takeError();
  auto translated = translateDeviceModule(**device, context, **machine);
  if (!translated)
    return llvm::createStringError("");
  recordFloatingPoint(*translated, options);
  if (target == DeviceTarget::NVVM) {
    auto constants = variablesWith(module, cuf::DataAttribute::Constant, cuf::DataAttribute::Constant);
    placeVariables(*translated, [&](llvm::StringRef name) { return constants.contains(name); });
    for (const auto &name : variablesWith(module, cuf::DataAttribute::Managed, cuf::DataAttribute::Unified))
      if (llvm::GlobalVariable *variable = translated->getNamedGlobal(name.getKey()))
        markManaged(*variable);
    for (llvm::StringRef name : texturesOf(module))
      if (llvm::GlobalVariable *variable = translated->getNamedGlobal(name))
        variable->addAttribute(ModuleArrays::textureAttribute);
  }
  return std::move(translated);
}

ForkedWork::Result Compilation::createBitcode(DeviceTarget target) {
  llvm::LLVMContext context;
  auto translated = translateDevice(target, context);
  if (!translated)
    return translated.takeError();
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream out(bitcode);
  llvm::WriteBitcodeToFile(**translated, out);
  return bitcode;
}

/// Operations from which on it is worth a process to lower them.
static constexpr unsigned manyOperations = 2000;

static bool isLarge(ModuleOp module) {
  unsigned count = 0;
  return module
      .walk([&](Operation *) { return ++count < manyOperations ? WalkResult::advance() : WalkResult::interrupt(); })
      .wasInterrupted();
}

llvm::Expected<DeviceBitcodeWork> Compilation::startDeviceBitcode() {
  DeviceBitcodeWork work;
  if (failed(prepareDevice()))
    return llvm::createStringError("");
  if (!device)
    return work;
  if (isLarge(*device)) {
    work.gpu.emplace([&] { return createBitcode(DeviceTarget::NVVM); });
    work.emulated.emplace([&] { return createBitcode(DeviceTarget::Emulated); });
    return work;
  }
  for (auto [target, bytes] :
       {std::pair(DeviceTarget::NVVM, &work.done.gpu), std::pair(DeviceTarget::Emulated, &work.done.emulated)}) {
    auto made = createBitcode(target);
    if (!made)
      return made.takeError();
    *bytes = std::move(*made);
  }
  return work;
}

llvm::Expected<DeviceBitcode> DeviceBitcodeWork::wait() {
  for (auto [work, bytes] : {std::pair(&gpu, &done.gpu), std::pair(&emulated, &done.emulated)}) {
    if (!*work)
      continue;
    auto made = (*work)->wait();
    if (!made)
      return made.takeError();
    *bytes = std::move(*made);
  }
  return std::move(done);
}

namespace {

/// Directives for loops are advice: nobody has to know of that which the optimizer cannot follow.
struct AdviceAside : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    return info.getKind() == llvm::DK_OptimizationFailure;
  }
};

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> Compilation::lowerHost(llvm::LLVMContext &context,
                                                                     llvm::StringRef section) {
  context.setDiagnosticHandler(std::make_unique<AdviceAside>());
  std::vector<Entry> entries = collectEntries(module);
  // Kernels are known by their host stubs from here on.
  for (auto device : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    device.erase();
  if (failed(run([&](PassManager &passes) { addHostPasses(passes, options); }, module)))
    return llvm::createStringError("");
  auto translated = translateModuleToLLVMIR(module, context);
  if (!translated)
    return llvm::createStringError("");
  translated->setTargetTriple(host.getTargetTriple());
  translated->setDataLayout(host.createDataLayout());
  emitEntries(*translated, entries, section);
  applyHostFloatingPoint(*translated, options);
  prepareHostFunctions(*translated, options);
  prepareMainProgram(*translated, options);
  associateAtStart(*translated);
  return std::move(translated);
}
