// Functions of the device for records of one type.
//
// Types whose allocatable components lead back to themselves: a function for each type destroys a record, and one
// assigns it. The last component that is a scalar of the type itself, as that of a list, is followed in a loop
// instead of a call, since the stack of a GPU thread is small:
//
//   func @cufortDestroy_type(%record) {
//     destroy other components of %record
//     %next = what the last one holds, and leave it unallocated
//   ^loop(%next):
//     return if %next is null
//     destroy other components of %next
//     %behind = what the last one holds
//     free %next
//     br ^loop(%behind)
//   }

#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DefinedAssignments.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/RecordBuilder.h"
#include "mlir-dialects/Cufx/Transforms/RecordValues.h"
#include "mlir-dialects/Cufx/Transforms/ResetObjects.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cufort::cufx;

/// The component that is followed in a loop, if there is one.
static std::optional<Component> chainOf(fir::RecordType type) {
  std::optional<Component> chain;
  for (const Component &component : componentsOf(type)) {
    auto box = dyn_cast<fir::BoxType>(component.type);
    if (box && component.isAllocatable() && fir::unwrapRefType(box.getEleTy()) == type)
      chain = component;
  }
  return chain;
}

static bool isOther(const Component &component, const std::optional<Component> &chain) {
  return !chain || component.number != chain->number;
}

Value RecordBuilder::heldBy(Value record, const Component &component) {
  Value box = fir::LoadOp::create(builder, loc, addressOf(record, component));
  return fir::BoxAddrOp::create(builder, loc, box);
}

func::FuncOp RecordBuilder::findOrDefine(StringRef prefix, fir::RecordType type, unsigned parameters,
                                         void (RecordBuilder::*define)(func::FuncOp, fir::RecordType)) {
  std::string name = (prefix + type.getName()).str();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types(parameters, fir::ReferenceType::get(type));
  auto func = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  MLIRContext *context = builder.getContext();
  func->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(context, cuf::ProcAttribute::Device));
  // Other sources may have the same.
  func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::LinkonceODR));
  builder.setInsertionPointToStart(func.addEntryBlock());
  (this->*define)(func, type);
  return func;
}

void RecordBuilder::callDestroy(Value record, fir::RecordType type) {
  func::FuncOp func = findOrDefine("cufortDestroy", type, 1, &RecordBuilder::defineDestroy);
  fir::CallOp::create(builder, loc, func, ValueRange{asReference(record)});
}

void RecordBuilder::defineReset(fir::RecordType type) {
  if (needsInitialization(type) || holdsAllocatables(type) || !whyNotReset(type).empty())
    findOrDefine(resetFunctionPrefix, type, 1, &RecordBuilder::defineResetOf);
}

StringRef RecordBuilder::whyNotReset(fir::RecordType type) {
  auto info = module.lookupSymbol<fir::TypeInfoOp>(type.getName());
  for (const Component &component : componentsOf(type)) {
    if (isa<fir::ClassType>(component.type))
      return "components that have CLASS";
    if (component.isPointer() && beginsAtTarget(type, component))
      return "a pointer component that begins at a target of the host";
    fir::RecordType nested = component.record();
    StringRef why = nested ? whyNotReset(nested) : "";
    if (!why.empty())
      return why;
  }
  return info && !info.getNoFinal() ? "a final procedure" : "";
}

void RecordBuilder::defineResetOf(func::FuncOp func, fir::RecordType type) {
  Value record = func.getArgument(0);
  if (StringRef why = whyNotReset(type); !why.empty()) {
    TrapOp::create(builder, loc, ("an argument with CLASS and INTENT(OUT) has a type with " + why).str());
  } else {
    destroy(record, type);
    (void)initialize(record, type);
  }
  func::ReturnOp::create(builder, loc);
}

void RecordBuilder::callAssign(Value to, Value from, fir::RecordType type) {
  func::FuncOp func =
      findOrDefine(callsDefined ? "cufortAssignDefined" : "cufortAssign", type, 2, &RecordBuilder::defineAssign);
  fir::CallOp::create(builder, loc, func, ValueRange{asReference(to), asReference(from)});
}

void RecordBuilder::defineDestroy(func::FuncOp func, fir::RecordType type) {
  std::optional<Component> chain = chainOf(type);
  auto destroyOthers = [&](Value record) {
    for (const Component &component : componentsOf(type))
      if (isOther(component, chain))
        destroyComponent(record, component);
  };
  Value record = func.getArgument(0);
  destroyOthers(record);
  if (!chain) {
    func::ReturnOp::create(builder, loc);
    return;
  }
  Value first = heldBy(record, *chain);
  setUnallocated(addressOf(record, *chain), chain->type);
  Block *loop = builder.createBlock(&func.getBody(), func.getBody().end(), first.getType(), loc);
  Block *body = builder.createBlock(&func.getBody(), func.getBody().end());
  Block *end = builder.createBlock(&func.getBody(), func.getBody().end());
  builder.setInsertionPointToEnd(&func.getBody().front());
  cf::BranchOp::create(builder, loc, loop, first);

  builder.setInsertionPointToEnd(loop);
  Value next = loop->getArgument(0);
  cf::CondBranchOp::create(builder, loc, builder.genIsNotNullAddr(loc, next), body, end);
  builder.setInsertionPointToEnd(body);
  Value element = asReference(next);
  destroyOthers(element);
  Value behind = heldBy(element, *chain);
  fir::FreeMemOp::create(builder, loc, next);
  cf::BranchOp::create(builder, loc, loop, behind);
  builder.setInsertionPointToEnd(end);
  func::ReturnOp::create(builder, loc);
}

void RecordBuilder::defineAssign(func::FuncOp func, fir::RecordType type) {
  bool isDefined = callsDefined && definedAssignment(module, type, /*forArrays=*/false);
  std::optional<Component> chain = isDefined ? std::nullopt : chainOf(type);
  Block *entry = &func.getBody().front();
  if (!chain) {
    for (const Component &component : componentsOf(type))
      assignComponent(entry->getArgument(0), entry->getArgument(1), component);
    func::ReturnOp::create(builder, loc);
    return;
  }
  deallocate(addressOf(entry->getArgument(0), *chain), *chain);
  Type address = fir::ReferenceType::get(type);
  Block *loop = builder.createBlock(&func.getBody(), func.getBody().end(), {address, address}, {loc, loc});
  Block *more = builder.createBlock(&func.getBody(), func.getBody().end());
  Block *end = builder.createBlock(&func.getBody(), func.getBody().end());
  builder.setInsertionPointToEnd(entry);
  cf::BranchOp::create(builder, loc, loop, entry->getArguments());

  // The last component of `to` is not allocated here.
  builder.setInsertionPointToEnd(loop);
  Value to = loop->getArgument(0), from = loop->getArgument(1);
  for (const Component &component : componentsOf(type))
    if (isOther(component, chain))
      assignComponent(to, from, component);
  Value source = heldBy(from, *chain);
  cf::CondBranchOp::create(builder, loc, builder.genIsNotNullAddr(loc, source), more, end);
  builder.setInsertionPointToEnd(more);
  Value copy = allocate(type, {}, {});
  (void)initialize(asReference(copy), type);
  Value box = fir::EmboxOp::create(builder, loc, chain->type, copy);
  fir::StoreOp::create(builder, loc, box, addressOf(to, *chain));
  cf::BranchOp::create(builder, loc, loop, ValueRange{asReference(copy), asReference(source)});
  builder.setInsertionPointToEnd(end);
  func::ReturnOp::create(builder, loc);
}
