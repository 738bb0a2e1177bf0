// CufortImage as LLVM constants. Layouts: runtime/ABI/RuntimeABI.h.

#include "codegen/DeviceLink/ImageObject.h"
#include "codegen/DeviceLink/GuardedVariable.h"
#include "codegen/DeviceLink/LineTable.h"
#include "codegen/DeviceLink/ObjectSections.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/IRBuilder.h"
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

  void build(StringRef fatBinary, const std::vector<EmulatedKernel> &kernels, StringRef section, bool prints) {
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
                          endOf(variables, variableCount),
                          createLines(),
                          createAnchor(),
                          createWriteOutput(prints)};
    SmallVector<Type *> types = {i32, i32};
    types.append(std::size(fields) - 2, pointer);
    auto *type = StructType::get(context, types);
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

  /// A table without lines, until addLineTable knows the code.
  Constant *createLines() {
    auto *type = ArrayType::get(i32, sizeof(CufortLineTable) / 4);
    auto *global = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage, Constant::getNullValue(type),
                                      "cufort.lines");
    global->setAlignment(Align(alignof(CufortLineTable)));
    global->setSection(lineTableSection);
    return global;
  }

  /// A place in the code that the table counts from.
  Function *createAnchor() {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    auto *function = Function::Create(type, GlobalValue::InternalLinkage, lineTableAnchor, module);
    ReturnInst::Create(context, BasicBlock::Create(context, "", function));
    return function;
  }

  Constant *createWriteOutput(bool prints) {
    auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, i32}, false);
    if (!prints)
      return ConstantPointerNull::get(pointer);
    return cast<Constant>(module.getOrInsertFunction("cufortWriteOutput", type).getCallee());
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

  /// Device variables are the external variables that the device code defines; several files have the weak ones.
  Table createVariables() {
    SmallVector<Constant *> rows;
    SmallVector<GlobalVariable *> variables;
    for (GlobalVariable &global : module.globals())
      if (!global.isDeclaration() && (global.hasExternalLinkage() || global.hasWeakLinkage()) &&
          !global.getName().starts_with("llvm."))
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
                               StringRef entrySection, bool prints) {
  ImageBuilder(module).build(fatBinary, kernels, entrySection, prints);
}

Error cufort::codegen::replaceFatBinary(SmallVector<char, 0> &object, StringRef fatBinary) {
  return replaceSection(object, fatBinarySection, fatBinary, fatBinaryAlignment);
}
