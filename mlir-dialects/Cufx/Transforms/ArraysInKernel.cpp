#include "mlir-dialects/Cufx/Transforms/ArraysInKernel.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cufort::cufx;

SmallVector<Value> cufort::cufx::lowerBoundsOf(fir::FirOpBuilder &builder, Location loc, hlfir::Entity array) {
  SmallVector<Value> bounds;
  for (auto [lower, upper] : hlfir::genBounds(loc, builder, array))
    bounds.push_back(builder.createConvert(loc, builder.getIndexType(), lower));
  return bounds;
}

static Value addConstant(fir::FirOpBuilder &builder, Location loc, Value index, int64_t constant) {
  if (!constant)
    return index;
  return arith::AddIOp::create(builder, loc, index,
                               builder.createIntegerConstant(loc, builder.getIndexType(), constant));
}

Value cufort::cufx::placeInArray(fir::FirOpBuilder &builder, Location loc, hlfir::Entity array, ValueRange lowerBounds,
                                 ValueRange subscripts) {
  SmallVector<Value> indices;
  for (auto [subscript, lower] : llvm::zip(subscripts, lowerBounds)) {
    if (fir::getIntIfConstant(lower) == 1)
      indices.push_back(subscript);
    else
      indices.push_back(arith::AddIOp::create(builder, loc, lower, addConstant(builder, loc, subscript, -1)));
  }
  Type type = fir::ReferenceType::get(array.getFortranElementType());
  return hlfir::DesignateOp::create(builder, loc, type, array, indices);
}

//===-- Preparation ----------------------------------------------------------------------------------------------===//

/// `array` as a section that is made of nothing but subscripts, or null.
static hlfir::DesignateOp asSection(Value array) {
  auto section = array.getDefiningOp<hlfir::DesignateOp>();
  bool isPlain = section && !section.getComponent() && section.getSubstring().empty() &&
                 !section.getComplexPart().has_value() && !section.getIndices().empty();
  if (!isPlain)
    return {};
  hlfir::Entity whole{section.getMemref()};
  bool isAddressable =
      whole.isArray() && !whole.isMutableBox() && !whole.isPolymorphic() && !isa<hlfir::ExprType>(whole.getType());
  return isAddressable ? section : hlfir::DesignateOp();
}

void ArraysInKernel::prepare(fir::FirOpBuilder &builder, Location loc, Value array) {
  if (entities.contains(array))
    return;
  hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{array});
  entities.insert({array, entity});
  if (hlfir::DesignateOp section = asSection(array))
    prepareSection(builder, loc, section);
  else
    lowerBounds[array] = lowerBoundsOf(builder, loc, entity);
}

void ArraysInKernel::prepareSection(fir::FirOpBuilder &builder, Location loc, hlfir::DesignateOp section) {
  Section result{known(section.getMemref()), {}};
  auto number = section.getIndices().begin();
  for (bool isTriplet : section.getIsTriplet()) {
    Sum first = indexOf(builder, loc, *number);
    Value stride = isTriplet ? builder.createConvert(loc, builder.getIndexType(), *(number + 2)) : Value();
    result.subscripts.push_back({first, stride});
    number += isTriplet ? 3 : 1;
  }
  sections.insert({section.getResult(), std::move(result)});
}

/// `value`, or another that is computed in the same way.
Value ArraysInKernel::known(Value value) {
  auto same = llvm::find_if(knownValues, [&](Value other) { return isSameInStatement(other, value); });
  if (same != knownValues.end())
    return *same;
  knownValues.push_back(value);
  return value;
}

Sum ArraysInKernel::indexOf(fir::FirOpBuilder &builder, Location loc, Value number) {
  Sum sum = sumOf(number);
  if (!sum.variable)
    return sum;
  Value &index = indices[known(sum.variable)];
  if (!index)
    index = builder.createConvert(loc, builder.getIndexType(), sum.variable);
  return {index, sum.constant};
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

Value ArraysInKernel::place(fir::FirOpBuilder &builder, Location loc, Value array, ValueRange subscripts) {
  auto found = sections.find(array);
  if (found == sections.end())
    return placeInArray(builder, loc, entities.at(array), lowerBounds[array], subscripts);
  SmallVector<Value> indices;
  for (const Subscript &subscript : found->second.subscripts) {
    auto [variable, constant] = subscript.first;
    Value index;
    if (subscript.stride) {
      bool isUnit = fir::getIntIfConstant(subscript.stride) == 1;
      index = isUnit ? subscripts.front() : addConstant(builder, loc, subscripts.front(), -1);
      if (isUnit)
        --constant;
      else
        index = arith::MulIOp::create(builder, loc, index, subscript.stride);
      subscripts = subscripts.drop_front();
    }
    if (variable)
      index = index ? arith::AddIOp::create(builder, loc, index, variable).getResult() : variable;
    indices.push_back(index ? addConstant(builder, loc, index, constant)
                            : builder.createIntegerConstant(loc, builder.getIndexType(), constant));
  }
  hlfir::Entity whole{found->second.array};
  return hlfir::DesignateOp::create(builder, loc, fir::ReferenceType::get(whole.getFortranElementType()), whole,
                                    indices);
}
