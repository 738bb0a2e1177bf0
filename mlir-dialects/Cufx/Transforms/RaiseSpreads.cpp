// In: the runtime makes the result, which then becomes an expression:
//
//   fir.call @_FortranASpread(%result, %array, %dim, %ncopies, ...)
//   %box = fir.load %result
//   %extent = fir.box_dims %box, ...
//   %variable = hlfir.declare (fir.box_addr %box)
//   %expression = hlfir.as_expr %variable move %true
//
// Out: in device code, or if the array is on the device, and if DIM is a constant,
//
//   %expression = hlfir.elemental (%i, %j) { ... hlfir.designate %array (%i) ... }

#include "mlir-dialects/Cufx/Transforms/RaiseSpreads.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

struct Spread {
  fir::CallOp call;
  Value array, copies;
  unsigned dimension; ///< the new one, from 0
  fir::LoadOp box;    ///< of the result
  hlfir::DeclareOp variable;
  hlfir::AsExprOp expression;
};

/// The only user of `value` that is an `Op`, or null.
template <typename Op>
Op userOf(Value value) {
  auto found = llvm::make_filter_range(value.getUsers(), [](Operation *user) { return isa<Op>(user); });
  return llvm::hasSingleElement(found) ? cast<Op>(*found.begin()) : Op();
}

std::optional<Spread> matchSpread(fir::CallOp call) {
  if (calleeName(call) != "_FortranASpread")
    return std::nullopt;
  Spread spread{call, beforeConversion(call.getArgs()[1]), call.getArgs()[3], 0, {}, {}, {}};
  auto dimension = fir::getIntIfConstant(call.getArgs()[2]);
  spread.box = userOf<fir::LoadOp>(beforeConversion(call.getArgs()[0]));
  auto address = spread.box ? userOf<fir::BoxAddrOp>(spread.box) : fir::BoxAddrOp();
  spread.variable = address ? userOf<hlfir::DeclareOp>(address) : hlfir::DeclareOp();
  spread.expression = spread.variable ? userOf<hlfir::AsExprOp>(spread.variable.getBase()) : hlfir::AsExprOp();
  if (!dimension || !spread.expression)
    return std::nullopt;
  // The device library makes copies of strings and derived types, and Fortran's runtime does for the host.
  bool isRaised = fir::isa_trivial(hlfir::getFortranElementType(spread.array.getType())) &&
                  (isInDeviceCode(call) || isHiddenFromHost(spread.array));
  if (!isRaised)
    return std::nullopt;
  spread.dimension = *dimension - 1;
  return spread;
}

SmallVector<Value> extentsOf(const Spread &spread, fir::FirOpBuilder &builder, Location loc) {
  hlfir::Entity array{spread.array};
  SmallVector<Value> extents;
  if (array.isArray())
    extents = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, array));
  Value none = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
  Value copies = builder.createConvert(loc, builder.getIndexType(), spread.copies);
  extents.insert(extents.begin() + spread.dimension, arith::MaxSIOp::create(builder, loc, copies, none));
  return extents;
}

void raise(Spread spread, ModuleOp module) {
  fir::FirOpBuilder builder(spread.call.getOperation(), fir::getKindMapping(module));
  Location loc = spread.call.getLoc();
  SmallVector<Value> extents = extentsOf(spread, builder, loc);
  hlfir::Entity array{spread.array};
  if (array.isScalar())
    array = hlfir::loadTrivialScalar(loc, builder, array);
  SmallVector<Value> lowerBounds = array.isArray() ? lowerBoundsOf(builder, loc, array) : SmallVector<Value>();
  auto element = [&](Location loc, fir::FirOpBuilder &builder, ValueRange indices) {
    if (array.isScalar())
      return array;
    SmallVector<Value> subscripts(indices);
    subscripts.erase(subscripts.begin() + spread.dimension);
    Value place = placeInArray(builder, loc, array, lowerBounds, subscripts);
    return hlfir::Entity{fir::LoadOp::create(builder, loc, place)};
  };
  auto elemental = hlfir::genElementalOp(loc, builder, hlfir::getFortranElementType(spread.array.getType()),
                                         builder.genShape(loc, extents), ValueRange(), element, /*isUnordered=*/true,
                                         Value(), spread.expression.getType());
  spread.expression.replaceAllUsesWith(elemental.getResult());
  spread.expression.erase();
  for (Operation *user : llvm::make_early_inc_range(spread.box->getUsers()))
    if (auto dims = dyn_cast<fir::BoxDimsOp>(user))
      if (auto number = fir::getIntIfConstant(dims.getDim()))
        dims.getExtent().replaceAllUsesWith(extents[*number]);
  spread.variable.erase();
  spread.call.erase();
}

} // namespace

void cufort::cufx::raiseSpreads(ModuleOp module) {
  SmallVector<Spread> spreads;
  module.walk([&](fir::CallOp call) {
    if (auto spread = matchSpread(call))
      spreads.push_back(*spread);
  });
  for (const Spread &spread : spreads)
    raise(spread, module);
}
