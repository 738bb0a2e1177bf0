// Flang's code compares the dynamic type of a polymorphic object with the address of a type's description, a table for
// the runtime library which names procedures of the host. Device code has a description of its own, of which the
// address counts. It holds the address of the description of the parent type, which CLASS IS follows, that of the
// function which resets a dummy argument with INTENT(OUT), and those of the type's procedures that run on the device.
//
// In: device code with SELECT TYPE, fir.dispatch, and descriptors of objects of derived types. Out: calls through these
// descriptions; a constant for each of these
// types and those that they extend, under the name by which code generation looks for the description of a type; and a
// fir.type_info, which tells the order of guards, without the procedures of the type.
//
// A descriptor that the host has filled, of an allocatable variable, say, has the address of the host's table. Where an
// object that is not polymorphic becomes one, the type that is known when the program is compiled goes into the
// descriptor.

#include "flang/Optimizer/Dialect/FIRAttr.h"
#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DynamicTypes.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/ResetObjects.h"
#include "mlir-dialects/Cufx/Transforms/TypeBoundCalls.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SetVector.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_DESCRIBETYPES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True if a descriptor with a type that is known becomes one of a polymorphic object.
bool makesPolymorphic(Operation *op) {
  auto source = dyn_cast<fir::BoxType>(op->getOperand(0).getType());
  return source && isa_and_nonnull<fir::RecordType>(source.unwrapInnerType()) &&
         isa<fir::ClassType>(op->getResult(0).getType());
}

/// Replaces `rebox` by one that takes the type from its operand's, and a conversion.
void keepKnownType(fir::ReboxOp rebox) {
  if (!makesPolymorphic(rebox))
    return;
  // Of a component the lowering tells the type.
  auto slice = rebox.getSlice() ? rebox.getSlice().getDefiningOp<fir::SliceOp>() : fir::SliceOp();
  if (rebox.getSlice() && (!slice || !slice.getFields().empty()))
    return;
  auto result = cast<fir::ClassType>(rebox.getType());
  Type element = cast<fir::BoxType>(rebox.getBox().getType()).unwrapInnerType();
  OpBuilder builder(rebox);
  auto known = fir::BoxType::get(withElement(result.getEleTy(), element));
  rebox.getResult().setType(known);
  builder.setInsertionPointAfter(rebox);
  auto convert = fir::ConvertOp::create(builder, rebox.getLoc(), result, rebox);
  rebox.getResult().replaceAllUsesExcept(convert, convert);
}

/// The same for a descriptor that is used as it was found in memory.
void keepKnownType(fir::ConvertOp convert) {
  auto load = convert.getValue().getDefiningOp<fir::LoadOp>();
  if (!load || !makesPolymorphic(convert))
    return;
  OpBuilder builder(convert);
  Value known = fir::ReboxOp::create(builder, convert.getLoc(), load.getType(), load, Value(), Value());
  convert.getValueMutable().assign(known);
}

class Describer {
public:
  Describer(ModuleOp module, gpu::GPUModuleOp device) : module(module), device(device) {}

  void run() {
    SmallVector<Operation *> operations;
    device.walk([&](Operation *op) { operations.push_back(op); });
    for (Operation *op : operations) {
      if (auto rebox = dyn_cast<fir::ReboxOp>(op))
        keepKnownType(rebox);
      else if (auto convert = dyn_cast<fir::ConvertOp>(op))
        keepKnownType(convert);
      else if (auto dispatch = dyn_cast<fir::DispatchOp>(op))
        callThroughDescription(module, dispatch);
    }
    device.walk([&](Operation *op) { collectTypes(op); });
    // Parents are added behind.
    for (unsigned i = 0; i < names.size(); ++i)
      if (StringRef parent = parentOf(names[i]); !parent.empty())
        names.insert(parent);
    for (StringRef name : names)
      describe(name);
    eraseUnusedResets();
  }

private:
  void collectTypes(Operation *op) {
    if (isa<fir::EmboxOp, fir::ReboxOp, fir::ConvertOp>(op))
      if (auto box = dyn_cast<fir::BaseBoxType>(op->getResult(0).getType()))
        note(box.unwrapInnerType());
    if (auto description = dyn_cast<fir::TypeDescOp>(op))
      note(description.getInType());
    auto select = dyn_cast<fir::SelectTypeOp>(op);
    if (!select)
      return;
    for (Attribute guard : select.getCases())
      if (auto exact = dyn_cast<fir::ExactTypeAttr>(guard))
        note(exact.getType());
      else if (auto subclass = dyn_cast<fir::SubclassAttr>(guard))
        note(subclass.getType());
  }

  void note(Type type) {
    if (auto record = dyn_cast_or_null<fir::RecordType>(type))
      names.insert(record.getName());
  }

