// One compilation and one device link, from settings to files.

#include "driver/Main/FortranCompiler.h"
#include "codegen/DeviceLink/DeviceLink.h"
#include "codegen/DeviceLink/GpuCode.h"
#include "codegen/DeviceLink/LineTable.h"
#include "codegen/Host/Trampolines.h"
#include "codegen/Pipelines/Compile.h"
#include "codegen/Reports/KernelLoopReport.h"
#include "codegen/Support/LLVMPasses.h"
#include "codegen/Support/Registry.h"
#include "codegen/Support/Targets.h"
#include "driver/Jobs/Progress.h"
#include "driver/Main/Translate.h"
#include "driver/Options/Errors.h"
#include "frontend/Diagnostics/DiagnosticPrinter.h"
#include "frontend/Parse/Frontend.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA1.h"

using namespace cufort;
using namespace cufort::driver;

namespace {

/// Writes `job.output`; the text or bytes of one stage.
llvm::Error writeFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (problem)
    return failure("cannot write '" + path + "': " + problem.message());
  write(out);
  return llvm::Error::success();
}

/// An llvm::Error of the code generators: one without text has been reported through MLIR already.
llvm::Error convert(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  return text.empty() ? alreadyReported() : failure(text);
}

/// Writes `images` to `prefix`.cc90.ptx, `prefix`.cc90.cubin and so on, unless `prefix` is empty.
llvm::Error keepImages(const std::vector<codegen::GpuImage> &images, llvm::StringRef prefix) {
  if (prefix.empty())
    return llvm::Error::success();
  for (const codegen::GpuImage &image : llvm::make_filter_range(images, std::mem_fn(&codegen::GpuImage::isCode)))
    if (llvm::Error error = writeFile((prefix + image.fileSuffix()).str(),
                                      [&](llvm::raw_ostream &out) { out << image.fileContents(); }))
      return error;
  return llvm::Error::success();
}

/// Says what was left out of `linked` and keeps its images, as the job asks.
template <typename Job>
llvm::Error reportLinked(const codegen::LinkedDeviceCode &linked, const Job &job) {
  if (!linked.warning.empty() && job.reports.warnings)
    llvm::errs() << "cufort: warning: " << linked.warning << '\n';
  return keepImages(linked.images, job.keepPrefix);
}

