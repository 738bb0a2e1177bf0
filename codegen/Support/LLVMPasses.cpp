// Running LLVM over a module.

#include "codegen/Support/LLVMPasses.h"
#include "codegen/Support/StatementOrder.h"
#include "llvm/ADT/Any.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// The analysis managers that a pass needs, wired together.
struct Analyses {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;

  explicit Analyses(PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

OptimizationLevel levelOf(unsigned level) {
  static const OptimizationLevel levels[] = {OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
                                             OptimizationLevel::O3};
  return levels[std::min(level, 3u)];
}

} // namespace

/// Passes of LLVM's pipelines that make code longer, or gain little where there are no vectors.
static constexpr StringLiteral longPasses[] = {"LoopVectorizePass",
                                               "SLPVectorizerPass",
                                               "LoopUnrollPass",
                                               "LoopLoadEliminationPass",
                                               "LoopDistributePass",
                                               "VectorCombinePass",
                                               "GVNPass",
                                               "IndVarSimplifyPass",
                                               "JumpThreadingPass",
                                               "CorrelatedValuePropagationPass"};

/// Passes of LLVM's pipelines that carry over what procedures tell about each other.
static constexpr StringLiteral callPasses[] = {"IPSCCPPass", "CalledValuePropagationPass", "ArgumentPromotionPass"};

void cufort::codegen::compileQuickly(Function &function) {
  function.addFnAttr(Attribute::NoInline);
  function.addFnAttr(Attribute::OptimizeNone);
}

PreservedAnalyses EndBriefFunctions::run(Function &function, FunctionAnalysisManager &) {
  if (function.hasFnAttribute(compileBrieflyAttribute))
    compileQuickly(function);
  return PreservedAnalyses::all();
}

/// True if there are vectors in `function`.
static bool hasVectors(const Function &function) {
  return any_of(instructions(function), [](const Instruction &each) { return each.getType()->isVectorTy(); });
}

/// True if the function or loop `code` does without the pass `name`.
static bool isLeftOut(StringRef name, const Any &code, const Optimisation &optimisation) {
  if (!optimisation.callsRemain && is_contained(callPasses, name))
    return true;
  const Function *function = nullptr;
  if (auto *const *wholeFunction = any_cast<const Function *>(&code))
    function = *wholeFunction;
  else if (auto *const *loop = any_cast<const Loop *>(&code))
    function = (*loop)->getHeader()->getParent();
  if (!optimisation.callsRemain && name == "SLPVectorizerPass" && function && hasVectors(*function))
    return true;
  return function && (function->hasOptNone() ||
                      (function->hasFnAttribute(compileBrieflyAttribute) && is_contained(longPasses, name)));
}

/// Lets loops be unrolled fully whose rounds together cost up to `size`, and LLVM find out what constants leave of a
/// few dozen rounds. Only options of LLVM's command line, which belong to the process, say so and leave alone what is
/// unrolled in part.
static void unrollFullyUpTo(unsigned size, PassInstrumentationCallbacks &callbacks) {
  constexpr unsigned mostRoundsLookedAt = 32;
  SmallVector<std::pair<cl::Option *, unsigned>, 2> options;
  for (auto [name, value] :
       {std::pair("unroll-threshold", size), std::pair("unroll-max-iteration-count-to-analyze", mostRoundsLookedAt)})
    if (cl::Option *option = cl::getRegisteredOptions().lookup(name); option && size)
      options.push_back({option, value});
  auto unrolls = [](StringRef pass) { return pass == "LoopFullUnrollPass" || pass == "LoopUnrollPass"; };
  callbacks.registerBeforeNonSkippedPassCallback([=](StringRef pass, Any) {
    if (unrolls(pass))
      for (auto [option, value] : options)
        option->addOccurrence(0, option->ArgStr, std::to_string(value));
  });
  auto restore = [=](StringRef pass) {
    if (unrolls(pass))
      for (auto [option, value] : options)
        option->reset();
  };
  callbacks.registerAfterPassCallback([=](StringRef pass, Any, const PreservedAnalyses &) { restore(pass); });
  callbacks.registerAfterPassInvalidatedCallback([=](StringRef pass, const PreservedAnalyses &) { restore(pass); });
}

void cufort::codegen::optimiseModule(Module &module, TargetMachine &machine, const Optimisation &optimisation,
                                     function_ref<void(PassBuilder &)> extend) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = optimisation.vectorize;
  tuning.LoopUnrolling = optimisation.unroll;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](StringRef name, Any code) { return !isLeftOut(name, code, optimisation); });
  unrollFullyUpTo(optimisation.largestFullUnroll, callbacks);
  PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  if (extend)
    extend(builder);
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(StatementOrder()); });
  Analyses analyses(builder);
  OptimizationLevel chosen = levelOf(optimisation.level);
  ModulePassManager passes = chosen == OptimizationLevel::O0 ? builder.buildO0DefaultPipeline(chosen)
                                                             : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(module, analyses.modules);
}