  StringRef parentOf(StringRef type) {
    auto info = module.lookupSymbol<fir::TypeInfoOp>(type);
    return info ? info.getIfParentName().value_or("") : StringRef();
  }

  /// Those of types that no object with CLASS has.
  void eraseUnusedResets() {
    for (auto func : llvm::make_early_inc_range(device.getOps<func::FuncOp>()))
      if (func.getName().starts_with(resetFunctionPrefix) && SymbolTable::symbolKnownUseEmpty(func, device))
        func.erase();
  }

  void describe(StringRef type) {
    std::string name = fir::NameUniquer::getTypeDescriptorName(type);
    if (device.lookupSymbol(name))
      return;
    Location loc = module.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(device.getBody());
    if (auto info = module.lookupSymbol<fir::TypeInfoOp>(type))
      for (Region &region : builder.clone(*info)->getRegions())
        region.getBlocks().clear();
    Type address = fir::ReferenceType::get(builder.getI8Type());
    SmallVector<Value> contents;
    SmallVector<fir::DTEntryOp> bindings = bindingsOf(module, type);
    Type table = fir::SequenceType::get({static_cast<int64_t>(bindings.size()) + 2}, address);
    auto global = fir::GlobalOp::create(builder, loc, name, /*isConstant=*/true, /*isTarget=*/false, table,
                                        /*initialValue=*/Attribute(), builder.getStringAttr("linkonce_odr"));
    builder.createBlock(&global.getRegion());
    contents.push_back(addressOfParent(builder, type, address));
    contents.push_back(addressOfReset(builder, type, address));
    for (fir::DTEntryOp binding : bindings)
      contents.push_back(addressOfProcedure(builder, binding, address));
    Value whole = fir::UndefOp::create(builder, loc, table);
    for (auto [i, content] : llvm::enumerate(contents))
      whole = fir::InsertValueOp::create(builder, loc, table, whole, content,
                                         builder.getArrayAttr(builder.getIntegerAttr(builder.getIndexType(), i)));
    fir::HasValueOp::create(builder, loc, whole);
  }

  Value addressOfParent(OpBuilder &builder, StringRef type, Type address) {
    Location loc = module.getLoc();
    StringRef parent = parentOf(type);
    if (parent.empty())
      return fir::ZeroOp::create(builder, loc, address);
    auto symbol = SymbolRefAttr::get(builder.getContext(), fir::NameUniquer::getTypeDescriptorName(parent));
    Value place = fir::AddrOfOp::create(builder, loc, fir::ReferenceType::get(address), symbol);
    return fir::ConvertOp::create(builder, loc, address, place);
  }

  /// Null for a type whose records need no initial values.
  Value addressOfReset(OpBuilder &builder, StringRef type, Type address) {
    Location loc = module.getLoc();
    auto reset = device.lookupSymbol<func::FuncOp>(resetFunctionName(type));
    if (!reset)
      return fir::ZeroOp::create(builder, loc, address);
    Value place = fir::AddrOfOp::create(builder, loc, reset.getFunctionType(), SymbolRefAttr::get(reset));
    return fir::ConvertOp::create(builder, loc, address, place);
  }

  /// Null for a procedure of the host.
  Value addressOfProcedure(OpBuilder &builder, fir::DTEntryOp binding, Type address) {
    Location loc = module.getLoc();
    auto procedure = binding.getDeferred() ? func::FuncOp() : procedureOnDevice(binding.getProc().getRootReference());
    if (!procedure)
      return fir::ZeroOp::create(builder, loc, address);
    Value place = fir::AddrOfOp::create(builder, loc, procedure.getFunctionType(), binding.getProc());
    return fir::ConvertOp::create(builder, loc, address, place);
  }

  /// Declares a device procedure of another source. Null for a procedure of the host.
  func::FuncOp procedureOnDevice(StringAttr name) {
    if (auto own = device.lookupSymbol<func::FuncOp>(name))
      return own;
    auto procedure = module.lookupSymbol<func::FuncOp>(name);
    if (!procedure || !isDeviceProcedure(procedure))
      return {};
    OpBuilder builder = OpBuilder::atBlockEnd(device.getBody());
    auto declaration = cast<func::FuncOp>(builder.clone(*procedure));
    declaration.getBody().getBlocks().clear();
    declaration.setPrivate();
    return declaration;
  }

  ModuleOp module;
  gpu::GPUModuleOp device;
  llvm::SetVector<StringRef> names;
};

struct DescribeTypesPass : cufort::cufx::impl::DescribeTypesBase<DescribeTypesPass> {
  void runOnOperation() override {
    for (auto device : getOperation().getOps<gpu::GPUModuleOp>())
      Describer(getOperation(), device).run();
  }
};

} // namespace
