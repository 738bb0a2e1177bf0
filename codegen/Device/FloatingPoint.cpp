// Floating-point settings as attributes of functions and flags of instructions.

#include "codegen/Device/FloatingPoint.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr StringLiteral noContraction = "cufort-nofma";
static constexpr StringLiteral denormalMode = "denormal-fp-math-f32";

template <typename Visit>
static void forEachOperation(Function &function, Visit visit) {
  for (Instruction &instruction : instructions(function))
    if (isa<FPMathOperator>(instruction))
      visit(instruction);
}

/// nvcc approximates the operations of single precision only.
static void allowApproximation(Instruction &operation) {
  if (!operation.getType()->isFloatTy())
    return;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&operation);
  if (operation.getOpcode() == Instruction::FDiv || (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::sqrt))
    operation.setHasApproxFunc(true);
}

/// libdevice's functions for -use_fast_math.
static void useFastFunctions(Module &module) {
  static const StringSet<> fast = {"sinf",   "cosf", "tanf",  "sincosf", "expf",
                                   "exp10f", "logf", "log2f", "log10f",  "powf"};
  for (Function &function : module) {
    StringRef name = function.getName();
    if (function.isDeclaration() && name.consume_front("__nv_") && fast.contains(name))
      function.setName("__nv_fast_" + name);
  }
}

void cufort::codegen::recordFloatingPoint(Module &module, const CodegenOptions &options) {
  if (options.fastMath)
    useFastFunctions(module);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (options.flushDenormals)
      function.addFnAttr(denormalMode, "preserve-sign,preserve-sign");
    if (!options.fma) {
      function.addFnAttr(noContraction);
      forEachOperation(function, [](Instruction &operation) { operation.setHasAllowContract(false); });
    }
    if (options.fastMath)
      forEachOperation(function, allowApproximation);
  }
}

CodegenOptions cufort::codegen::applyFloatingPoint(Module &module, const CodegenOptions &options) {
  CodegenOptions result = options;
  bool allFlush = true, someSeparate = false;
  for (Function &function : module)
    if (!function.isDeclaration()) {
      allFlush &= function.hasFnAttribute(denormalMode);
      someSeparate |= function.hasFnAttribute(noContraction);
    }
  result.flushDenormals |= allFlush;
  if (!someSeparate || !options.fma)
    return result;
  result.fma = false;
  for (Function &function : module)
    if (!function.hasFnAttribute(noContraction))
      forEachOperation(function, [](Instruction &operation) { operation.setHasAllowContract(true); });
  return result;
}
