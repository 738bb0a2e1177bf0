// Drives Flang's parser, semantics and lowering bridge directly: its CompilerInstance would need Clang's libraries,
// and owning every step lets the checks of this project run between them.

#include "frontend/Parse/Frontend.h"
#include "flang/Frontend/CodeGenOptions.h"
#include "flang/Frontend/TargetOptions.h"
#include "flang/Lower/Bridge.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/Support/InitFIR.h"
#include "flang/Optimizer/Support/Utils.h"
#include "flang/Parser/parsing.h"
#include "flang/Parser/provenance.h"
#include "flang/Semantics/runtime-type-info.h"
#include "flang/Semantics/semantics.h"
#include "flang/Support/default-kinds.h"
#include "flang/Tools/CrossToolHelpers.h"
#include "flang/Tools/TargetSetup.h"
#include "frontend/Checks/CallErrors.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceGenerics.h"
#include "frontend/Checks/FalseErrors.h"
#include "frontend/Checks/GenericRanks.h"
#include "frontend/Checks/LaunchAttributes.h"
#include "frontend/Checks/LengthParameters.h"
#include "frontend/Checks/ManagedAllocatables.h"
#include "frontend/Checks/ModuleCycles.h"
#include "frontend/Checks/NearestProcedure.h"
#include "frontend/Checks/OperatorErrors.h"
#include "frontend/Checks/StorageSizes.h"
#include "frontend/Checks/UnknownNames.h"
#include "frontend/Diagnostics/FlangMessages.h"
#include "frontend/Parse/AlignSpecifiers.h"
#include "frontend/Parse/ComputedArrays.h"
#include "frontend/Parse/ConstantLocals.h"
#include "frontend/Parse/ConstructedTargets.h"
#include "frontend/Parse/DeallocatedSections.h"
#include "frontend/Parse/DefinedAssignments.h"
#include "frontend/Parse/DeviceComponents.h"
#include "frontend/Parse/DiscardedResults.h"
#include "frontend/Parse/EmptyExtents.h"
#include "frontend/Parse/GenericProcedures.h"
#include "frontend/Parse/HiddenNames.h"
#include "frontend/Parse/InitialValues.h"
#include "frontend/Parse/IsoCBinding.h"
#include "frontend/Parse/JoinedProcedures.h"
#include "frontend/Parse/KernelLoopDevices.h"
#include "frontend/Parse/KernelLoopExtents.h"
#include "frontend/Parse/KernelOutputs.h"
#include "frontend/Parse/KernelsBeforeEntries.h"
#include "frontend/Parse/LoopNests.h"
#include "frontend/Parse/ManagedRecords.h"
#include "frontend/Parse/MissingArgumentLists.h"
#include "frontend/Parse/ModuleConstants.h"
#include "frontend/Parse/ModuleFiles.h"
#include "frontend/Parse/ModuleNames.h"
#include "frontend/Parse/OpenMPDirectives.h"
#include "frontend/Parse/PgiDirectives.h"
#include "frontend/Parse/ProcedurePrefixes.h"
#include "frontend/Parse/RecordComponents.h"
#include "frontend/Parse/ReductionNames.h"
#include "frontend/Parse/ReductionStreams.h"
#include "frontend/Parse/SourceText.h"
#include "frontend/Parse/StreamValues.h"
#include "frontend/Parse/Textures.h"
#include "frontend/Parse/UndeclaredAttributes.h"
#include "frontend/Parse/UndefinedExtents.h"
#include "frontend/Parse/UnrollDirectives.h"
#include "frontend/Parse/ValueStatements.h"
#include "frontend/Parse/VariableAttributes.h"
#include "frontend/Parse/VolatileResults.h"
#include "frontend/Parse/VoteConditions.h"
#include "frontend/Parse/WarningLevels.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace Fortran;
using cufort::frontend::FrontendOptions;
using cufort::frontend::isTextFile;

namespace {

/// The version of OpenMP whose directives are understood, as 52 for 5.2.
constexpr unsigned openMPVersion = 52;

/// What only the messages about a source tell of it, for another attempt.
struct Findings {
  size_t size() const { return hiddenNames.size() + functionsOfUsers.size() + streams.size() + discarded.size(); }

