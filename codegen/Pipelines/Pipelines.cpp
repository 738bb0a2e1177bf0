// The order of all passes, with the reason where it is not obvious.

#include "codegen/Pipelines/Pipelines.h"
#include "codegen/Conversion/NoteSharedAccesses/NoteSharedAccesses.h"
#include "codegen/Device/AliasTags.h"
#include "codegen/Device/KernelRounds.h"
#include "codegen/Device/KnownExtents.h"
#include "codegen/Device/SimplePowers.h"
#include "codegen/Device/SourceFiles.h"
#include "codegen/Device/StackTemporaries.h"
#include "codegen/Device/WidenSubscripts.h"
#include "codegen/Host/HeapVariables.h"
#include "codegen/RuntimeCalls/AlignAllocations.h"
#include "codegen/RuntimeCalls/AllocateInEachDevice.h"
#include "codegen/RuntimeCalls/CheckAllocations.h"
#include "codegen/RuntimeCalls/HideDeviceMemory.h"
#include "codegen/RuntimeCalls/LookUpWhereDeclared.h"
#include "codegen/RuntimeCalls/LowerAllocation.h"
#include "codegen/RuntimeCalls/LowerAssign.h"
#include "codegen/RuntimeCalls/LowerCopyInOut.h"
#include "codegen/RuntimeCalls/LowerHostOperations.h"
#include "codegen/RuntimeCalls/LowerMod.h"
#include "codegen/RuntimeCalls/ManageAllocations.h"
#include "codegen/RuntimeCalls/NoteStatements.h"
#include "codegen/RuntimeCalls/ReleaseComponents.h"
#include "codegen/RuntimeCalls/ReportKernelCalls.h"
#include "codegen/RuntimeCalls/SelectServiceProcedures.h"
#include "codegen/RuntimeCalls/SyncDescriptors.h"
#include "flang/Optimizer/CodeGen/CodeGen.h"
#include "flang/Optimizer/Passes/Pipelines.h"
#include "flang/Optimizer/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace cufort;

static llvm::OptimizationLevel levelOf(const codegen::CodegenOptions &options) {
  // HLFIR is lowered alike at all levels but 0: device code depends on the inlined forms.
  return options.optLevel == 0 ? llvm::OptimizationLevel::O1 : llvm::OptimizationLevel::O2;
}

void cufort::codegen::addFIRPasses(PassManager &passes, const CodegenOptions &options) {
  // While the mask of a loop is what lowering has made of it.
  passes.addPass(cufx::createEvaluateMasksFirst());
  // Before all others: what comes behind treats host code in one way and device code in another.
  passes.addPass(cufx::createSeparateBothSides());
  passes.addPass(cufx::createAssociateInitialTargets());
  passes.addPass(cufx::createRepairHostStatements());
  // Before the address of a variable is anything but its name.
  passes.addPass(cufx::createRaiseMainVariables());
  passes.addPass(cufx::createRefreshDeviceAddresses());
  if (options.openMP)
    fir::createOpenMPFIRPassPipeline(
        passes, {/*isTargetDevice=*/false, Fortran::frontend::CodeGenOptions::DoConcurrentMappingKind::DCMK_None});
  passes.addPass(cufx::createAnnotateLoops());
  // Before anything moves the stores that begin a loop.
  passes.addPass(cufx::createDropSequentialLoops());
  if (options.checkHostBounds || options.checkDeviceBounds || options.checkPointers)
    passes.addPass(
        cufx::createCheckAccesses({options.checkHostBounds, options.checkDeviceBounds, options.checkPointers}));
  // Before calls of device intrinsics in host code have become operations without a name.
  passes.addPass(cufx::createCheckHostCode());
  // While calls of intrinsics and references to components are as written.
  passes.addPass(cufx::createNoteExtremes());
  passes.addPass(cufx::createRaiseDeviceIntrinsics());
  passes.addPass(cufx::createRaiseComplexFunctions());
  passes.addPass(cufx::createInlineRuntimeCalls());
  // While operands of expressions are arrays, and after everything that compares their extents.
  passes.addNestedPass<func::FuncOp>(createKnownExtents());
  // Before Flang gives array expressions memory.
  passes.addPass(cufx::createReduceInLoops());
  passes.addPass(cufx::createWhereInLoops());
  passes.addPass(cufx::createAssignShiftedSections());
  passes.addPass(cufx::createRebaseRearranged());
  fir::createHLFIRToFIRPassPipeline(passes, options.openMP ? fir::EnableOpenMP::Full : fir::EnableOpenMP::None,
                                    levelOf(options));
  passes.addPass(cufx::createCorrectOverflowFlags());
}

/// What device code is checked for: the lowest and the highest compute capability of the GPUs that code is made for.
static cufx::CheckDeviceCodeOptions deviceCodeChecks(const codegen::CodegenOptions &options) {
  cufx::CheckDeviceCodeOptions checks;
  for (const codegen::GpuTarget &gpu : options.gpus) {
    checks.minArchitecture = checks.minArchitecture ? std::min(checks.minArchitecture, gpu.arch) : gpu.arch;
    checks.maxArchitecture = std::max(checks.maxArchitecture, gpu.arch);
  }
  return checks;
}

