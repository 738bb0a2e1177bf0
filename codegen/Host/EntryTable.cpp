// Entries: how a host symbol is found on the device.

#include "codegen/Host/EntryTable.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "flang/Support/Fortran.h"
#include "mlir-dialects/Cufx/Transforms/DescriptorCopies.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace cufort::codegen;

/// The kernel's or variable's name as the user wrote it; a CUF kernel is named after its procedure.
static std::string fortranName(llvm::StringRef symbol) {
  llvm::StringRef procedure = symbol;
  if (procedure.consume_front("_QQcufkernel_")) {
    procedure = procedure.substr(0, procedure.rfind('_'));
    auto parts = fir::NameUniquer::deconstruct(procedure);
    std::string name = procedure == "_QQmain" ? "the main program" : parts.second.name;
    return "CUF kernel in " + name;
  }
  auto parts = fir::NameUniquer::deconstruct(symbol);
  return parts.second.name.empty() ? symbol.str() : parts.second.name;
}

static unsigned variableFlags(fir::GlobalOp global) {
  unsigned flags = 0;
  switch (*global.getDataAttr()) {
  case cuf::DataAttribute::Constant:
    flags |= CufortEntryConstant;
    break;
  case cuf::DataAttribute::Managed:
  case cuf::DataAttribute::Unified:
    flags |= CufortEntryManaged;
    break;
  default:
    break;
  }
  if (mlir::isa<fir::BaseBoxType>(global.getType()) || global->hasAttr(cufort::cufx::hostAddressAttribute))
    flags |= CufortEntryDescriptor;
  // Of managed variables, too: assignment, MOVE_ALLOC and procedures without the attribute change them as any variable.
  bool isManagedDescriptor = (flags & CufortEntryManaged) && (flags & CufortEntryDescriptor);
  if (isManagedDescriptor || global->hasAttr(cufort::cufx::followsHostAttribute))
    flags |= CufortEntryFollowed;
  auto record = mlir::dyn_cast<fir::RecordType>(fir::unwrapSequenceType(global.getType()));
  if (record && (flags & CufortEntryManaged) && cufort::cufx::holdsDescriptors(record))
    flags |= CufortEntryReadMostly;
  return flags;
}

/// The symbol in host and device code: a procedure outside modules has its linker name there.
static std::string linkName(llvm::StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  if (fir::NameUniquer::needExternalNameMangling(symbol))
    return Fortran::common::GetExternalAssemblyName(parts.second.name, /*underscoring=*/true);
  return symbol.str();
}

std::vector<Entry> cufort::codegen::collectEntries(mlir::ModuleOp host) {
  std::vector<Entry> entries;
  for (auto device : host.getOps<mlir::gpu::GPUModuleOp>()) {
    for (auto func : device.getOps<mlir::func::FuncOp>())
      if (cufx::isKernel(func) && !func.isDeclaration())
        entries.push_back(
            {linkName(func.getSymName()), fortranName(func.getSymName()), true,
             cufx::procAttribute(func) == cuf::ProcAttribute::GridGlobal ? unsigned(CufortEntryCooperative) : 0u});
    for (auto global : device.getOps<fir::GlobalOp>()) {
      bool isDefined = global.hasInitializationBody() || global.getInitVal();
      if (isDefined && global.getDataAttr())
        entries.push_back({global.getSymName().str(), fortranName(global.getSymName()), false, variableFlags(global)});
    }
  }
  return entries;
}

static llvm::Constant *createText(llvm::Module &module, llvm::StringRef text) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
  auto *global = new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, bytes, "cufort.text");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

/// On the host the address of a device variable is a name, and nothing is there: arrays of gigabytes, which are in the
/// program for the emulated device already, need no memory for it. Returns what `symbol` is then.
static llvm::GlobalValue *withoutMemory(llvm::GlobalValue *symbol, const Entry &entry) {
  constexpr uint64_t large = 64 << 10;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(symbol);
  bool isRead = (entry.flags & (CufortEntryManaged | CufortEntryDescriptor)) || entry.isKernel;
  if (!variable || isRead || variable->isDeclaration() || variable->getAddressSpace() != 0)
    return symbol;
  llvm::Module &host = *variable->getParent();
  bool isNameOnly = llvm::all_of(variable->users(), [](llvm::User *user) { return llvm::isa<llvm::CallBase>(user); });
  if (!isNameOnly || host.getDataLayout().getTypeAllocSize(variable->getValueType()) < large)
    return symbol;
  llvm::Type *byte = llvm::Type::getInt8Ty(host.getContext());
  auto *name = new llvm::GlobalVariable(host, byte, /*isConstant=*/false, variable->getLinkage(),
                                        llvm::Constant::getNullValue(byte), "");
  name->copyAttributesFrom(variable);
  name->setComdat(variable->getComdat());
  name->takeName(variable);
  variable->replaceAllUsesWith(name);
  variable->eraseFromParent();
  return name;
}

void cufort::codegen::emitEntries(llvm::Module &host, const std::vector<Entry> &entries, llvm::StringRef section) {
  llvm::LLVMContext &context = host.getContext();
  auto *pointer = llvm::PointerType::get(context, 0);
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *i32 = llvm::Type::getInt32Ty(context);
  auto *type = llvm::StructType::get(context, {pointer, pointer, pointer, i64, i32, i32});
  llvm::SmallVector<llvm::GlobalValue *> used;
  for (const Entry &entry : entries) {
    llvm::GlobalValue *symbol = host.getNamedValue(entry.symbol);
    if (!symbol)
      continue;
    uint64_t size = entry.isKernel ? 0 : host.getDataLayout().getTypeAllocSize(symbol->getValueType()).getFixedValue();
    symbol = withoutMemory(symbol, entry);
    llvm::Constant *address = symbol;
    if (symbol->getAddressSpace() != 0)
      address = llvm::ConstantExpr::getAddrSpaceCast(symbol, pointer);
    llvm::Constant *fields[] = {address,
                                createText(host, entry.symbol),
                                createText(host, entry.fortranName),
                                llvm::ConstantInt::get(i64, size),
                                llvm::ConstantInt::get(i32, entry.isKernel ? CufortEntryKernel : CufortEntryVariable),
                                llvm::ConstantInt::get(i32, entry.flags)};
    auto *global = new llvm::GlobalVariable(host, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantStruct::get(type, fields), "cufort.entry");
    global->setSection(section);
    global->setAlignment(llvm::Align(8));
    used.push_back(global);
  }
  if (!used.empty())
    llvm::appendToUsed(host, used);
}
