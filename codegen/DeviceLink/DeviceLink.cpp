// The device link.
//
//   GPU bitcode       -> one module -> PTX and machine code for each architecture -> fat binary
//   emulated bitcode  -> one module -> functions that the emulated device calls   -> x86-64
//
// Both end up in one object, made from the emulated module: the fat binary is a section of it, and a constructor
// hands everything to libcufort_rt. The two halves share nothing, so two processes generate them, and if there are many
// kernels, more processes the second.

#include "codegen/DeviceLink/DeviceLink.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Device/Libdevice.h"
#include "codegen/Device/StackBuffers.h"
#include "codegen/DeviceLink/EmulatedModule.h"
#include "codegen/DeviceLink/EmulatedShares.h"
#include "codegen/DeviceLink/GpuImages.h"
#include "codegen/DeviceLink/ImageObject.h"
#include "codegen/DeviceLink/LineTable.h"
#include "codegen/DeviceLink/ParallelThreads.h"
#include "codegen/DeviceLink/StripsOfThreads.h"
#include "codegen/DeviceLink/ThreadLoopBounds.h"
#include "codegen/DeviceLink/WideVersions.h"
#include "codegen/Process/ForkedWork.h"
#include "codegen/Support/LLVMPasses.h"
#include "codegen/Support/SourceName.h"
#include "codegen/Support/Targets.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Threading.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include <deque>

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Collects what LLVM's linker reports, instead of printing it.
struct CollectDiagnostics : DiagnosticHandler {
  explicit CollectDiagnostics(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream out(text);
      DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }
  std::string &text;
};

/// Fills in the images of `result`, or its warning.
Error createGpuImages(const CollectedBitcode &bitcode, const CodegenOptions &options, LinkedDeviceCode &result) {
  if (options.gpus.empty() || bitcode.gpu.empty())
    return Error::success();
  LLVMContext context;
  auto module = linkBitcode(context, bitcode.gpu);
  if (!module)
    return module.takeError();
  std::string function;
  if (options.libdevice.empty()) {
    if (Error error = linkDeviceLibraries(**module, options.deviceLibraryDir, "nvptx"))
      return error;
    function = functionOfLibdevice(**module);
  }
  if (!function.empty()) {
    result.warning = "the program has no code for GPUs: device code calls '" + function +
                     "', which comes from CUDA's libdevice, and no CUDA toolkit was found; set CUDA_HOME";
    return Error::success();
  }
  return generateGpuImages(**module, options).moveInto(result.images);
}

/// The emulated module, ready for the image to be added; an empty module without emulated code.
Expected<std::unique_ptr<Module>> createEmulatedModule(LLVMContext &context, const CollectedBitcode &bitcode,
                                                       const CodegenOptions &options, TargetMachine &machine,
                                                       std::vector<EmulatedKernel> &kernels) {
  auto module = std::make_unique<Module>("cufort-image", context);
  if (options.emulated && !bitcode.emulated.empty()) {
    auto linked = linkBitcode(context, bitcode.emulated);
    if (!linked)
      return linked.takeError();
    module = std::move(*linked);
  }
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  if (!options.emulated || bitcode.emulated.empty())
    return std::move(module);
  if (Error error = linkDeviceLibraries(*module, options.deviceLibraryDir, "emulated"))
    return std::move(error);
  answerForLargeStack(*module);
  kernels = prepareEmulatedModule(*module);
  addWideVersions(*module, kernels, options);
  return std::move(module);
}

/// Which file defines a symbol of the program.
using Definitions = StringMap<std::string>;

/// Notes what `module`, the device code of `file`, defines, and fails if another file has defined it.
Error noteDefinitions(const Module &module, StringRef file, Definitions &definitions) {
  for (const GlobalValue &value : module.global_values()) {
    if (value.isDeclaration() || !value.hasExternalLinkage())
      continue;
    auto [known, isNew] = definitions.try_emplace(value.getName(), file);
    if (isNew)
      continue;
    std::string module = sourceModule(value.getName());
    if (!module.empty())
      return createStringError("module '" + module + "' is in '" + known->second + "' and in '" + file +
                               "'; link one of them");
    return createStringError("'" + sourceName(value.getName()) + "' is defined in '" + known->second + "' and in '" +
                             file + "'");
  }
  return Error::success();
}

/// Both errors, or one if they say the same.
Error joinDistinctErrors(Error first, Error second) {
  if (!first || !second)
    return joinErrors(std::move(first), std::move(second));
  std::string text = toString(std::move(first)), other = toString(std::move(second));
  return createStringError(text == other ? text : text + "\n" + other);
}

} // namespace

Expected<std::unique_ptr<Module>>
cufort::codegen::linkBitcode(LLVMContext &context, const std::vector<std::unique_ptr<MemoryBuffer>> &buffers) {
  std::string problems;
  context.setDiagnosticHandler(std::make_unique<CollectDiagnostics>(problems));
  std::unique_ptr<Module> result;
  Definitions definitions;
  for (const auto &buffer : buffers) {
    auto module = parseBitcodeFile(*buffer, context);
    if (!module)
      return createStringError("the device code in '" + buffer->getBufferIdentifier().str() +
                               "' cannot be read: " + toString(module.takeError()));
    if (Error error = noteDefinitions(**module, buffer->getBufferIdentifier(), definitions))
      return std::move(error);
    if (!result)
      result = std::move(*module);
    else if (Linker::linkModules(*result, std::move(*module)))
      return createStringError("device code of '" + buffer->getBufferIdentifier().str() +
                               "' cannot be linked: " + problems);
  }
  return std::move(result);
}

