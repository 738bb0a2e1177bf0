#include "codegen/Support/CloneFunction.h"
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
  CloneFunctionInto(clone.function, &function, clone.map, CloneFunctionChangeType::LocalChangesOnly, clone.returns);
}