/// The section for the entries of an object that has an image of its own: an object with other device code must not
/// have the same.
std::string ownEntrySection(const codegen::DeviceBitcode &bitcode) {
  llvm::SHA1 hash;
  hash.update(llvm::StringRef(bitcode.gpu.data(), bitcode.gpu.size()));
  hash.update(llvm::StringRef(bitcode.emulated.data(), bitcode.emulated.size()));
  return codegen::entrySection.str() + "_" + llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// The device code of one source, as a device link takes it.
codegen::CollectedBitcode collect(const codegen::DeviceBitcode &bitcode, llvm::StringRef source) {
  codegen::CollectedBitcode collected;
  collected.gpu.push_back(llvm::MemoryBuffer::getMemBuffer({bitcode.gpu.data(), bitcode.gpu.size()}, source, false));
  collected.emulated.push_back(
      llvm::MemoryBuffer::getMemBuffer({bitcode.emulated.data(), bitcode.emulated.size()}, source, false));
  return collected;
}

/// One source on its way through the stages.
class SourceCompilation {
public:
  SourceCompilation(const CompileJob &job, const std::string &deviceLibraryDir)
      : job(job), frontendOptions(driver::frontendOptions(job)), options(codegenOptions(job, deviceLibraryDir)),
        diagnostics(&context, job.input, job.reports.warnings, job.reports.verbose, llvm::errs()) {}

  llvm::Error run() {
    if (job.stopAfter == Stage::Preprocess)
      return preprocess();
    auto created = codegen::createHostMachine(options);
    if (!created)
      return created.takeError();
    machine = std::move(*created);
    noteProgress("analysing the source");
    if (job.stopAfter == Stage::Syntax)
      return mlir::failed(frontend::checkSyntax(frontendOptions, *machine, llvm::errs())) ? alreadyReported()
                                                                                          : llvm::Error::success();
    codegen::loadDialects(context);
    context.printOpOnDiagnostic(false);
    module = frontend::lowerToHLFIR(context, frontendOptions, *machine, llvm::errs());
    if (!module)
      return alreadyReported();
    if (llvm::Error error = generate())
      return error;
    if (job.reports.warningsAreErrors && diagnostics.warningCount()) {
      llvm::errs() << job.input << ": error: warnings are errors (-Werror)\n";
      return alreadyReported();
    }
    return llvm::Error::success();
  }

private:
  llvm::Error preprocess() {
    mlir::LogicalResult result = mlir::success();
    llvm::Error error = writeFile(
        job.output, [&](llvm::raw_ostream &out) { result = frontend::preprocess(frontendOptions, out, llvm::errs()); });
    if (error)
      return error;
    return mlir::failed(result) ? alreadyReported() : llvm::Error::success();
  }

  llvm::Error printModule(mlir::ModuleOp printed) {
    return writeFile(job.output, [&](llvm::raw_ostream &out) { printed.print(out); });
  }

  llvm::Error generate() {
    codegen::Compilation compilation(*module, options, *machine);
    if (job.stopAfter == Stage::HLFIR)
      return printModule(*module);
    noteProgress("lowering the program");
    if (mlir::failed(compilation.lowerToFIR()))
      return alreadyReported();
    if (job.stopAfter == Stage::FIR)
      return printModule(*module);
    noteProgress("lowering the CUDA constructs");
    if (mlir::failed(compilation.lowerToCufx()))
      return alreadyReported();
    if (job.reports.accelerator)
      codegen::reportKernelLoops(*module, llvm::errs());
    if (job.stopAfter == Stage::Cufx)
      return printModule(*module);
    if (!job.keepPrefix.empty())
      if (llvm::Error error =
              writeFile(job.keepPrefix + ".cufx.mlir", [&](llvm::raw_ostream &out) { module->print(out); }))
        return error;
    if (mlir::failed(compilation.splitDeviceCode()))
      return alreadyReported();
    if (job.stopAfter == Stage::NVVM || job.stopAfter == Stage::DeviceLLVM || job.stopAfter == Stage::EmulatedLLVM ||
        job.stopAfter == Stage::PTX)
      return printDeviceStage(compilation);
    return generateObject(compilation);
  }

  llvm::Error printDeviceStage(codegen::Compilation &compilation) {
    noteProgress("generating device code");
    if (job.stopAfter == Stage::NVVM) {
      auto device = compilation.lowerDevice(codegen::DeviceTarget::NVVM);
      if (mlir::failed(device))
        return alreadyReported();
      return *device ? printModule(**device) : writeFile(job.output, [](llvm::raw_ostream &) {});
    }
    llvm::LLVMContext llvmContext;
    auto target = job.stopAfter == Stage::EmulatedLLVM ? codegen::DeviceTarget::Emulated : codegen::DeviceTarget::NVVM;
    auto device = compilation.translateDevice(target, llvmContext);
    if (!device)
      return convert(device.takeError());
    std::string ptx;
    if (*device && job.stopAfter == Stage::PTX) {
      auto generated = codegen::generatePTX(**device, options, options.gpus.front());
      if (!generated)
        return convert(generated.takeError());
      ptx = std::move(generated->ptx);
    }
    return writeFile(job.output, [&](llvm::raw_ostream &out) {
      if (job.stopAfter == Stage::PTX)
        out << ptx;
      else if (*device)
        (*device)->print(out, nullptr);
    });
  }

  llvm::Error generateObject(codegen::Compilation &compilation) {
    noteProgress("generating code");
    auto device = compilation.startDeviceBitcode();
    if (!device)
      return convert(device.takeError());
    llvm::LLVMContext llvmContext;
    auto host = options.selfContained ? generateAll(compilation, *device, llvmContext)
                                      : generateHost(compilation, *device, llvmContext);
    if (!host)
      return convert(host.takeError());
    codegen::makeTrampolinesByRuntime(**host);
    if (job.stopAfter == Stage::HostLLVM)
      return writeFile(job.output, [&](llvm::raw_ostream &out) { (*host)->print(out, nullptr); });
    auto type =
        job.stopAfter == Stage::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
    auto emitted = codegen::emitModule(**host, *machine, type);
    if (!emitted)
      return convert(emitted.takeError());
    if (options.selfContained && type == llvm::CodeGenFileType::ObjectFile)
      if (llvm::Error error = codegen::addLineTable(*emitted))
        return convert(std::move(error));
    return writeFile(job.output, [&](llvm::raw_ostream &out) { out.write(emitted->data(), emitted->size()); });
  }

  using HostModule = llvm::Expected<std::unique_ptr<llvm::Module>>;

  /// The optimised host module, which carries the device part for the device link.
  HostModule generateHost(codegen::Compilation &compilation, codegen::DeviceBitcodeWork &device,
                          llvm::LLVMContext &llvmContext) {
    auto host = compilation.lowerHost(llvmContext, codegen::entrySection);
    if (!host)
      return host.takeError();
    codegen::optimiseModule(**host, *machine, {options.optLevel, options.vectorize});
    auto bitcode = device.wait();
    if (!bitcode)
      return bitcode.takeError();
    codegen::embedDeviceBitcode(**host, *bitcode);
    return host;
  }

  /// -gpu=nordc: the optimised host module with all code for devices. The object needs no device link.
  HostModule generateAll(codegen::Compilation &compilation, codegen::DeviceBitcodeWork &device,
                         llvm::LLVMContext &llvmContext) {
    auto bitcode = device.wait();
    if (!bitcode)
      return bitcode.takeError();
    std::string section = ownEntrySection(*bitcode);
    auto host = compilation.lowerHost(llvmContext, section);
    if (!host)
      return host.takeError();
    if (llvm::Error error = finishDeviceCode(**host, *bitcode, section))
      return std::move(error);
    codegen::optimiseModule(**host, *machine, {options.optLevel, options.vectorize});
    return host;
  }

  llvm::Error finishDeviceCode(llvm::Module &host, const codegen::DeviceBitcode &bitcode, llvm::StringRef section) {
    if (bitcode.emulated.empty())
      return llvm::Error::success();
    codegen::LinkedDeviceCode linked;
    if (llvm::Error error = codegen::addDeviceCode(host, collect(bitcode, job.input), options, section, linked))
      return failure(llvm::toString(std::move(error)) + " (-gpu=nordc finishes the device code of every file alone)");
    return reportLinked(linked, job);
  }

  const CompileJob &job;
  frontend::FrontendOptions frontendOptions;
  codegen::CodegenOptions options;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  frontend::DiagnosticPrinter diagnostics;
  std::unique_ptr<llvm::TargetMachine> machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

llvm::Error FortranCompiler::compileFile(const CompileJob &job) {
  codegen::initialiseTargets();
  return SourceCompilation(job, deviceLibraryDir).run();
}

llvm::Expected<bool> FortranCompiler::linkDevice(const DeviceLinkJob &job) {
  codegen::initialiseTargets();
  codegen::CodegenOptions options = codegenOptions(job.codeGen, job.device, deviceLibraryDir);
  options.kernelInfo = job.reports.accelerator;
  codegen::CollectedBitcode bitcode;
  noteProgress("reading device code");
  for (const DeviceLinkInput &input : job.inputs)
    if (llvm::Error error = codegen::collectDeviceBitcode(input.path, bitcode))
      return failure("'" + input.path + "': " + llvm::toString(std::move(error)));
  if (bitcode.gpu.empty() && bitcode.emulated.empty())
    return false;
  noteProgress("linking device code");
  auto linked = codegen::linkDeviceCode(std::move(bitcode), options, codegen::entrySection);
  if (!linked)
    return convert(linked.takeError());
  if (llvm::Error error = reportLinked(*linked, job))
    return std::move(error);
  const llvm::SmallVector<char, 0> &object = linked->object;
  llvm::Error error = writeFile(job.output, [&](llvm::raw_ostream &out) { out.write(object.data(), object.size()); });
  if (error)
    return std::move(error);
  return true;
}

std::string FortranCompiler::componentVersions() const { return "LLVM, MLIR and Flang " LLVM_VERSION_STRING; }