/// Optimises `module`, of which the entries of `kernels` stay.
static void optimiseEmulated(Module &module, ArrayRef<EmulatedKernel> kernels, const CodegenOptions &options,
                             TargetMachine &machine) {
  SmallVector<Function *> entries;
  for (const EmulatedKernel &kernel : kernels)
    for (Function *entry : entriesOf(kernel))
      if (!entry->isDeclaration())
        entries.push_back(entry);
  for (Function *entry : entries)
    entry->setLinkage(GlobalValue::ExternalLinkage);
  Optimisation optimisation = {options.optLevel, options.vectorize, /*unroll=*/true, /*callsRemain=*/false};
  optimiseModule(module, machine, optimisation, [&](PassBuilder &builder) {
    builder.registerVectorizerStartEPCallback([&](FunctionPassManager &passes, OptimizationLevel) {
      passes.addPass(EndBriefFunctions());
      passes.addPass(DropScopesInLoopsOfThreads());
      passes.addPass(BoundLoopsOfThreads());
      if (options.vectorize && options.optLevel > 1)
        passes.addPass(SplitLoopsOfThreads());
      passes.addPass(InstSimplifyPass());
      passes.addPass(SimplifyCFGPass());
      if (options.vectorize && options.optLevel > 1)
        passes.addPass(StripsOfThreads());
    });
  });
  for (Function *entry : entries)
    entry->setLinkage(GlobalValue::InternalLinkage);
}

static bool mayPrint(const Module &module) {
  const Function *print = module.getFunction("cufortEmuVprintf");
  return print && !print->use_empty();
}

/// Adds the image of `fatBinary` and `kernels` to `module`, where nothing else is visible to other modules.
static void finishImageModule(Module &module, StringRef fatBinary, const std::vector<EmulatedKernel> &kernels,
                              StringRef entrySection, bool prints) {
  addImage(module, fatBinary, kernels, entrySection, prints);
  internalizeModule(module, [](const GlobalValue &value) { return value.isDeclaration(); });
}

/// Object code of the kernels of share `number` of `module`.
static Expected<SmallVector<char, 0>> createShare(const EmulatedShares &shares, unsigned number, Module &module,
                                                  std::vector<EmulatedKernel> &kernels, const CodegenOptions &options,
                                                  TargetMachine &machine) {
  shares.keep(number, module, kernels);
  optimiseEmulated(module, kernels, options, machine);
  for (const EmulatedKernel &kernel : kernels)
    for (Function *entry : entriesOf(kernel))
      showToShares(*entry);
  return emitModule(module, machine, CodeGenFileType::ObjectFile);
}

/// One object of `image` and what `others` make.
static Expected<SmallVector<char, 0>> joinShares(SmallVector<char, 0> image, std::deque<ForkedWork> &others,
                                                 StringRef linker) {
  std::vector<SmallVector<char, 0>> objects{std::move(image)};
  for (ForkedWork &other : others) {
    auto object = other.wait();
    if (!object)
      return object.takeError();
    objects.push_back(std::move(*object));
  }
  return joinObjects(objects, linker);
}

/// The image object of `bitcode`, with a fat binary that has no members.
static Expected<SmallVector<char, 0>> createEmulatedObject(const CollectedBitcode &bitcode,
                                                           const CodegenOptions &options, StringRef entrySection) {
  auto machine = createHostMachine(options);
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::vector<EmulatedKernel> kernels;
  auto module = createEmulatedModule(context, bitcode, options, **machine, kernels);
  if (!module)
    return module.takeError();
  bool prints = mayPrint(**module);
  EmulatedShares shares(kernels, options.linker.empty() ? 1 : hardware_concurrency().compute_thread_count());
  std::deque<ForkedWork> others;
  for (unsigned number = 1; number < shares.count(); ++number)
    others.emplace_back([&] { return createShare(shares, number, **module, kernels, options, **machine); });
  shares.keep(0, **module, kernels);
  optimiseEmulated(**module, kernels, options, **machine);
  finishImageModule(**module, packFatBinary({}), kernels, entrySection, prints);
  auto object = emitModule(**module, **machine, CodeGenFileType::ObjectFile);
  if (object && !others.empty())
    object = joinShares(std::move(*object), others, options.linker);
  if (object)
    if (Error error = addLineTable(*object))
      return std::move(error);
  return object;
}

Expected<LinkedDeviceCode> cufort::codegen::linkDeviceCode(CollectedBitcode bitcode, const CodegenOptions &options,
                                                           StringRef entrySection) {
  LinkedDeviceCode result;
  ForkedWork emulated([&] { return createEmulatedObject(bitcode, options, entrySection); });
  Error gpuError = createGpuImages(bitcode, options, result);
  auto object = emulated.wait();
  if (Error error = joinDistinctErrors(object.takeError(), std::move(gpuError)))
    return std::move(error);
  result.object = std::move(*object);
  if (!result.images.empty())
    if (Error error = replaceFatBinary(result.object, packFatBinary(result.images)))
      return std::move(error);
  return std::move(result);
}

Error cufort::codegen::addDeviceCode(Module &host, CollectedBitcode bitcode, const CodegenOptions &options,
                                     StringRef entrySection, LinkedDeviceCode &result) {
  auto machine = createHostMachine(options);
  if (!machine)
    return machine.takeError();
  Error gpuError = createGpuImages(bitcode, options, result);
  std::vector<EmulatedKernel> kernels;
  auto module = createEmulatedModule(host.getContext(), bitcode, options, **machine, kernels);
  if (Error error = joinDistinctErrors(module.takeError(), std::move(gpuError)))
    return error;
  finishImageModule(**module, packFatBinary(result.images), kernels, entrySection, mayPrint(**module));
  std::string problems;
  host.getContext().setDiagnosticHandler(std::make_unique<CollectDiagnostics>(problems));
  return Linker::linkModules(host, std::move(*module)) ? createStringError(problems) : Error::success();
}
