// Translation of device modules to LLVM IR.

#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Device/PaddedRecords.h"
#include "codegen/Device/ReclaimStack.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace cufort::codegen;

/// True for NINT, which the NVPTX back end cannot select.
static bool isRoundingToInteger(StringRef intrinsic) {
  return intrinsic.starts_with("llvm.lround.") || intrinsic.starts_with("llvm.llround.");
}

/// C library functions that FIR calls by name, under libdevice's names.
static bool isMathLibraryFunction(StringRef name) {
  static const StringSet<> names = {
      "acosf", "acos",    "acoshf", "acosh", "asinf",  "asin",   "asinhf", "asinh", "atanf",   "atan",   "atan2f",
      "atan2", "atanhf",  "atanh",  "cosf",  "cos",    "coshf",  "cosh",   "erff",  "erf",     "erfcf",  "erfc",
      "expf",  "exp",     "fmodf",  "fmod",  "hypotf", "hypot",  "j0f",    "j0",    "j1f",     "j1",     "jnf",
      "jn",    "lgammaf", "lgamma", "logf",  "log",    "log10f", "log10",  "powf",  "pow",     "sinf",   "sin",
      "sinhf", "sinh",    "sqrtf",  "sqrt",  "tanf",   "tan",    "tanhf",  "tanh",  "tgammaf", "tgamma", "y0f",
      "y0",    "y1f",     "y1",     "ynf",   "yn",     "cbrtf",  "cbrt",   "log2f", "log2",    "exp2f",  "exp2"};
  return names.contains(name);
}

/// NINT is ANINT and then INT, which a GPU does in a few instructions. libdevice's function has branches.
static void replaceRounding(Function &intrinsic) {
  for (User *user : make_early_inc_range(intrinsic.users())) {
    auto *call = cast<CallInst>(user);
    IRBuilder<> builder(call);
    Value *rounded = builder.CreateUnaryIntrinsic(Intrinsic::round, call->getArgOperand(0));
    Type *types[] = {call->getType(), rounded->getType()};
    call->replaceAllUsesWith(builder.CreateIntrinsic(Intrinsic::fptosi_sat, types, {rounded}));
    call->eraseFromParent();
  }
  intrinsic.eraseFromParent();
}

/// Modules can name libdevice's function as well.
static void rename(Function &function, const Twine &name) {
  Function *other = function.getParent()->getFunction(name.str());
  if (!other)
    return function.setName(name);
  function.replaceAllUsesWith(other);
  function.eraseFromParent();
}

static void replaceMathFunctions(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration())
      continue;
    if (isMathLibraryFunction(function.getName()))
      rename(function, "__nv_" + function.getName());
    else if (isRoundingToInteger(function.getName()))
      replaceRounding(function);
  }
}

/// Flang's names of constants, as of descriptions of types, have dots, which PTX does not take.
static void replaceDots(Module &module) {
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.hasLinkOnceLinkage() || !variable.getName().contains('.'))
      continue;
    std::string name = variable.getName().str();
    std::replace(name.begin(), name.end(), '.', '$');
    variable.setName(name);
  }
}

void cufort::codegen::normaliseDeviceFunctions(Module &module) {
  for (Function &function : module) {
    if (function.isIntrinsic())
      continue;
    // "no-builtins" is of the device library, which is compiled without a C library, and would keep it from being
    // inlined.
    for (StringRef attribute : {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "no-builtins"})
      function.removeFnAttr(attribute);
    function.addFnAttr(Attribute::Convergent);
    function.addFnAttr(Attribute::NoUnwind);
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == &function)
        call->addFnAttr(Attribute::Convergent);
  }
}

void cufort::codegen::placeVariables(Module &module, function_ref<bool(StringRef)> isConstant) {
  constexpr unsigned globalMemory = 1, constantMemory = 4;
  SmallVector<GlobalVariable *> generic;
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == 0 && !variable.getName().starts_with("llvm."))
      generic.push_back(&variable);
  for (GlobalVariable *variable : generic) {
    auto *moved = new GlobalVariable(module, variable->getValueType(), variable->isConstant(), variable->getLinkage(),
                                     variable->hasInitializer() ? variable->getInitializer() : nullptr, "", variable,
                                     GlobalValue::NotThreadLocal,
                                     isConstant(variable->getName()) ? constantMemory : globalMemory);
    moved->copyAttributesFrom(variable);
    moved->takeName(variable);
    variable->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(moved, variable->getType()));
    variable->eraseFromParent();
  }
}

void cufort::codegen::markManaged(GlobalVariable &variable) {
  LLVMContext &context = variable.getContext();
  Metadata *fields[] = {ValueAsMetadata::get(&variable), MDString::get(context, "managed"),
                        ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1))};
  variable.getParent()->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(context, fields));
}

std::unique_ptr<Module> cufort::codegen::translateDeviceModule(mlir::ModuleOp device, LLVMContext &context,
                                                               TargetMachine &machine) {
  std::unique_ptr<Module> module = mlir::translateModuleToLLVMIR(device, context);
  if (!module)
    return nullptr;
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  replaceMathFunctions(*module);
  normaliseDeviceFunctions(*module);
  replaceDots(*module);
  splitPaddedRecords(*module);
  reclaimStack(*module);
  return module;
}