void cufort::codegen::addCufxPasses(PassManager &passes, const CodegenOptions &options) {
  passes.addPass(cufx::createRaiseDevicePrint());
  passes.addPass(cufx::createCheckDeviceCode(deviceCodeChecks(options)));
  passes.addPass(cufx::createRaiseSharedMemory());
  passes.addPass(cufx::createRaiseLaunches());
  passes.addPass(cufx::createFindAbsentArrays());
  passes.addPass(cufx::createScheduleKernelLoops());
}

void cufort::codegen::addSplitPasses(PassManager &passes) {
  passes.addPass(cufx::createOutlineKernelLoops());
  passes.addPass(cufx::createSplitDeviceCode());
  // While the host's part says what types extend.
  passes.addPass(cufx::createDescribeTypes());
}

/// As Flang canonicalises: LLVM merges blocks that are alike, and faster.
static std::unique_ptr<Pass> createCanonicalizer() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
  return createCanonicalizerPass(config);
}

void cufort::codegen::addDevicePasses(PassManager &passes, const CodegenOptions &options) {
  passes.addPass(createCanonicalizer());
  // While temporaries are freed in the block that allocates them.
  passes.addPass(createStackTemporaries());
  passes.addNestedPass<func::FuncOp>(createWidenSubscripts());
  passes.addPass(createCSEPass());
  passes.addPass(fir::createSimplifyFIROperations());
  passes.addNestedPass<func::FuncOp>(fir::createAbstractResultOpt());
  passes.addPass(fir::createPolymorphicOpConversion());
  MLIRToLLVMPassPipelineConfig config(levelOf(options));
  fir::addCfgConversionPass(passes, config);
  passes.addPass(createCanonicalizer());
  passes.addPass(createCSEPass());
  passes.addPass(fir::createAddAliasTags());
  passes.addNestedPass<func::FuncOp>(createDropAliasTagsOfTargets());
  fir::addBoxedProcedurePass(passes);
  // The names of procedures outside modules become those of the host's symbols.
  fir::addExternalNameConversionPass(passes);
  passes.addNestedPass<func::FuncOp>(createSimplePowers());
  // Integer powers have no instruction and no library function.
  passes.addPass(createConvertMathToFuncs());
}

void cufort::codegen::addDeviceTargetPasses(PassManager &passes, DeviceTarget target, const CodegenOptions &options) {
  passes.addNestedPass<func::FuncOp>(createKernelRounds(target));
  fir::addCodeGenRewritePass(passes, /*preserveDeclare=*/false);
  // Flang's NVPTX target stops the compiler at complex results; code that only meets itself needs no conversion.
  fir::TargetRewritePassOptions rewrite;
  rewrite.noComplexConversion = true;
  passes.addPass(fir::createTargetRewritePass(rewrite));
  passes.addPass(createHideDeviceMemory());
  passes.addPass(createDeviceFIRToLLVM(target));
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (options.checkRaces && target == DeviceTarget::Emulated)
    passes.addPass(createNoteSharedAccesses());
  passes.addPass(createCanonicalizer());
  // The runtime names the lines of faults.
  if (options.lineInfo || target == DeviceTarget::Emulated) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scope;
    scope.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope));
    passes.addNestedPass<LLVM::LLVMFuncOp>(createNameSourceFiles());
  }
}

void cufort::codegen::addHostPasses(PassManager &passes, const CodegenOptions &options) {
  passes.addPass(createCheckAllocations());
  if (options.hostMemory != HostMemory::Pageable)
    passes.addPass(createManageAllocations(options.hostMemory));
  passes.addPass(createAlignAllocations());
  // While the operations of statements and their variables can be seen.
  passes.addPass(createNoteStatements());
  // Before Flang's conversion of cuf, which would lower launches its own way.
  passes.addPass(createLowerHostOperations());
  passes.addPass(createLowerCopyInOut());
  passes.addPass(createLowerAssign());
  passes.addPass(createLowerAllocation());
  passes.addPass(createAllocateInEachDevice());
  passes.addPass(createReleaseComponents());
  passes.addPass(createSyncDescriptors());
  passes.addPass(createReportKernelCalls());
  passes.addPass(createSelectServiceProcedures());
  passes.addPass(createLowerMod());
  passes.addNestedPass<func::FuncOp>(createLookUpWhereDeclared());
  passes.addPass(fir::createCUFOpConversion());
  passes.addPass(createHideDeviceMemory());
  MLIRToLLVMPassPipelineConfig config(levelOf(options));
  config.StackArrays = options.stackArrays;
  config.EnableOpenMP = options.openMP;
  if (options.debugLines)
    config.DebugInfo = llvm::codegenoptions::DebugLineTablesOnly;
  if (!options.stackArrays)
    passes.addNestedPass<func::FuncOp>(createHeapVariables());
  fir::registerDefaultInlinerPass(config);
  fir::createDefaultFIROptimizerPassPipeline(passes, config);
  fir::createDefaultFIRCodeGenPassPipeline(passes, config);
}
