#include "codegen/DeviceLink/ModuleArrays.h"
#include "codegen/DeviceLink/ArrayOrigins.h"
#include "flang/ISO_Fortran_binding.h"
#include "runtime/ABI/ArrayOrigin.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

constexpr unsigned globalMemory = 1, constantMemory = 4;
/// What variables may have of constant memory. The rest of 64 KB is left to what ptxas puts there.
constexpr uint64_t mostConstantBytes = 60 * 1024;

/// True for the descriptor of a variable with `attribute`.
bool isDescriptor(const GlobalVariable &variable, int attribute) {
  constexpr unsigned versionField = 2, attributeField = 5;
  const ConstantStruct *initial = cufort::codegen::initialDescriptor(variable);
  if (!initial || initial->getNumOperands() <= attributeField || !initial->getOperand(0)->getType()->isPointerTy())
    return false;
  auto isField = [&](unsigned field, uint64_t value) {
    auto *constant = dyn_cast<ConstantInt>(initial->getOperand(field));
    return constant && constant->equalsInt(value);
  };
  return isField(versionField, CFI_VERSION) && isField(attributeField, attribute);
}

/// True if device code does nothing but load from what `address` points at.
bool isOnlyLoaded(const Value &address) {
  return all_of(address.uses(), [](const Use &use) {
    const User *user = use.getUser();
    if (isa<GEPOperator, AddrSpaceCastOperator>(user))
      return isOnlyLoaded(*user);
    auto *copy = dyn_cast<MemTransferInst>(user);
    return isa<LoadInst>(user) || (copy && &copy->getRawSourceUse() == &use && !copy->isVolatile());
  });
}

/// True for the descriptor of a variable of a module that device code only loads from, by its generic address.
bool canBeConstant(GlobalVariable &variable) {
  variable.removeDeadConstantUsers();
  return variable.getAddressSpace() == globalMemory &&
         (isDescriptor(variable, CFI_attribute_allocatable) || isDescriptor(variable, CFI_attribute_pointer)) &&
         all_of(variable.users(), [](const User *user) { return isa<AddrSpaceCastOperator>(user); }) &&
         isOnlyLoaded(variable);
}

/// Moves `variable`, for which that is true, to constant memory. Returns what is there.
GlobalVariable *moveToConstantMemory(GlobalVariable &variable) {
  auto *moved =
      new GlobalVariable(*variable.getParent(), variable.getValueType(), variable.isConstant(), variable.getLinkage(),
                         variable.getInitializer(), "", &variable, GlobalValue::NotThreadLocal, constantMemory);
  moved->copyAttributesFrom(&variable);
  moved->takeName(&variable);
  for (User *user : to_vector(variable.users()))
    user->replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(moved, user->getType()));
  variable.removeDeadConstantUsers();
  variable.eraseFromParent();
  return moved;
}

/// The loads of a function from descriptors of allocatable variables and pointers.
class DescriptorLoads {
public:
  explicit DescriptorLoads(const DataLayout &layout) : layout(layout) {}

  /// Notes what is known of `load`; true if that is something.
  bool note(LoadInst &load) {
    APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
    const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true, /*AllowInvariantGroup=*/false, /*ExternalAnalysis=*/nullptr,
        /*LookThroughIntToPtr=*/false);
    auto *variable = dyn_cast<GlobalVariable>(base->stripPointerCasts());
    if (!variable || load.isVolatile() || load.isAtomic())
      return false;
    // Device code may associate a pointer with memory of a thread.
    if (!isDescriptor(*variable, CFI_attribute_allocatable) &&
        !(isDescriptor(*variable, CFI_attribute_pointer) && isUnchanged(*variable)))
      return false;
    if (isUnchanged(*variable))
      noteInvariant(load);
    bool isAddress = offset.isZero() ||
                     (cufort::codegen::hasOrigin(*variable) && offset == cufort::codegen::placeOfOrigin(*variable));
    if (isAddress && load.getType() == PointerType::get(load.getContext(), 0)) {
      noteGlobal(load);
      if (variable->hasAttribute(cufort::codegen::ModuleArrays::textureAttribute))
        textures.insert(&load);
    }
    return true;
  }

  /// Notes that `load` reads the target of a texture, if it does.
  void noteTexture(LoadInst &load) {
    SmallVector<const Value *> objects;
    getUnderlyingObjects(load.getPointerOperand(), objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    if (!textures.empty() && !load.isVolatile() &&
        all_of(objects, [&](const Value *object) { return textures.contains(object); }))
      noteInvariant(load);
  }

private:
  bool isUnchanged(const GlobalVariable &variable) {
    auto [known, isNew] = unchanged.try_emplace(&variable, false);
    if (isNew)
      known->second = isOnlyLoaded(variable);
    return known->second;
  }

  static void noteInvariant(LoadInst &load) {
    load.setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load.getContext(), {}));
  }

  static void noteGlobal(LoadInst &load) {
    IRBuilder<> builder(load.getNextNode());
    Value *global = builder.CreateAddrSpaceCast(&load, PointerType::get(load.getContext(), globalMemory));
    Value *generic = builder.CreateAddrSpaceCast(global, load.getType());
    load.replaceUsesWithIf(generic, [&](Use &use) { return use.getUser() != global; });
  }

  const DataLayout &layout;
  DenseMap<const GlobalVariable *, bool> unchanged;
  SmallPtrSet<const Value *, 4> textures; ///< the loads of their addresses
};

} // namespace

void cufort::codegen::placeDescriptors(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  auto sizeOf = [&](const GlobalVariable &variable) {
    return layout.getTypeAllocSize(variable.getValueType()).getFixedValue();
  };
  uint64_t used = 0;
  for (const GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == constantMemory)
      used = alignTo(used, 16) + sizeOf(variable);
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    bool isAllocatable = isDescriptor(variable, CFI_attribute_allocatable);
    uint64_t size = sizeOf(variable) + (isAllocatable ? CUFORT_ORIGIN_BYTES : 0);
    if (!canBeConstant(variable) || alignTo(used, 16) + size > mostConstantBytes)
      continue;
    used = alignTo(used, 16) + size;
    GlobalVariable *moved = moveToConstantMemory(variable);
    if (isAllocatable)
      appendOrigin(*moved);
  }
}

PreservedAnalyses cufort::codegen::ModuleArrays::run(Function &function, FunctionAnalysisManager &) {
  DescriptorLoads loads(function.getDataLayout());
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      changed |= loads.note(*load);
  if (!changed)
    return PreservedAnalyses::all();
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      loads.noteTexture(*load);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
