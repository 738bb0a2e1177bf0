#include "codegen/DeviceLink/LeanForms.h"
#include "codegen/DeviceLink/KernelVersion.h"
#include "codegen/DeviceLink/MemoryWaits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr StringLiteral suffix = "$lean";

static bool isLeanForm(const Function &function) { return function.hasFnAttribute(leanFormFunctionAttribute); }

static SmallVector<Function *> leanForms(Module &module) {
  SmallVector<Function *> forms;
  for (Function &function : module)
    if (isLeanForm(function))
      forms.push_back(&function);
  return forms;
}

void cufort::codegen::addLeanForms(Module &module, function_ref<bool(StringRef kernel)> usuallyRuns) {
  StringMap<KernelShape> shapes = kernelsOfLoops(module);
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (shapes.lookup(function.getName()).hasLoops && usuallyRuns(function.getName()))
      kernels.push_back(&function);
  for (Function *kernel : kernels) {
    ValueToValueMapTy map;
    cloneKernel(*kernel, suffix, map)->addFnAttr(leanFormFunctionAttribute);
  }
}

bool cufort::codegen::dropEqualForms(Module &module) {
  bool isAnyLeft = false;
  for (Function *form : leanForms(module)) {
    if (form->getFnAttribute(leanFormFunctionAttribute).getValueAsString() == leanFormDiffers)
      isAnyLeft = true;
    else
      eraseCopy(*form);
  }
  return isAnyLeft;
}

std::unique_ptr<Module> cufort::codegen::withOneForm(const Module &module,
                                                     function_ref<bool(StringRef kernel)> isLean) {
  std::unique_ptr<Module> result = CloneModule(module);
  for (Function *form : leanForms(*result)) {
    std::string name = form->getName().drop_back(suffix.size()).str();
    if (!isLean(name)) {
      eraseCopy(*form);
      continue;
    }
    eraseCopy(*result->getFunction(name));
    form->setName(name);
  }
  return result;
}

std::unique_ptr<Module> cufort::codegen::withLeanFormsOnly(const Module &module) {
  std::unique_ptr<Module> result = withOneForm(module, [](StringRef) { return true; });
  for (Function &function : make_early_inc_range(*result))
    if (function.getCallingConv() == CallingConv::PTX_Kernel && !isLeanForm(function))
      eraseCopy(function);
  return result;
}
