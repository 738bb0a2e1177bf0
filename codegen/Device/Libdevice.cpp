// Math functions of device code: NVIDIA's libdevice, and the compiler's own device library.

#include "codegen/Device/Libdevice.h"
#include "codegen/Device/DeviceLLVM.h"
#include "runtime/ABI/DeviceFacts.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;
using namespace cufort::codegen;

/// True for variables of the device library that the runtime looks for by name.
static bool isFilledByRuntime(StringRef name) {
  return name == CUFORT_DEVICE_FACTS || name == CUFORT_DEVICE_PROPERTIES;
}

Error cufort::codegen::linkNeeded(Module &module, StringRef path) {
  SMDiagnostic problem;
  std::unique_ptr<Module> library = parseIRFile(path, problem, module.getContext());
  if (!library)
    return createStringError("cannot read the device library '" + path.str() + "': " + problem.getMessage().str());
  normaliseDeviceFunctions(*library);
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // The library's module flags describe how it was built, not what it is linked into.
  if (NamedMDNode *flags = library->getModuleFlagsMetadata())
    library->eraseNamedMetadata(flags);
  bool failed = Linker::linkModules(
      module, std::move(library), Linker::Flags::LinkOnlyNeeded, [](Module &linked, const StringSet<> &added) {
        internalizeModule(linked, [&](const GlobalValue &value) {
          return !value.hasName() || !added.contains(value.getName()) || isFilledByRuntime(value.getName());
        });
      });
  if (failed)
    return createStringError("cannot link the device library '" + path.str() + "'");
  return Error::success();
}

Error cufort::codegen::linkDeviceLibraries(Module &module, StringRef directory, StringRef kind) {
  // The modules first: their procedures call the other library.
  for (StringRef library : {"modules-", "device-"})
    if (Error error = linkNeeded(module, (directory + "/" + library + kind + ".bc").str()))
      return error;
  return Error::success();
}

std::string cufort::codegen::functionOfLibdevice(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_") && !function.use_empty())
      return function.getName().drop_front(5).str();
  return {};
}

/// Replaces the calls of __nvvm_reflect by what libdevice is to assume.
static void fixSwitches(Module &module, const CodegenOptions &options, unsigned arch) {
  Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect)
    return;
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = dyn_cast<CallInst>(user);
    StringRef name;
    if (!call || !getConstantStringInfo(call->getArgOperand(0), name))
      continue;
    unsigned value = StringSwitch<unsigned>(name)
                         .Case("__CUDA_FTZ", options.flushDenormals)
                         .Case("__CUDA_PREC_SQRT", !options.fastMath)
                         .Case("__CUDA_PREC_DIV", !options.fastMath)
                         .Case("__CUDA_ARCH", arch * 10)
                         .Default(0);
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), value));
    call->eraseFromParent();
  }
  if (reflect->use_empty())
    reflect->eraseFromParent();
}

/// Keeps LLVM from contracting products that are needed as they are, too: algorithms with a correction term rely on one
/// value of the product. (nvcc contracts only products of which the sum is the one use.)
static void keepSharedProducts(Function &function, bool flushDenormals) {
  auto isSum = [](const User *user) {
    auto *operation = dyn_cast<BinaryOperator>(user);
    return operation && (operation->getOpcode() == Instruction::FAdd || operation->getOpcode() == Instruction::FSub);
  };
  for (Instruction &product : make_early_inc_range(instructions(function))) {
    Type *type = product.getType();
    if (product.getOpcode() != Instruction::FMul || product.hasOneUse() || none_of(product.users(), isSum) ||
        !(type->isFloatTy() || type->isDoubleTy()))
      continue;
    IRBuilder<> builder(&product);
    Intrinsic::ID rounded = type->isDoubleTy() ? Intrinsic::nvvm_mul_rn_d
                            : flushDenormals   ? Intrinsic::nvvm_mul_rn_ftz_f
                                               : Intrinsic::nvvm_mul_rn_f;
    product.replaceAllUsesWith(builder.CreateIntrinsic(rounded, {product.getOperand(0), product.getOperand(1)}));
    product.eraseFromParent();
  }
}

static void markArrays(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (isa<AllocaInst>(instruction))
      instruction.setMetadata(libraryArray, MDNode::get(function.getContext(), {}));
}

Error cufort::codegen::linkLibdevice(Module &module, const CodegenOptions &options, unsigned arch) {
  std::string example = functionOfLibdevice(module);
  if (example.empty())
    return Error::success();
  if (options.libdevice.empty())
    return createStringError("device code calls '" + example +
                             "', which comes from CUDA's libdevice, and no CUDA toolkit was found; set CUDA_HOME");
  SmallPtrSet<Function *, 16> own;
  for (Function &function : module)
    if (!function.isDeclaration())
      own.insert(&function);
  if (Error error = linkNeeded(module, options.libdevice))
    return error;
  fixSwitches(module, options, arch);
  for (Function &function : module) {
    if (own.contains(&function))
      continue;
    keepSharedProducts(function, options.flushDenormals);
    markArrays(function);
  }
  return Error::success();
}
