#include "mlir-dialects/Cufx/Transforms/ElementLoops.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

/// The value, or the declared variable or part of one, that `value` stands for; null if it may be absent.
static Value presentEntity(Value value) {
  if (isa<hlfir::ExprType>(value.getType()) || fir::isa_trivial(value.getType()))
    return value;
  if (value.getDefiningOp<fir::AllocaOp>())
    return value;
  if (auto load = value.getDefiningOp<fir::LoadOp>())
    return load.getMemref().getDefiningOp<fir::FortranVariableOpInterface>() ? value : Value();
  auto variable = value.getDefiningOp<fir::FortranVariableOpInterface>();
  return variable && !variable.isOptional() ? variable.getBase() : Value();
}

/// The operation that makes the elements of `array` one by one, if they can be made where they are used.
static hlfir::ElementalOp elementalOf(Value array) {
  auto elemental = array.getDefiningOp<hlfir::ElementalOp>();
  return elemental && isMadeWhereUsed(elemental) ? elemental : hlfir::ElementalOp();
}

std::optional<ElementLoops> ElementLoops::create(Location loc, fir::FirOpBuilder &builder, Value array, Value mask,
                                                 Value dimension) {
  Value present = presentEntity(array), presentMask = mask ? presentEntity(mask) : Value();
  if (!present || !hlfir::Entity{present}.isArray() || hlfir::Entity{present}.isAssumedRank() ||
      hlfir::Entity{present}.isPolymorphic() || (mask && !presentMask))
    return std::nullopt;
  ElementLoops loops(loc, builder, hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{present}));
  if (dimension) {
    auto number = fir::getIntIfConstant(dimension);
    if (!number || *number < 1 || *number > loops.array.getRank())
      return std::nullopt;
    loops.dimension = *number - 1;
  }
  if (mask) {
    hlfir::Entity entity = hlfir::derefPointersAndAllocatables(loc, builder, hlfir::Entity{presentMask});
    loops.mask = entity.isArray()
                     ? Value(entity)
                     : builder.createConvert(loc, builder.getI1Type(), hlfir::loadTrivialScalar(loc, builder, entity));
  }
  loops.extents = hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, loops.array));
  return loops;
}

bool ElementLoops::isRepeatable() const {
  if (!isa<hlfir::ExprType>(array.getType()))
    return true;
  auto elemental = elementalOf(array);
  return elemental && !elemental.isOrdered();
}

Value ElementLoops::result(Type type, llvm::function_ref<Value()> compute) {
  if (!isa<hlfir::ExprType>(type))
    return compute();
  SmallVector<Value> ofShape(extents);
  ofShape.erase(ofShape.begin() + *dimension);
  Value shape = fir::ShapeOp::create(builder, loc, ofShape);
  auto computeAt = [&](Location, fir::FirOpBuilder &, ValueRange subscripts) -> hlfir::Entity {
    ofResult.assign(subscripts.begin(), subscripts.end());
    return hlfir::Entity{compute()};
  };
  return hlfir::genElementalOp(loc, builder, hlfir::getFortranElementType(type), shape, /*typeParams=*/{}, computeAt,
                               /*isUnordered=*/true, /*polymorphicMold=*/{}, type);
}

SmallVector<Value> ElementLoops::loopExtents() const {
  return dimension ? SmallVector<Value>{extents[*dimension]} : extents;
}

Value ElementLoops::hasElements() {
  Value all = builder.createBool(loc, true);
  for (Value extent : loopExtents()) {
    Value zero = builder.createIntegerConstant(loc, extent.getType(), 0);
    Value some = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, extent, zero);
    all = arith::AndIOp::create(builder, loc, all, some);
  }
  return all;
}

SmallVector<Value> ElementLoops::subscripts(ValueRange ofLoops) const {
  SmallVector<Value> all(ofLoops);
  if (dimension) {
    all.assign(ofResult);
    all.insert(all.begin() + *dimension, ofLoops.front());
  }
  return all;
}

Value ElementLoops::loadElement(Value of, ValueRange subscripts) {
  auto elemental = elementalOf(of);
  if (!elemental)
    return hlfir::loadElementAt(loc, builder, hlfir::Entity{of}, subscripts);
  IRMapping mapping;
  Value element = hlfir::inlineElementalOp(loc, builder, elemental, subscripts, mapping, isMadeWhereUsed);
  return hlfir::loadTrivialScalar(loc, builder, hlfir::Entity{element});
}

Value ElementLoops::isSelected(ValueRange ofLoops) {
  if (!hlfir::Entity{mask}.isArray())
    return mask;
  return builder.createConvert(loc, builder.getI1Type(), loadElement(mask, subscripts(ofLoops)));
}