void cufort::codegen::simplifyFunction(Function &function) {
  PassBuilder builder;
  Analyses analyses(builder);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.run(function, analyses.functions);
}

void cufort::codegen::joinEqualValues(Function &function) {
  PassBuilder builder;
  Analyses analyses(builder);
  EarlyCSEPass().run(function, analyses.functions);
  for (BasicBlock &block : function) {
    for (PHINode &phi : make_early_inc_range(block.phis()))
      if (Value *value = phi.hasConstantValue()) {
        phi.replaceAllUsesWith(value);
        phi.eraseFromParent();
      }
    EliminateDuplicatePHINodes(&block);
  }
}

void cufort::codegen::simplifyArithmetic(Function &function) {
  PassBuilder builder;
  Analyses analyses(builder);
  FunctionPassManager passes;
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.run(function, analyses.functions);
}

void cufort::codegen::runOnFunctions(Module &module, FunctionPassManager passes) {
  PassBuilder builder;
  Analyses analyses(builder);
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, analyses.modules);
}

void cufort::codegen::inlineMarkedFunctions(Module &module) {
  PassBuilder builder;
  Analyses analyses(builder);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass());
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.modules);
}

void cufort::codegen::removeUnused(Module &module) {
  PassBuilder builder;
  Analyses analyses(builder);
  GlobalDCEPass().run(module, analyses.modules);
}

/// Adds the passes that write `type` to `out`, as TargetMachine does. Only options of LLVM's command line, which belong
/// to the process, tell it to leave some out.
static bool addPasses(legacy::PassManager &passes, raw_svector_ostream &out, TargetMachine &machine,
                      CodeGenFileType type, const BackEnd &does) {
  auto leaveOut = [](StringRef name, bool isLeftOut) {
    if (auto *option = static_cast<cl::opt<bool> *>(cl::getRegisteredOptions().lookup(name)))
      option->setValue(isLeftOut);
  };
  leaveOut("disable-lsr", !does.reduceStrength);
  leaveOut("disable-machine-sink", !does.sink);
  bool failed = machine.addPassesToEmitFile(passes, out, nullptr, type);
  leaveOut("disable-lsr", false);
  leaveOut("disable-machine-sink", false);
  return failed;
}

namespace {

/// What only options of LLVM's command line tell a back end, as long as an object exists.
///
/// For x86, CodeGenPrepare does not take time as the square of the size of long functions: it visits only blocks that
/// have changed again, and sign extensions of the longest stay where they are. For GPUs, GVN leaves loads in the loops
/// where they have been put.
class OptionsForModule {
public:
  OptionsForModule(const Module &module, const TargetMachine &machine) {
    if (machine.getTargetTriple().isX86())
      setForLength(module);
    else if (any_of(module, [](const Function &each) { return each.hasFnAttribute(keptLoadsFunctionAttribute); }))
      set("enable-load-in-loop-pre", "false");
  }
  ~OptionsForModule() {
    for (cl::Option *option : options)
      option->reset();
  }
  OptionsForModule(const OptionsForModule &) = delete;
  OptionsForModule &operator=(const OptionsForModule &) = delete;

private:
  static constexpr size_t longBlocks = 1000, longestBlocks = 2000;

  void setForLength(const Module &module) {
    size_t most = 0;
    for (const Function &function : module)
      most = std::max(most, function.size());
    if (most > longBlocks)
      set("cgpp-huge-func", std::to_string(longBlocks));
    if (most > longestBlocks)
      set("disable-cgp-ext-ld-promotion", "true");
  }

  void set(StringRef name, const std::string &value) {
    cl::Option *option = cl::getRegisteredOptions().lookup(name);
    if (option && !option->addOccurrence(0, option->ArgStr, value))
      options.push_back(option);
  }

  SmallVector<cl::Option *, 2> options;
};

} // namespace

Expected<SmallVector<char, 0>> cufort::codegen::emitModule(Module &module, TargetMachine &machine, CodeGenFileType type,
                                                           BackEnd does) {
  SmallVector<char, 0> result;
  raw_svector_ostream out(result);
  legacy::PassManager passes;
  passes.add(createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  if (addPasses(passes, out, machine, type, does))
    return createStringError("no code can be generated for " + machine.getTargetTriple().str());
  OptionsForModule options(module, machine);
  passes.run(module);
  return result;
}
