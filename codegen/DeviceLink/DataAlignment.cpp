#include "codegen/DeviceLink/DataAlignment.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static const Align widestAccess(16);
/// Of cudaMalloc; an access of a warp begins with a sector of the memory then.
static const Align ofAllocations(256);

static Align alignmentFor(uint64_t bytes) {
  return bytes >= 16 * ofAllocations.value() ? ofAllocations : bytes >= widestAccess.value() ? widestAccess : Align();
}

/// True for the structure that LLVM code has as an array's or a pointer's descriptor.
static bool isDescriptor(const Type *type) {
  auto *structure = dyn_cast<StructType>(type);
  return structure && structure->getNumElements() >= 7 && structure->getElementType(0)->isPointerTy() &&
         structure->getElementType(1)->isIntegerTy(64) && structure->getElementType(2)->isIntegerTy(32) &&
         all_of(structure->elements().slice(3, 4), [](const Type *field) { return field->isIntegerTy(8); });
}

/// Notes the alignment of both sides of `copy` if one of them is a local descriptor.
static void alignCopy(MemTransferInst &copy) {
  for (const Value *side : {copy.getDest(), copy.getSource()}) {
    auto *local = dyn_cast<AllocaInst>(side);
    if (!local || !isDescriptor(local->getAllocatedType()))
      continue;
    Align needed = copy.getDataLayout().getABITypeAlign(local->getAllocatedType());
    copy.setDestAlignment(std::max(copy.getDestAlign().valueOrOne(), needed));
    copy.setSourceAlignment(std::max(copy.getSourceAlign().valueOrOne(), needed));
  }
}

static void alignLocal(AllocaInst &variable) {
  std::optional<TypeSize> bytes = variable.getAllocationSize(variable.getDataLayout());
  if (bytes && !bytes->isScalable())
    variable.setAlignment(std::max(variable.getAlign(), std::min(alignmentFor(bytes->getFixedValue()), widestAccess)));
}

void cufort::codegen::alignData(Module &module) {
  for (GlobalVariable &variable : module.globals()) {
    // Without an alignment of its own a variable has that of its type, which may be more than this one.
    Align own = variable.getAlign().value_or(module.getDataLayout().getABITypeAlign(variable.getValueType()));
    Align wanted = alignmentFor(module.getDataLayout().getTypeAllocSize(variable.getValueType()));
    if (!variable.isDeclaration() && variable.getAddressSpace() != 3 && wanted > own)
      variable.setAlignment(wanted);
  }
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (auto *variable = dyn_cast<AllocaInst>(&instruction))
        alignLocal(*variable);
      else if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
        alignCopy(*copy);
    }
}