/// What `compute` makes of the element if the mask is true there, and `otherwise` if not.
SmallVector<Value> ElementLoops::ifSelected(ValueRange ofLoops, ValueRange otherwise,
                                            llvm::function_ref<SmallVector<Value>(Value)> compute) {
  if (!mask)
    return compute(loadElement(array, subscripts(ofLoops)));
  auto choice = fir::IfOp::create(builder, loc, otherwise.getTypes(), isSelected(ofLoops), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&choice.getThenRegion().front());
  fir::ResultOp::create(builder, loc, compute(loadElement(array, subscripts(ofLoops))));
  builder.setInsertionPointToStart(&choice.getElseRegion().front());
  fir::ResultOp::create(builder, loc, otherwise);
  return choice.getResults();
}

SmallVector<Value> ElementLoops::reduce(ValueRange start, Step step) {
  auto body = [&](Location, fir::FirOpBuilder &, ValueRange ofLoops, ValueRange before) {
    return ifSelected(ofLoops, before, [&](Value element) { return step(element, ofLoops, before); });
  };
  return hlfir::genLoopNestWithReductions(loc, builder, loopExtents(), start, body);
}

struct ElementLoops::Search {
  SmallVector<Value> extents;
  Type type;
  Value isBack;
  llvm::function_ref<Value(Value)> test;
};

SmallVector<Value> ElementLoops::search(Type type, Value isBack, llvm::function_ref<Value(Value)> test) {
  SmallVector<Value> results = search({loopExtents(), type, isBack, test}, {});
  return SmallVector<Value>(llvm::drop_begin(results));
}

/// A loop over the last of the subscripts that are not among `outer`. Its results are the one whether the search has to
/// go on, and the subscripts of what has been found.
SmallVector<Value> ElementLoops::search(const Search &what, ValueRange outer) {
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  Value minusOne = builder.createIntegerConstant(loc, builder.getIndexType(), -1);
  Value extent = what.extents[what.extents.size() - outer.size() - 1];
  auto choose = [&](Value ifBack, Value otherwise) -> Value {
    return arith::SelectOp::create(builder, loc, what.isBack, ifBack, otherwise);
  };
  SmallVector<Value> start(what.extents.size(), builder.createIntegerConstant(loc, what.type, 0));
  auto loop = fir::IterWhileOp::create(builder, loc, choose(extent, one), choose(one, extent), choose(minusOne, one),
                                       builder.createBool(loc, true), /*finalCountValue=*/false, start);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> ofLoops{loop.getInductionVar()};
  llvm::append_range(ofLoops, outer);
  SmallVector<Value> results;
  if (ofLoops.size() < what.extents.size()) {
    results = search(what, ofLoops);
  } else {
    Value isFound = ifSelected(ofLoops, builder.createBool(loc, false), [&](Value element) {
                      return SmallVector<Value>{what.test(element)};
                    }).front();
    results.push_back(arith::XOrIOp::create(builder, loc, isFound, builder.createBool(loc, true)));
    for (auto [subscript, zero] : llvm::zip(ofLoops, start))
      results.push_back(
          arith::SelectOp::create(builder, loc, isFound, builder.createConvert(loc, what.type, subscript), zero));
  }
  fir::ResultOp::create(builder, loc, results);
  return loop.getResults();
}

Value cufort::cufx::createVector(Location loc, fir::FirOpBuilder &builder, Type type, ArrayRef<Value> elements) {
  Type index = builder.getIndexType();
  Value shape =
      fir::ShapeOp::create(builder, loc, ValueRange{builder.createIntegerConstant(loc, index, elements.size())});
  auto choose = [&](Location, fir::FirOpBuilder &, ValueRange subscripts) -> hlfir::Entity {
    Value chosen = elements.front();
    for (auto [number, element] : llvm::enumerate(elements)) {
      Value here = builder.createIntegerConstant(loc, index, number + 1);
      Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, subscripts[0], here);
      chosen = arith::SelectOp::create(builder, loc, isHere, element, chosen);
    }
    return hlfir::Entity{chosen};
  };
  return hlfir::genElementalOp(loc, builder, elements.front().getType(), shape, /*typeParams=*/{}, choose,
                               /*isUnordered=*/true, /*polymorphicMold=*/{}, type);
}

void cufort::cufx::eraseUnusedExpression(Value expression) {
  auto elemental = expression.getDefiningOp<hlfir::ElementalOp>();
  if (!elemental || !llvm::all_of(elemental->getUsers(), llvm::IsaPred<hlfir::DestroyOp>))
    return;
  llvm::SetVector<Value> applied;
  elemental.walk([&](hlfir::ApplyOp apply) {
    if (Operation *inner = apply.getExpr().getDefiningOp(); inner && !elemental->isAncestor(inner))
      applied.insert(apply.getExpr());
  });
  for (Operation *user : llvm::make_early_inc_range(elemental->getUsers()))
    user->erase();
  elemental.erase();
  for (Value inner : applied)
    eraseUnusedExpression(inner);
}
