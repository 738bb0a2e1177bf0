// CufortImage as LLVM constants. Layouts: runtime/ABI/RuntimeABI.h.

#include "codegen/DeviceLink/ImageObject.h"
#include "codegen/DeviceLink/GuardedVariable.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Object/ELF.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// Before user constructors: these may launch kernels.
constexpr int constructorPriority = 101;

constexpr StringLiteral fatBinarySection = "cufort_fatbinary";
constexpr unsigned fatBinaryAlignment = 16;

class ImageBuilder {
public:
  explicit ImageBuilder(Module &module)
      : module(module), context(module.getContext()), pointer(PointerType::get(context, 0)),
        i32(Type::getInt32Ty(context)), i64(Type::getInt64Ty(context)) {}

  void build(StringRef fatBinary, const std::vector<EmulatedKernel> &kernels, StringRef section) {
    auto [variables, variableCount] = createVariables();
    auto [kernelTable, kernelTableType] = createKernels(kernels);
    Constant *fields[] = {number(CUFORT_ABI_VERSION),
                          number(0),
                          createFatBinary(fatBinary),
                          boundary("__start_", section),
                          boundary("__stop_", section),
                          kernelTable,
                          endOf(kernelTable, kernelTableType),
                          variables,
                          endOf(variables, variableCount)};
    auto *type = StructType::get(context, {i32, i32, pointer, pointer, pointer, pointer, pointer, pointer, pointer});
    auto *image = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                                     ConstantStruct::get(type, fields), "cufort.image");
    appendToGlobalCtors(module, createCall("cufortRegisterImage", image), constructorPriority);
    appendToGlobalDtors(module, createCall("cufortUnregisterImage", image), constructorPriority);
  }

private:
  using Table = std::pair<Constant *, Type *>;

  Constant *number(uint64_t value) { return ConstantInt::get(i32, value); }
  Constant *wide(uint64_t value) { return ConstantInt::get(i64, value); }

  Constant *createFatBinary(StringRef bytes) {
    Constant *data = ConstantDataArray::getString(context, bytes, /*AddNull=*/false);
    auto *global =
        new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, "cufort.fatbinary");
    global->setAlignment(Align(fatBinaryAlignment));
    global->setSection(fatBinarySection);
    return global;
  }

  Constant *createText(StringRef text) {
    Constant *data = ConstantDataArray::getString(context, text);
    auto *global = new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "cufort.text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return global;
  }

  /// A symbol that the linker makes at one end of a section. Weak: a program may have no entries.
  Constant *boundary(StringRef prefix, StringRef section) {
    auto *symbol = new GlobalVariable(module, Type::getInt8Ty(context), false, GlobalValue::ExternalWeakLinkage,
                                      nullptr, prefix + section);
    symbol->setVisibility(GlobalValue::HiddenVisibility);
    return symbol;
  }

  Table createTable(ArrayRef<Constant *> rows, StringRef name) {
    if (rows.empty())
      return {ConstantPointerNull::get(pointer), nullptr};
    auto *type = ArrayType::get(rows.front()->getType(), rows.size());
    return {new GlobalVariable(module, type, true, GlobalValue::InternalLinkage, ConstantArray::get(type, rows), name),
            type};
  }

  Constant *endOf(Constant *table, Type *type) {
    return type ? ConstantExpr::getGetElementPtr(type, table, wide(1)) : table;
  }

  Table createKernels(const std::vector<EmulatedKernel> &kernels) {
    SmallVector<Constant *> rows;
    for (const EmulatedKernel &kernel : kernels) {
      Constant *sizes = ConstantDataArray::get(context, ArrayRef(kernel.parameterSizes));
      auto *sizeTable =
          new GlobalVariable(module, sizes->getType(), true, GlobalValue::PrivateLinkage, sizes, "cufort.sizes");
      auto functionOrNull = [&](Function *function) {
        return function ? static_cast<Constant *>(function) : ConstantPointerNull::get(pointer);
      };
      rows.push_back(ConstantStruct::getAnon(
          {createText(kernel.name), kernel.thread, functionOrNull(kernel.blocks), sizeTable,
           number(kernel.parameterSizes.size()), number(kernel.staticSharedBytes), number(kernel.maxThreads),
           number(kernel.flags), number(kernel.clusterDim[0]), number(kernel.clusterDim[1]),
           number(kernel.clusterDim[2]), number(0), functionOrNull(kernel.resume), wide(kernel.phaseBytes)}));
    }
    return createTable(rows, "cufort.emulated.kernels");
  }

  /// Device variables are the external variables that the device code defines.
  Table createVariables() {
    SmallVector<Constant *> rows;
    SmallVector<GlobalVariable *> variables;
    for (GlobalVariable &global : module.globals())
      if (!global.isDeclaration() && global.hasExternalLinkage() && !global.getName().starts_with("llvm."))
        variables.push_back(&global);
    for (GlobalVariable *global : variables) {
      Constant *name = createText(global->getName());
      GuardedVariable variable = guardVariable(*global);
      Constant *address = ConstantExpr::getPointerBitCastOrAddrSpaceCast(variable.address, pointer);
      rows.push_back(ConstantStruct::getAnon({name, address, wide(variable.bytes), wide(variable.guardBytes)}));
    }
    return createTable(rows, "cufort.emulated.variables");
  }

  Function *createCall(StringRef callee, Constant *image) {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    auto *function = Function::Create(type, GlobalValue::InternalLinkage, callee + ".image", module);
    IRBuilder<> builder(BasicBlock::Create(context, "", function));
    builder.CreateCall(module.getOrInsertFunction(callee, Type::getVoidTy(context), pointer), {image});
    builder.CreateRetVoid();
    return function;
  }

  Module &module;
  LLVMContext &context;
  PointerType *pointer;
  Type *i32, *i64;
};

} // namespace

void cufort::codegen::addImage(Module &module, StringRef fatBinary, const std::vector<EmulatedKernel> &kernels,
                               StringRef entrySection) {
  ImageBuilder(module).build(fatBinary, kernels, entrySection);
}

/// The header of section `name` of the object in `bytes`, or null.
static object::ELF64LE::Shdr *findSection(MutableArrayRef<char> bytes, StringRef name) {
  auto file = object::ELF64LEFile::create(StringRef(bytes.data(), bytes.size()));
  if (!file)
    return consumeError(file.takeError()), nullptr;
  auto sections = file->sections();
  if (!sections)
    return consumeError(sections.takeError()), nullptr;
  for (const object::ELF64LE::Shdr &section : *sections) {
    auto found = file->getSectionName(section);
    if (!found)
      consumeError(found.takeError());
    else if (*found == name)
      return const_cast<object::ELF64LE::Shdr *>(&section);
  }
  return nullptr;
}

// llvm-objcopy could do this, but leaves the symbols of a section that grows without one (LLVM 22).
Error cufort::codegen::replaceFatBinary(SmallVector<char, 0> &object, StringRef fatBinary) {
  size_t start = alignTo(object.size(), fatBinaryAlignment);
  object.resize(start);
  object.append(fatBinary.begin(), fatBinary.end());
  object::ELF64LE::Shdr *section = findSection(object, fatBinarySection);
  if (!section)
    return createStringError("the image object has no section for GPU code");
  section->sh_offset = start;
  section->sh_size = fatBinary.size();
  return Error::success();
}
