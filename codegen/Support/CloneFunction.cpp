#include "codegen/Support/CloneFunction.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

void cufort::codegen::cloneWithParameters(Function &function, ArrayRef<Type *> more, Type *result, const Twine &name,
                                          ClonedFunction &clone) {
  SmallVector<Type *> types(function.getFunctionType()->params());
  append_range(types, more);
  clone.function = Function::Create(FunctionType::get(result, types, false), GlobalValue::InternalLinkage, name,
                                    *function.getParent());
  for (auto [from, to] : zip(function.args(), clone.function->args())) {
    clone.map[&from] = &to;
    to.setName(from.getName());
  }
  // Loops name the accesses that do not depend on each other by these nodes, which a copy must not have others for:
  // the loop may be in one function, and the accesses in another that is inlined later.
  for (Instruction &instruction : instructions(function))
    if (MDNode *accesses = instruction.getMetadata(LLVMContext::MD_access_group))
      clone.map.MD()[accesses].reset(accesses);
    else if (MDNode *loop = instruction.getMetadata(LLVMContext::MD_loop))
      for (const MDOperand &option : drop_begin(loop->operands()))
        if (auto *node = dyn_cast_or_null<MDNode>(option); node && !isa<DILocation>(node))
          for (const MDOperand &operand : node->operands())
            if (auto *accesses = dyn_cast_or_null<MDNode>(operand); accesses && accesses->isDistinct())
              clone.map.MD()[accesses].reset(accesses);
  CloneFunctionInto(clone.function, &function, clone.map, CloneFunctionChangeType::LocalChangesOnly, clone.returns);
}