  cufort::frontend::HiddenNames hiddenNames;
  cufort::frontend::ModuleFunctions functionsOfUsers;
  cufort::frontend::ArgumentPlaces streams;
  cufort::frontend::StatementPlaces discarded; ///< calls whose results are discarded
};

/// Everything that Flang keeps about one source, in the order that its parts depend on each other.
class Session {
public:
  Session(const FrontendOptions &options, llvm::raw_ostream &diagnostics)
      : options(options), diagnostics(diagnostics), parserOptions(makeParserOptions(options)),
        defaultKinds(makeDefaultKinds(options)), allCooked(allSources), parsing(allCooked) {
    allSources.set_encoding(parserOptions.encoding);
    langOptions.OpenMPVersion = openMPVersion;
  }

  mlir::LogicalResult prescan();
  mlir::LogicalResult parse();
  /// Prints nothing and fails if there is something that another attempt had better know: `known` has it then.
  mlir::LogicalResult analyse(llvm::TargetMachine &target, Findings &known);
  mlir::OwningOpRef<mlir::ModuleOp> lower(mlir::MLIRContext &context, llvm::TargetMachine &target);
  void emitPreprocessed(llvm::raw_ostream &out) { parsing.EmitPreprocessedSource(out, /*lineDirectives=*/true); }
  void preprocessOnly() { parserOptions.prescanAndReformat = true; }

private:
  mlir::LogicalResult analyseFortran(parser::Program &program);
  mlir::LogicalResult analyseCuda(parser::Program &program, const Findings &known);
  /// Adds to `known` what the messages tell; returns true if there was anything new.
  bool find(const parser::Program &program, Findings &known);
  static parser::Options makeParserOptions(const FrontendOptions &options);
  static common::IntrinsicTypeDefaultKinds makeDefaultKinds(const FrontendOptions &options);
  mlir::LogicalResult reportParserMessages();
  cufort::frontend::Shown shown() const;
  cufort::frontend::FixedColumns columns() const { return options.fixedForm ? options.fixedFormColumns : 0; }
  /// Says so if the `warnings` that were printed fail the compilation.
  bool fails(unsigned warnings);

