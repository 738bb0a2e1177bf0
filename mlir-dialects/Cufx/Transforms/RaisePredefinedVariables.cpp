// Flang makes the predefined variables module variables of __fortran_builtins. No such storage exists: a read of a
// component is a read of a special register. In: loads through hlfir.designate of their declares. Out: cufx.extent,
// plus one for the indices, which count from 1 in Fortran.

#include "mlir-dialects/Cufx/Transforms/RaisePredefinedVariables.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

std::optional<Extent> predefinedVariable(StringRef symbol) {
  if (!symbol.consume_front("_QM__fortran_builtinsE__builtin_"))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Extent>>(symbol)
      .Case("threadidx", Extent::ThreadIdx)
      .Case("blockidx", Extent::BlockIdx)
      .Case("blockdim", Extent::BlockDim)
      .Case("griddim", Extent::GridDim)
      .Default(std::nullopt);
}

std::optional<Axis> axisOf(StringRef component) { return symbolizeAxis(component); }

/// The value that Fortran sees.
Value createFortranExtent(OpBuilder &builder, Location loc, Extent what, Axis axis) {
  Value value = ExtentOp::create(builder, loc, builder.getI32Type(), what, axis);
  if (what == Extent::BlockDim || what == Extent::GridDim)
    return value;
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  return arith::AddIOp::create(builder, loc, value, one);
}

/// Replaces the loads of one component; true if nothing else used it.
bool replaceComponentLoads(hlfir::DesignateOp designate, Extent what, Axis axis) {
  bool onlyLoads = true;
  for (Operation *user : llvm::make_early_inc_range(designate->getUsers())) {
    auto load = dyn_cast<fir::LoadOp>(user);
    if (!load || !isInDeviceCode(load)) {
      onlyLoads = false;
      continue;
    }
    OpBuilder builder(load);
    load.replaceAllUsesWith(createFortranExtent(builder, load.getLoc(), what, axis));
    load.erase();
  }
  return onlyLoads;
}

/// A private dim3 that holds the variable, for uses other than reading a component.
Value createCopy(fir::AddrOfOp address, Extent what) {
  OpBuilder builder(address);
  Location loc = address.getLoc();
  auto type = cast<fir::RecordType>(fir::unwrapRefType(address.getType()));
  Value copy = fir::AllocaOp::create(builder, loc, type);
  for (auto [index, field] : llvm::enumerate(type.getTypeList())) {
    Value fieldIndex = fir::FieldIndexOp::create(builder, loc, fir::FieldType::get(type.getContext()), field.first,
                                                 type, ValueRange{});
    Value component = fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(field.second), copy, fieldIndex);
    Value value = createFortranExtent(builder, loc, what, static_cast<Axis>(index));
    fir::StoreOp::create(builder, loc, value, component);
  }
  return copy;
}

void raiseVariable(fir::AddrOfOp address, Extent what) {
  bool needsCopy = false;
  for (Operation *user : llvm::make_early_inc_range(address->getUsers())) {
    auto declare = dyn_cast<hlfir::DeclareOp>(user);
    if (!declare) {
      needsCopy = true;
      continue;
    }
    for (Operation *use : llvm::make_early_inc_range(declare->getUsers())) {
      auto designate = dyn_cast<hlfir::DesignateOp>(use);
      auto axis = designate && designate.getComponent() ? axisOf(*designate.getComponent()) : std::nullopt;
      if (axis && replaceComponentLoads(designate, what, *axis))
        designate.erase();
      else
        needsCopy = true;
    }
    if (declare->use_empty())
      declare.erase();
  }
  if (needsCopy && isInDeviceCode(address))
    address.getResult().replaceAllUsesWith(createCopy(address, what));
  if (address->use_empty())
    address.erase();
}

} // namespace

void cufort::cufx::raisePredefinedVariables(ModuleOp module) {
  SmallVector<std::pair<fir::AddrOfOp, Extent>> found;
  module.walk([&](fir::AddrOfOp address) {
    if (auto what = predefinedVariable(address.getSymbol().getRootReference()))
      found.emplace_back(address, *what);
  });
  for (auto [address, what] : found)
    raiseVariable(address, what);
}
