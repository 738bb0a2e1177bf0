#include "codegen/Device/PaddedRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

/// Of a record with more components, so many loads and stores would be longer than what they save.
constexpr unsigned mostComponents = 64;

/// A number, address or vector somewhere in a record.
struct Component {
  SmallVector<unsigned, 4> path; ///< as insertvalue and extractvalue take it
  Type *type;
  uint64_t offset; ///< in bytes from the start of the record
};

/// Finds the components of a record, down to those of records and arrays in it.
class Components {
public:
  explicit Components(const DataLayout &layout) : layout(layout) {}

  /// Fails if there are too many.
  bool add(Type *type, uint64_t offset) {
    if (auto *record = dyn_cast<StructType>(type)) {
      const StructLayout *places = layout.getStructLayout(record);
      padded |= places->hasPadding();
      return all_of(seq(record->getNumElements()), [&](unsigned number) {
        return addPart(number, record->getElementType(number), offset + places->getElementOffset(number));
      });
    }
    if (auto *array = dyn_cast<ArrayType>(type)) {
      uint64_t size = layout.getTypeAllocSize(array->getElementType());
      return array->getNumElements() <= mostComponents && all_of(seq(array->getNumElements()), [&](uint64_t number) {
               return addPart(number, array->getElementType(), offset + number * size);
             });
    }
    found.push_back({path, type, offset});
    return found.size() <= mostComponents;
  }

  SmallVector<Component> found;
  bool padded = false;

private:
  bool addPart(unsigned number, Type *type, uint64_t offset) {
    path.push_back(number);
    bool done = add(type, offset);
    path.pop_back();
    return done;
  }

  const DataLayout &layout;
  SmallVector<unsigned, 4> path;
};

/// The components of `type`, or none if it is to stay as it is.
SmallVector<Component> componentsOf(Type *type, const DataLayout &layout) {
  Components components(layout);
  if (!type->isStructTy() || type->isScalableTy() || !components.add(type, 0) || !components.padded)
    return {};
  return std::move(components.found);
}

Value *addressOf(IRBuilder<> &builder, Value *record, const Component &component) {
  return component.offset ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, component.offset) : record;
}

void split(LoadInst &load, ArrayRef<Component> components) {
  IRBuilder<> builder(&load);
  Value *record = PoisonValue::get(load.getType());
  for (const Component &component : components) {
    LoadInst *part = builder.CreateAlignedLoad(component.type, addressOf(builder, load.getPointerOperand(), component),
                                               commonAlignment(load.getAlign(), component.offset));
    part->setAAMetadata(load.getAAMetadata());
    record = builder.CreateInsertValue(record, part, component.path);
  }
  load.replaceAllUsesWith(record);
  load.eraseFromParent();
}

void split(StoreInst &store, ArrayRef<Component> components) {
  IRBuilder<> builder(&store);
  for (const Component &component : components) {
    Value *part = builder.CreateExtractValue(store.getValueOperand(), component.path);
    StoreInst *stored = builder.CreateAlignedStore(part, addressOf(builder, store.getPointerOperand(), component),
                                                   commonAlignment(store.getAlign(), component.offset));
    stored->setAAMetadata(store.getAAMetadata());
  }
  store.eraseFromParent();
}

} // namespace

void cufort::codegen::splitPaddedRecords(Module &module) {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple()) {
        if (auto components = componentsOf(load->getType(), layout); !components.empty())
          split(*load, components);
      } else if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple()) {
        if (auto components = componentsOf(store->getValueOperand()->getType(), layout); !components.empty())
          split(*store, components);
      }
    }
}