  const FrontendOptions &options;
  llvm::raw_ostream &diagnostics;
  parser::Options parserOptions;
  common::IntrinsicTypeDefaultKinds defaultKinds;
  common::LangOptions langOptions;
  parser::AllSources allSources;
  parser::AllCookedSources allCooked;
  parser::Parsing parsing;
  frontend::TargetOptions targetOptions;
  frontend::CodeGenOptions codeGenOptions;
  std::unique_ptr<semantics::SemanticsContext> semanticsContext;
  std::vector<std::string> textures;              ///< pointers of modules, by the names of their globals
  semantics::RuntimeDerivedTypeTables typeTables; ///< owns the names of symbols that lowering reads
};

parser::Options Session::makeParserOptions(const FrontendOptions &options) {
  parser::Options result;
  auto &features = result.features;
  features.Enable(common::LanguageFeature::CUDA, options.cuda);
  // In Fortran without CUDA the memory of variables is no property that a module file could tell.
  features.Enable(common::LanguageFeature::CudaManaged, options.cuda && options.managedMemory);
  features.Enable(common::LanguageFeature::CudaUnified, options.cuda && options.unifiedMemory);
  features.Enable(common::LanguageFeature::BackslashEscapes, options.backslashEscapes);
  features.Enable(common::LanguageFeature::OldDebugLines, options.debugLines);
  features.Enable(common::LanguageFeature::ImplicitNoneTypeAlways, options.implicitNone);
  features.Enable(common::LanguageFeature::DefaultSave, options.saveLocals);
  features.Enable(common::LanguageFeature::OpenACC, false);
  features.Enable(common::LanguageFeature::OpenMP, options.openMP);
  cufort::frontend::setWarnings(features, options);
  result.isFixedForm = options.fixedForm;
  result.fixedFormColumns = options.fixedFormColumns;
  result.searchDirectories.push_back(llvm::sys::path::parent_path(options.input).str());
  if (result.searchDirectories.front().empty())
    result.searchDirectories.front() = ".";
  result.searchDirectories.insert(result.searchDirectories.end(), options.searchDirectories.begin(),
                                  options.searchDirectories.end());
  result.intrinsicModuleDirectories = {options.intrinsicModuleDirectory};
  for (const cufort::frontend::Macro &macro : options.macros)
    result.predefinitions.emplace_back(macro.name, macro.undefine ? std::nullopt : std::make_optional(macro.value));
  return result;
}

common::IntrinsicTypeDefaultKinds Session::makeDefaultKinds(const FrontendOptions &options) {
  common::IntrinsicTypeDefaultKinds kinds;
  if (options.defaultReal8)
    kinds.set_defaultRealKind(8).set_doublePrecisionKind(8);
  kinds.set_defaultIntegerKind(options.integerKind).set_defaultLogicalKind(options.integerKind);
  if (options.integerKind == 8)
    kinds.set_subscriptIntegerKind(8).set_sizeIntegerKind(8);
  return kinds;
}

cufort::frontend::Shown Session::shown() const {
  using cufort::frontend::Shown;
  if (!options.warnings)
    return Shown::Nothing;
  return options.remarks || options.warnNonstandard ? Shown::Remarks : Shown::Warnings;
}

mlir::LogicalResult Session::reportParserMessages() {
  unsigned warnings = cufort::frontend::printParserMessages(parsing.messages(), allCooked, options.cuda, columns(),
                                                            shown(), diagnostics);
  return mlir::failure(parsing.messages().AnyFatalError() || fails(warnings));
}

mlir::LogicalResult Session::prescan() {
  if (!isTextFile(options.input)) {
    diagnostics << options.input << ": error: this is not a text file\n";
    return mlir::failure();
  }
  parsing.Prescan(options.input, parserOptions);
  if (parsing.messages().AnyFatalError())
    return reportParserMessages();
  cufort::frontend::translatePgiDirectives(parsing.cooked());
  cufort::frontend::translateRecordComponents(parsing.cooked());
  cufort::frontend::dropDeallocatedBounds(parsing.cooked(), parsing.messages());
  if (options.cuda) {
    cufort::frontend::hideAlignSpecifiers(parsing.cooked());
    cufort::frontend::translateValueStatements(parsing.cooked());
    cufort::frontend::completeKernelLoopExtents(parsing.cooked());
    cufort::frontend::hideKernelLoopDevices(parsing.cooked());
    cufort::frontend::hideKernelLoopExtents(parsing.cooked());
  }
  return mlir::success();
}

mlir::LogicalResult Session::parse() {
  parsing.Parse(llvm::nulls());
  if (mlir::failed(reportParserMessages()))
    return mlir::failure();
  if (parsing.consumedWholeFile() && parsing.parseTree())
    return mlir::success();
  parsing.EmitMessage(diagnostics, parsing.finalRestingPlace(), "cannot make sense of the program from here on",
                      "error: ", llvm::raw_ostream::RED, /*echoSourceLine=*/true);
  return mlir::failure();
}

mlir::LogicalResult Session::analyse(llvm::TargetMachine &target, Findings &known) {
  semanticsContext =
      std::make_unique<semantics::SemanticsContext>(defaultKinds, parserOptions.features, langOptions, allCooked);
  // The user's directories come first, so that a module of the user's wins over one of ours with the same name.
  std::vector<std::string> search = parserOptions.searchDirectories;
  search.push_back(options.moduleDirectory);
  (*semanticsContext)
      .set_moduleDirectory(options.moduleDirectory)
      .set_searchDirectories(search)
      .set_intrinsicModuleDirectories({options.intrinsicModuleDirectory})
      .set_warnOnNonstandardUsage(false);
  targetOptions.triple = target.getTargetTriple().normalize();
  tools::setUpTargetCharacteristics(semanticsContext->targetCharacteristics(), target, targetOptions, "cufort", "");

  parser::Program &program = *parsing.parseTree();
  // Without CUDA too: a module of another file may bring the c_f_pointer of cudafor.
  cufort::frontend::forgetModuleNames();
  cufort::frontend::replaceIsoCBinding(program);
  cufort::frontend::joinSeparateProcedures(program);
  if (options.openMP)
    cufort::frontend::dropOpenMPAdvice(program, semanticsContext->messages());
  if (options.saveLocals)
    cufort::frontend::keepNoLocalsOfPureProcedures(program);
  cufort::frontend::hideNames(program, known.hiddenNames, semanticsContext->messages());
  mlir::LogicalResult result = mlir::failure();
  if (cufort::frontend::checkModuleCycles(program, semanticsContext->messages()))
    result = options.cuda ? analyseCuda(program, known) : analyseFortran(program);
  if (mlir::succeeded(result))
    result = cufort::frontend::repairModuleFiles(program, options.moduleDirectory, diagnostics);
  if (mlir::failed(result) && find(program, known))
    return result;
  cufort::frontend::explainUnknownNames(*semanticsContext);
  unsigned warnings = cufort::frontend::printSemanticMessages(
      semanticsContext->messages(), allCooked, options.intrinsicModuleDirectory, columns(), shown(), diagnostics);
  return mlir::failure(mlir::failed(result) || fails(warnings));
}

bool Session::find(const parser::Program &program, Findings &known) {
  bool isNew = cufort::frontend::findHiddenNames(semanticsContext->messages(), known.hiddenNames);
  if (!options.cuda)
    return isNew;
  isNew |= cufort::frontend::findFunctionsOfUsers(*semanticsContext, known.functionsOfUsers);
  isNew |= cufort::frontend::findStreamArguments(*semanticsContext, program, known.streams);
  isNew |= cufort::frontend::findDiscardedResults(*semanticsContext, program, known.discarded);
  return isNew;
}

bool Session::fails(unsigned warnings) {
  if (!options.warningsAreErrors || !warnings)
    return false;
  diagnostics << options.input << ": error: warnings are errors (-Werror)\n";
  return true;
}

mlir::LogicalResult Session::analyseFortran(parser::Program &program) {
  semantics::Semantics(*semanticsContext, program).Perform();
  cufort::frontend::addReasonsOfRank(*semanticsContext, program);
  cufort::frontend::placeStorageSizeWarning(*semanticsContext, program);
  if (!semanticsContext->AnyFatalError()) {
    cufort::frontend::checkCoarrays(*semanticsContext, program);
    cufort::frontend::checkIntrinsics(*semanticsContext, program);
    cufort::frontend::checkLengthParameters(*semanticsContext);
    cufort::frontend::dropVolatileOfResults(*semanticsContext);
  }
  return mlir::failure(semanticsContext->AnyFatalError());
}

mlir::LogicalResult Session::analyseCuda(parser::Program &program, const Findings &known) {
  textures = cufort::frontend::replaceTextures(program);
  cufort::frontend::checkAttributes(program, semanticsContext->messages());
  cufort::frontend::joinAttributes(program);
  cufort::frontend::dropUndeclaredAttributes(program, semanticsContext->messages());
  cufort::frontend::assumeUndefinedExtents(program, semanticsContext->messages());
  cufort::frontend::addMissingArgumentLists(program, semanticsContext->messages());
  cufort::frontend::takeAnySpecificProcedure(program);
  cufort::frontend::dropTypesOfSubroutines(program, semanticsContext->messages());
  cufort::frontend::dropPureOfKernels(program, semanticsContext->messages());
  cufort::frontend::compareVotes(program);
  cufort::frontend::takeValuesOfStreams(program);
  cufort::frontend::discardResults(program, known.discarded, allCooked, semanticsContext->messages());
  cufort::frontend::replaceRenamedReductions(program, known.functionsOfUsers);
  cufort::frontend::waitBeforeReductions(program, known.streams, allCooked);
  cufort::frontend::applyAlignSpecifiers(program, semanticsContext->messages());
  if (!cufort::frontend::tightenKernelLoops(program, semanticsContext->messages()))
    return mlir::failure();
  cufort::frontend::wrapKernelsBeforeEntries(program);
  cufort::frontend::restoreKernelLoopExtents(program);
  cufort::frontend::selectKernelLoopDevices(program);
  cufort::frontend::LaunchAttributes launchAttributes;
  launchAttributes.takeFrom(program);
  {
    cufort::frontend::FalseErrors falseErrors(*semanticsContext, program);
    cufort::frontend::DeviceGenerics deviceGenerics(*semanticsContext, program);
    cufort::frontend::ManagedAllocatables managedAllocatables(parserOptions.features);
    mlir::LogicalResult result = analyseFortran(program);
    deviceGenerics.explain(*semanticsContext);
    falseErrors.remove();
    cufort::frontend::explainCallErrors(*semanticsContext, program);
    cufort::frontend::explainOperatorErrors(*semanticsContext, program);
    cufort::frontend::explainByNearestProcedure(*semanticsContext);
    if (mlir::failed(result))
      return result;
  }
  launchAttributes.giveTo(*semanticsContext);
  cufort::frontend::makeConstantsOfLocals(*semanticsContext, program);
  cufort::frontend::checkCuda(*semanticsContext, program);
  cufort::frontend::checkTextures(*semanticsContext, program, textures);
  if (semanticsContext->AnyFatalError())
    return mlir::failure();
  cufort::frontend::allocateForComputedArrays(program);
  cufort::frontend::callDefinedAssignments(program);
  cufort::frontend::assignInitialValues(*semanticsContext, program);
  cufort::frontend::constructTargetsWhenRun(program);
  if (options.saveLocals)
    cufort::frontend::keepNoLocalsOfDeviceProcedures(*semanticsContext);
  cufort::frontend::releaseManagedRecords(*semanticsContext);
  cufort::frontend::keepOutputsOfKernels(*semanticsContext);
  return mlir::success();
}

mlir::OwningOpRef<mlir::ModuleOp> Session::lower(mlir::MLIRContext &context, llvm::TargetMachine &target) {
  typeTables = semantics::BuildRuntimeDerivedTypeTables(*semanticsContext);
  const auto &kinds = semanticsContext->defaultKinds();
  fir::KindMapping kindMap(&context, llvm::ArrayRef<fir::KindTy>{fir::fromDefaultKinds(kinds)});
  lower::LoweringOptions loweringOptions;
  // The compiler's own handler prints diagnostics with source lines.
  loweringOptions.setRegisterMLIRDiagnosticsHandler(0);
  // Division of complex numbers in device code must not become a call of the host's runtime.
  loweringOptions.setComplexDivisionToRuntime(0);
  loweringOptions.getMathOptions().setFPContractEnabled(options.contract);
  std::vector<lower::EnvironmentDefault> environment;
  if (!options.unformattedConvert.empty())
    environment.push_back({"FORT_CONVERT", options.unformattedConvert});
  auto bridge = lower::LoweringBridge::create(
      context, *semanticsContext, kinds, semanticsContext->intrinsics(), semanticsContext->targetCharacteristics(),
      allCooked, targetOptions.triple, kindMap, loweringOptions, environment, semanticsContext->languageFeatures(),
      target, targetOptions, codeGenOptions);
  // Lowering asks the module which directives are made of which.
  if (options.openMP) {
    setOffloadModuleInterfaceAttributes(bridge.getModule(), OffloadModuleOpts());
    setOpenMPVersionAttribute(bridge.getModule(), openMPVersion);
  }
  bridge.lower(*parsing.parseTree(), *semanticsContext);
  mlir::OwningOpRef<mlir::ModuleOp> module(bridge.getModuleAndRelease());
  if (options.cuda)
    cufort::frontend::bringModuleConstants(*semanticsContext, *module);
  auto note = [&](llvm::StringRef attribute, const std::vector<std::string> &texts) {
    llvm::SmallVector<llvm::StringRef> names(texts.begin(), texts.end());
    if (!names.empty())
      (*module)->setAttr(attribute, mlir::Builder(&context).getStrArrayAttr(names));
  };
  note(cufort::cufx::deviceComponentsAttribute, cufort::frontend::deviceComponents(*semanticsContext));
  note(cufort::cufx::deviceFunctionsAttribute, cufort::frontend::deviceFunctions(*semanticsContext));
  note(cufort::cufx::texturesAttribute, textures);
  note(cufort::cufx::unrollDirectivesAttribute, cufort::frontend::unrollDirectives(*parsing.parseTree(), allCooked));
  if (options.managedMemory || options.unifiedMemory)
    (*module)->setAttr(cufort::cufx::hostDataAttribute,
                       mlir::Builder(&context).getStringAttr(options.unifiedMemory ? "unified" : "managed"));
  return module;
}

/// The session of a source that is free of errors, else null. What a name means may be seen by the second attempt only.
std::unique_ptr<Session> analyseSource(const FrontendOptions &options, llvm::TargetMachine &target,
                                       llvm::raw_ostream &diagnostics) {
  Findings known;
  for (;;) {
    size_t before = known.size();
    auto session = std::make_unique<Session>(options, diagnostics);
    if (mlir::failed(session->prescan()) || mlir::failed(session->parse()))
      return nullptr;
    if (mlir::succeeded(session->analyse(target, known)))
      return session;
    if (known.size() == before)
      return nullptr;
  }
}

} // namespace

namespace cufort::frontend {

mlir::LogicalResult preprocess(const FrontendOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &diagnostics) {
  Session session(options, diagnostics);
  session.preprocessOnly();
  if (mlir::failed(session.prescan()))
    return mlir::failure();
  session.emitPreprocessed(out);
  return mlir::success();
}

mlir::LogicalResult checkSyntax(const FrontendOptions &options, llvm::TargetMachine &target,
                                llvm::raw_ostream &diagnostics) {
  return mlir::success(analyseSource(options, target, diagnostics) != nullptr);
}

mlir::OwningOpRef<mlir::ModuleOp> lowerToHLFIR(mlir::MLIRContext &context, const FrontendOptions &options,
                                               llvm::TargetMachine &target, llvm::raw_ostream &diagnostics) {
  auto session = analyseSource(options, target, diagnostics);
  return session ? session->lower(context, target) : mlir::OwningOpRef<mlir::ModuleOp>();
}

} // namespace cufort::frontend
