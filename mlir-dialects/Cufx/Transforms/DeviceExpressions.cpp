// An expression is a tree: hlfir.elemental, hlfir.transpose, hlfir.reshape, shifts, reductions with DIM and the call
// that SPREAD is, over variables.
// A kernel evaluates it by asking the root for an element, which asks its operands for the elements that it is made of.

#include "mlir-dialects/Cufx/Transforms/DeviceExpressions.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/DeviceTemporaries.h"
#include "mlir-dialects/Cufx/Transforms/ElementsInPlace.h"
#include "mlir-dialects/Cufx/Transforms/FindArray.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/LineKernels.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

//===-- Recognition ----------------------------------------------------------------------------------------------===//

bool isNumberOrLogical(Type type) { return fir::isa_trivial(hlfir::getFortranElementType(type)); }

} // namespace

bool cufort::cufx::isNamedConstant(Value array) {
  while (auto part = array.getDefiningOp<hlfir::DesignateOp>())
    array = part.getMemref();
  auto declare = array.getDefiningOp<hlfir::DeclareOp>();
  auto flags = declare ? declare.getFortranAttrs() : std::nullopt;
  return flags && fir::bitEnumContainsAny(*flags, fir::FortranVariableFlagsEnum::parameter) &&
         declare.getMemref().getDefiningOp<fir::AddrOfOp>();
}

namespace {

/// An array that kernels can read.
bool isArray(Value value) {
  if (isa<hlfir::ExprType>(value.getType()) || !hlfir::Entity{value}.isArray() || !isNumberOrLogical(value.getType()))
    return false;
  return isHiddenFromHost(value) || isSharedWithHost(value) || isNamedConstant(value);
}

/// An element that a kernel can address.
bool isElement(hlfir::DesignateOp element) {
  return !element.getComponent() && !element.getIndices().empty() &&
         !llvm::is_contained(element.getIsTriplet(), true) && isArray(element.getMemref());
}

/// What a kernel can load: an element, or a scalar.
bool isLoadable(Value memory, hlfir::ElementalOp elemental) {
  if (elemental.getRegion().isAncestor(memory.getParentRegion()))
    return bool(memory.getDefiningOp<hlfir::DesignateOp>());
  return fir::isa_trivial(fir::unwrapRefType(memory.getType()));
}

/// Mathematical functions, which Flang lowers to calls of libraries that kernels have as well.
bool isMathematical(StringRef callee) {
  if (callee.consume_front("_FortranA"))
    return llvm::any_of(ArrayRef<StringRef>{"ModReal", "ModuloReal", "Exponent", "Fraction", "RRSpacing", "Scale",
                                            "SetExponent", "Spacing"},
                        [&](StringRef function) { return callee.starts_with(function); });
  if (callee.starts_with("llvm."))
    return true;
  callee.consume_back("f");
  return llvm::is_contained({"acosh",  "asinh", "atanh",  "cabs", "cacos", "cacosh", "casin",
                             "casinh", "catan", "catanh", "ccos", "ccosh", "cexp",   "clog",
                             "csin",   "csinh", "csqrt",  "ctan", "ctanh", "hypot",  "lgamma",
                             "tgamma", "j0",    "j1",     "jn",   "y0",    "y1",     "yn"},
                            callee);
}

/// True if a kernel can do what `block` of `elemental` does.
bool isByKernel(Block &block, hlfir::ElementalOp elemental) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    if (auto apply = dyn_cast<hlfir::ApplyOp>(op))
      return DeviceExpression::isOne(apply.getExpr());
    if (auto element = dyn_cast<hlfir::DesignateOp>(op))
      return isElement(element);
    if (auto load = dyn_cast<fir::LoadOp>(op))
      return isLoadable(load.getMemref(), elemental);
    if (auto call = dyn_cast<fir::CallOp>(op))
      return isMathematical(calleeName(call));
    // Arguments of MAX, MIN and CMPLX that are pointers or allocatable count only if they are associated or allocated.
    if (isa<fir::IfOp>(op))
      return llvm::all_of(op.getRegions(),
                          [&](Region &branch) { return branch.empty() || isByKernel(branch.front(), elemental); });
    return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
  });
}

bool isInElemental(hlfir::ElementalOp elemental) {
  return isNumberOrLogical(elemental.getType()) && !elemental.getMold() && isByKernel(*elemental.getBody(), elemental);
}

/// The dimension of a shift, counted from 0; none if it is not known.
std::optional<unsigned> shiftedDimension(Value dimension) {
  if (!dimension)
    return 0;
  auto number = fir::getIntIfConstant(dimension);
  return number ? std::make_optional<unsigned>(*number - 1) : std::nullopt;
}

/// True if there is one of `operand`, or if a kernel can read that for each line of the array. It may be null.
bool isForLines(Value operand) {
  return !operand || hlfir::Entity{operand}.isScalar() || DeviceExpression::isOne(operand);
}

/// True if a kernel knows for each element which one takes its place.
template <typename ShiftOp>
bool isKnownShift(ShiftOp op) {
  return isForLines(op.getShift()) && shiftedDimension(op.getDim()) && DeviceExpression::isOne(op.getArray());
}

} // namespace

bool DeviceExpression::isOne(Value value) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return isArray(value);
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto line = LineReduction::match(value))
    return isOne(line->array) && (!line->mask || isOne(line->mask));
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](hlfir::ElementalOp elemental) { return isInElemental(elemental); })
      .Case([](hlfir::TransposeOp transpose) { return isOne(transpose.getArray()); })
      .Case([](hlfir::ReshapeOp reshape) { return !reshape.getPad() && isOne(reshape.getArray()); })
      .Case([](hlfir::CShiftOp shift) { return isKnownShift(shift); })
      .Case([](hlfir::EOShiftOp shift) { return isKnownShift(shift) && isForLines(shift.getBoundary()); })
      .Default([](Operation *) { return false; });
}

namespace {

/// What a reduction reads is no part of the expression, unless a kernel does it with the rest: it is evaluated before.
bool isReduction(Operation *op) {
  return isa<hlfir::SumOp, hlfir::ProductOp, hlfir::MaxvalOp, hlfir::MinvalOp, hlfir::MaxlocOp, hlfir::MinlocOp,
             hlfir::CountOp, hlfir::AnyOp, hlfir::AllOp, hlfir::DotProductOp>(op);
}

} // namespace

Value cufort::cufx::findArray(Value value, llvm::function_ref<bool(Value)> isMeant) {
  if (!isa<hlfir::ExprType>(value.getType())) {
    bool isVariable = fir::isa_ref_type(value.getType()) || isa<fir::BaseBoxType>(value.getType());
    return isVariable && hlfir::isFortranEntity(value) && hlfir::Entity{value}.isArray() && isMeant(value) ? value
                                                                                                           : Value();
  }
  Value found;
  Operation *op = value.getDefiningOp();
  if (!op || (isReduction(op) && !DeviceExpression::isOne(value)))
    return found;
  auto look = [&](Value operand) {
    if (!found)
      found = findArray(operand, isMeant);
  };
  if (!isa<hlfir::ElementalOp>(op)) {
    llvm::for_each(op->getOperands(), look);
    return found;
  }
  op->walk([&](Operation *inner) {
    if (auto apply = dyn_cast<hlfir::ApplyOp>(inner))
      look(apply.getExpr());
    if (auto element = dyn_cast<hlfir::DesignateOp>(inner))
      look(element.getMemref());
  });
  return found;
}

Value cufort::cufx::hiddenArrayIn(Value value) { return findArray(value, isHiddenFromHost); }

Value cufort::cufx::hostArrayIn(Value value) {
  return findArray(value, [](Value array) {
    return !isHiddenFromHost(array) && !isSharedWithHost(array) && !isNamedConstant(array);
  });
}

//===-- What is the same for all elements ------------------------------------------------------------------------===//

DeviceExpression::DeviceExpression(fir::FirOpBuilder &builder, Location loc, Value root,
                                   std::shared_ptr<ArraysInKernel> arrays)
    : builder(builder), loc(loc), root(root), arrays(std::move(arrays)) {
  prepare(root);
  rootExtents = extentsOf(root);
}

Type DeviceExpression::elementType() const { return hlfir::getFortranElementType(root.getType()); }

void DeviceExpression::prepare(Value value) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return arrays->prepare(builder, loc, value);
  if (auto line = LineReduction::match(value)) {
    prepare(line->array);
    if (line->mask)
      prepare(line->mask);
    if (lineLengths.insert({value, extentsOf(line->array)[line->dimension]}).second)
      reductions.push_back(value);
    return;
  }
  llvm::TypeSwitch<Operation *>(value.getDefiningOp())
      .Case([&](hlfir::ElementalOp elemental) { prepareElemental(elemental); })
      .Case([&](hlfir::TransposeOp transpose) { prepare(transpose.getArray()); })
      .Case([&](hlfir::ReshapeOp reshape) { prepareReshape(reshape); })
      .Case([&](hlfir::CShiftOp shift) { prepareShift(shift, shift.getArray(), shift.getShift(), {}); })
      .Case([&](hlfir::EOShiftOp shift) {
        prepareShift(shift, shift.getArray(), shift.getShift(), shift.getBoundary());
      });
}

void DeviceExpression::prepareElemental(hlfir::ElementalOp elemental) {
  elemental.walk([&](Operation *op) {
    if (auto apply = dyn_cast<hlfir::ApplyOp>(op))
      return prepare(apply.getExpr());
    auto element = dyn_cast<hlfir::DesignateOp>(op);
    Operation *array = element ? element.getMemref().getDefiningOp() : nullptr;
    if (array && !array->getParentOfType<hlfir::ElementalOp>())
      arrays->prepare(builder, loc, element.getMemref());
  });
}

/// The numbers in a small integer array of the host.
static SmallVector<Value> hostNumbers(fir::FirOpBuilder &builder, Location loc, Value array, unsigned count) {
  SmallVector<Value> numbers;
  for (unsigned i = 1; i <= count; ++i) {
    Value subscript = builder.createIntegerConstant(loc, builder.getIndexType(), i);
    hlfir::Entity number = hlfir::getElementAt(loc, builder, hlfir::Entity{array}, {subscript});
    number = hlfir::loadTrivialScalar(loc, builder, number);
    numbers.push_back(builder.createConvert(loc, builder.getIndexType(), number));
  }
  return numbers;
}

/// With ORDER, the first dimension to vary is order(1).
void DeviceExpression::prepareReshape(hlfir::ReshapeOp reshape) {
  prepare(reshape.getArray());
  unsigned rank = cast<hlfir::ExprType>(reshape.getType()).getRank();
  Reshape result;
  result.argument = extentsOf(reshape.getArray());
  result.extents = hostNumbers(builder, loc, reshape.getShape(), rank);
  Value stride = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  if (!reshape.getOrder()) {
    for (Value extent : result.extents) {
      result.strides.push_back(stride);
      stride = arith::MulIOp::create(builder, loc, stride, extent);
    }
    reshapes[reshape] = result;
    return;
  }
  result.strides.assign(rank, stride);
  for (Value dimension : hostNumbers(builder, loc, reshape.getOrder(), rank)) {
    Value extent = stride;
    for (unsigned i = 0; i < rank; ++i) {
      Value number = builder.createIntegerConstant(loc, builder.getIndexType(), i + 1);
      Value isThis = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, dimension, number);
      result.strides[i] = arith::SelectOp::create(builder, loc, isThis, stride, result.strides[i]);
      extent = arith::SelectOp::create(builder, loc, isThis, result.extents[i], extent);
    }
    stride = arith::MulIOp::create(builder, loc, stride, extent);
  }
  reshapes[reshape] = result;
}

/// MODULO(distance, extent), or any number if there are no elements.
static Value withinExtent(fir::FirOpBuilder &builder, Location loc, Value distance, Value extent) {
  Value zero = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  extent = arith::MaxSIOp::create(builder, loc, extent, one);
  Value rest = arith::RemSIOp::create(builder, loc, distance, extent);
  Value isLow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest, zero);
  return arith::SelectOp::create(builder, loc, isLow, arith::AddIOp::create(builder, loc, rest, extent), rest);
}

void DeviceExpression::prepareShift(Operation *op, Value array, Value distance, Value boundary) {
  prepare(array);
  for (Value operand : {distance, boundary})
    if (operand && hlfir::Entity{operand}.isArray())
      prepare(operand);
  Value dim = isa<hlfir::CShiftOp>(op) ? cast<hlfir::CShiftOp>(op).getDim() : cast<hlfir::EOShiftOp>(op).getDim();
  unsigned dimension = *shiftedDimension(dim);
  Type element = hlfir::getFortranElementType(array.getType());
  auto valueOf = [&](Value operand, Type type) -> Value {
    if (hlfir::Entity{operand}.isArray())
      return {};
    return builder.createConvert(loc, type, hlfir::loadTrivialScalar(loc, builder, hlfir::Entity{operand}));
  };
  Value extent = extentsOf(array)[dimension], shift = valueOf(distance, builder.getIndexType());
  if (isa<hlfir::EOShiftOp>(op))
    boundary = boundary ? valueOf(boundary, element) : fir::ZeroOp::create(builder, loc, element).getResult();
  else if (shift)
    shift = withinExtent(builder, loc, shift, extent);
  shifts[op] = {shift, extent, boundary, dimension};
}

SmallVector<Value> DeviceExpression::extentsOf(Value value) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return hlfir::getIndexExtents(loc, builder, hlfir::genShape(loc, builder, arrays->entity(value)));
  if (auto line = LineReduction::match(value)) {
    SmallVector<Value> extents = extentsOf(line->array);
    extents.erase(extents.begin() + line->dimension);
    return extents;
  }
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(value.getDefiningOp())
      .Case([&](hlfir::TransposeOp transpose) {
        SmallVector<Value> extents = extentsOf(transpose.getArray());
        std::swap(extents[0], extents[1]);
        return extents;
      })
      .Case([&](hlfir::ReshapeOp reshape) { return reshapes[reshape].extents; })
      .Case([&](hlfir::CShiftOp shift) { return extentsOf(shift.getArray()); })
      .Case([&](hlfir::EOShiftOp shift) { return extentsOf(shift.getArray()); })
      .Case([&](hlfir::ElementalOp elemental) {
        if (auto ofOperand = elemental.getShape().getDefiningOp<hlfir::ShapeOfOp>())
          return extentsOf(ofOperand.getExpr());
        SmallVector<Value> extents = hlfir::getIndexExtents(loc, builder, elemental.getShape());
        for (Value &extent : extents)
          extent = withoutOperand(extent);
        return extents;
      });
}

/// An extent that lowering asks an operand of the expression for: the operand is not evaluated as a whole any more.
Value DeviceExpression::withoutOperand(Value extent) {
  auto ofShape = extent.getDefiningOp<hlfir::GetExtentOp>();
  auto ofOperand = ofShape ? ofShape.getShape().getDefiningOp<hlfir::ShapeOfOp>() : hlfir::ShapeOfOp();
  if (!ofOperand || !isOne(ofOperand.getExpr()))
    return extent;
  return extentsOf(ofOperand.getExpr())[ofShape.getDim().getZExtValue()];
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

Value DeviceExpression::element(Value value, ValueRange subscripts) {
  if (!isa<hlfir::ExprType>(value.getType()))
    return fir::LoadOp::create(builder, loc, arrays->place(builder, loc, value, subscripts));
  if (auto line = LineReduction::match(value))
    return elementOfLine(value, *line, subscripts);
  return llvm::TypeSwitch<Operation *, Value>(value.getDefiningOp())
      .Case([&](hlfir::ElementalOp elemental) { return elementOfElemental(elemental, subscripts); })
      .Case([&](hlfir::TransposeOp transpose) {
        return element(transpose.getArray(), ValueRange{subscripts[1], subscripts[0]});
      })
      .Case([&](hlfir::ReshapeOp reshape) { return elementOfReshape(reshape, subscripts); })
      .Case([&](hlfir::CShiftOp shift) { return elementOfCyclicShift(shift, subscripts); })
      .Case([&](hlfir::EOShiftOp shift) { return elementOfEndOffShift(shift, subscripts); });
}

Value DeviceExpression::elementOfElemental(hlfir::ElementalOp elemental, ValueRange subscripts) {
  IRMapping values;
  values.map(elemental.getIndices(), subscripts);
  cloneBlock(*elemental.getBody(), values);
  Value result = cast<hlfir::YieldElementOp>(elemental.getBody()->getTerminator()).getElementValue();
  return valueInKernel(result, values);
}

Value DeviceExpression::valueInKernel(Value value, const IRMapping &values) {
  return values.contains(value) ? values.lookup(value) : scalars.inKernel(builder, value);
}

void DeviceExpression::cloneBlock(Block &block, IRMapping &values) {
  for (Operation &op : block.without_terminator()) {
    for (Value operand : op.getOperands())
      values.map(operand, valueInKernel(operand, values));
    if (auto apply = dyn_cast<hlfir::ApplyOp>(op)) {
      auto indices = llvm::map_to_vector(apply.getIndices(), [&](Value index) { return values.lookup(index); });
      values.map(apply.getResult(), element(apply.getExpr(), indices));
    } else if (auto part = dyn_cast<hlfir::DesignateOp>(op); part && arrays->isSection(part.getMemref())) {
      auto indices = llvm::map_to_vector(part.getIndices(), [&](Value index) { return values.lookup(index); });
      values.map(part.getResult(), arrays->place(builder, loc, part.getMemref(), indices));
    } else if (auto branches = dyn_cast<fir::IfOp>(op)) {
      cloneBranches(branches, values);
    } else {
      builder.clone(op, values);
    }
  }
}

void DeviceExpression::cloneBranches(fir::IfOp branches, IRMapping &values) {
  auto cloned = cast<fir::IfOp>(builder.cloneWithoutRegions(*branches.getOperation(), values));
  for (auto [region, clone] : llvm::zip(branches->getRegions(), cloned->getRegions())) {
    if (region.empty())
      continue;
    builder.createBlock(&clone);
    // What a branch reads of scalars is for the branch.
    DeviceScalars scalarsOutside = scalars;
    cloneBlock(region.front(), values);
    auto results = llvm::map_to_vector(region.front().getTerminator()->getOperands(),
                                       [&](Value result) { return valueInKernel(result, values); });
    fir::ResultOp::create(builder, loc, results);
    scalars = scalarsOutside;
  }
  builder.setInsertionPointAfter(cloned);
}

Value DeviceExpression::elementOfReshape(hlfir::ReshapeOp reshape, ValueRange subscripts) {
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  Value position = builder.createIntegerConstant(loc, builder.getIndexType(), 0);
  for (auto [subscript, stride] : llvm::zip(subscripts, reshapes[reshape].strides)) {
    Value offset = arith::SubIOp::create(builder, loc, subscript, one);
    position = arith::AddIOp::create(builder, loc, position, arith::MulIOp::create(builder, loc, offset, stride));
  }
  SmallVector<Value> inArgument, extents = reshapes[reshape].argument;
  for (auto [dimension, extent] : llvm::enumerate(extents)) {
    bool isLast = dimension + 1 == extents.size();
    Value offset = isLast ? position : arith::RemUIOp::create(builder, loc, position, extent).getResult();
    inArgument.push_back(arith::AddIOp::create(builder, loc, offset, one));
    if (!isLast)
      position = arith::DivUIOp::create(builder, loc, position, extent);
  }
  return element(reshape.getArray(), inArgument);
}

Value DeviceExpression::elementOfLines(Value lines, unsigned dimension, ValueRange subscripts) {
  SmallVector<Value> others(subscripts);
  others.erase(others.begin() + dimension);
  return element(lines, others);
}

Value DeviceExpression::elementOfCyclicShift(hlfir::CShiftOp op, ValueRange subscripts) {
  Shift shift = shifts[op];
  if (!shift.distance) {
    Value distance = elementOfLines(op.getShift(), shift.dimension, subscripts);
    distance = builder.createConvert(loc, builder.getIndexType(), distance);
    shift.distance = withinExtent(builder, loc, distance, shift.extent);
  }
  SmallVector<Value> inArray(subscripts);
  Value &subscript = inArray[shift.dimension];
  subscript = arith::AddIOp::create(builder, loc, subscript, shift.distance);
  Value isHigh = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, subscript, shift.extent);
  Value lowered = arith::SubIOp::create(builder, loc, subscript, shift.extent);
  subscript = arith::SelectOp::create(builder, loc, isHigh, lowered, subscript);
  return element(op.getArray(), inArray);
}

/// Where there is no element, another one is read and not used.
Value DeviceExpression::elementOfEndOffShift(hlfir::EOShiftOp op, ValueRange subscripts) {
  Shift shift = shifts[op];
  if (!shift.distance)
    shift.distance =
        builder.createConvert(loc, builder.getIndexType(), elementOfLines(op.getShift(), shift.dimension, subscripts));
  if (!shift.boundary)
    shift.boundary = elementOfLines(op.getBoundary(), shift.dimension, subscripts);
  SmallVector<Value> inArray(subscripts);
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  Value subscript = arith::AddIOp::create(builder, loc, inArray[shift.dimension], shift.distance);
  Value isFromFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, subscript, one);
  Value isToLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, subscript, shift.extent);
  Value exists = arith::AndIOp::create(builder, loc, isFromFirst, isToLast);
  inArray[shift.dimension] = arith::SelectOp::create(builder, loc, exists, subscript, one);
  Value shifted = element(op.getArray(), inArray);
  Value boundary = builder.createConvert(loc, shifted.getType(), shift.boundary);
  return arith::SelectOp::create(builder, loc, exists, shifted, boundary);
}

//===-- Expressions that a kernel has taken over -----------------------------------------------------------------===//

namespace {

bool isExpression(Operation *op) {
  return op->getNumResults() == 1 && isa<hlfir::ExprType>(op->getResult(0).getType());
}

/// True if nothing needs what `op` gives. To destroy an expression, or to ask for a shape that nobody wants, is no
/// need.
bool isUnused(Operation *op) {
  return isOpTriviallyDead(op) || (isExpression(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
                                     return isa<hlfir::DestroyOp>(user) ||
                                            (isa<hlfir::ShapeOfOp>(user) && user->use_empty());
                                   }));
}

} // namespace

void cufort::cufx::eraseExpressions(ArrayRef<Value> values) {
  // An operation can be reached on several ways, so that what is erased has to leave the list.
  llvm::SetVector<Operation *> candidates;
  auto add = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp())
      candidates.insert(op);
  };
  llvm::for_each(values, add);
  while (!candidates.empty()) {
    Operation *op = candidates.pop_back_val();
    if (!isUnused(op))
      continue;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      candidates.remove(user);
      user->erase();
    }
    SmallVector<Value> operands(op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    op->erase();
    llvm::for_each(operands, add);
    llvm::for_each(captured, add);
  }
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

/// Loops of a nest that the threads of a grid share.
static constexpr size_t mostSharedLoops = 3;

/// The extents of the loops of a kernel over arrays of `extents`. Of a nest, only three loops are shared by the threads
/// and each thread runs the others: the last dimensions have a loop together.
static SmallVector<Value> extentsOfLoops(fir::FirOpBuilder &builder, Location loc, ValueRange extents) {
  SmallVector<Value> loops(extents);
  while (loops.size() > mostSharedLoops) {
    Value last = loops.pop_back_val();
    loops.back() = arith::MulIOp::create(builder, loc, loops.back(), last);
  }
  return loops;
}

/// Parts the last of `subscripts`, which count from 1, where it is for several dimensions of `extents`.
static void partLastSubscript(fir::FirOpBuilder &builder, Location loc, ValueRange extents,
                              SmallVectorImpl<Value> &subscripts) {
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  for (Value extent : extents.drop_back().drop_front(subscripts.size() - 1)) {
    Value all = arith::SubIOp::create(builder, loc, subscripts.pop_back_val(), one);
    for (Value part : {arith::RemUIOp::create(builder, loc, all, extent).getResult(),
                       arith::DivUIOp::create(builder, loc, all, extent).getResult()})
      subscripts.push_back(arith::AddIOp::create(builder, loc, part, one));
  }
}

cuf::KernelOp cufort::cufx::createKernelOver(fir::FirOpBuilder &builder, Location loc, ValueRange extents,
                                             SmallVectorImpl<Value> &subscripts, ValueRange results,
                                             ArrayRef<Attribute> reductions) {
  // The outermost loop comes first; elements that are next to each other belong to neighbouring threads. A thread that
  // reduces has many elements anyway.
  bool reduces = !results.empty();
  SmallVector<Value> loops = reduces ? SmallVector<Value>(extents) : extentsOfLoops(builder, loc, extents);
  SmallVector<Value> upper(llvm::reverse(loops));
  Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
  SmallVector<Value> ones(upper.size(), one);
  ArrayAttr clauses = reduces ? builder.getArrayAttr(reductions) : ArrayAttr();
  auto kernel = cuf::KernelOp::create(builder, loc, ValueRange(), ValueRange(), Value(), ones, upper, ones,
                                      builder.getI64IntegerAttr(upper.size()), results, clauses);
  SmallVector<Type> types(upper.size(), builder.getIndexType());
  SmallVector<Location> locations(upper.size(), loc);
  builder.createBlock(&kernel.getRegion(), {}, types, locations);
  subscripts.assign(llvm::reverse(kernel.getRegion().front().getArguments()).begin(),
                    llvm::reverse(kernel.getRegion().front().getArguments()).end());
  partLastSubscript(builder, loc, extents, subscripts);
  return kernel;
}

/// Extents of RESHAPE may be other than the array's: the runtime sees it.
std::optional<DeviceExpression::Permutation> DeviceExpression::permutation() {
  if (auto transpose = root.getDefiningOp<hlfir::TransposeOp>(); transpose && arrays->contains(transpose.getArray())) {
    Value one = builder.createIntegerConstant(loc, builder.getIndexType(), 1);
    Value two = builder.createIntegerConstant(loc, builder.getIndexType(), 2);
    return Permutation{arrays->entity(transpose.getArray()), {two, one}};
  }
  auto reshape = root.getDefiningOp<hlfir::ReshapeOp>();
  if (!reshape || !reshape.getOrder() || !arrays->contains(reshape.getArray()))
    return std::nullopt;
  unsigned rank = cast<hlfir::ExprType>(reshape.getType()).getRank();
  hlfir::Entity array = arrays->entity(reshape.getArray());
  if (static_cast<unsigned>(array.getRank()) != rank)
    return std::nullopt;
  return Permutation{array, hostNumbers(builder, loc, reshape.getOrder(), rank)};
}

/// Returns what says whether the runtime has copied the array.
static Value copyPermuted(fir::FirOpBuilder &builder, Location loc, const DeviceExpression::Permutation &permutation,
                          hlfir::Entity array) {
  Value order = builder.createIntegerConstant(loc, builder.getI64Type(), 0);
  for (auto [place, number] : llvm::enumerate(permutation.order)) {
    Value bits = builder.createConvert(loc, builder.getI64Type(), number);
    Value shift = builder.createIntegerConstant(loc, builder.getI64Type(), 4 * place);
    order = arith::OrIOp::create(builder, loc, order, arith::ShLIOp::create(builder, loc, bits, shift));
  }
  Value source = hlfir::genVariableBox(loc, builder, permutation.array);
  return PermuteOp::create(builder, loc, builder.getI1Type(), hlfir::genVariableBox(loc, builder, array), source,
                           order);
}

void cufort::cufx::evaluateTogether(fir::FirOpBuilder &builder, Location loc, ArrayRef<Evaluation> evaluations) {
  ArraysInKernel &arrays = *evaluations.front().expression->arraysInKernel();
  for (const Evaluation &evaluation : evaluations)
    arrays.prepare(builder, loc, evaluation.array);
  SmallVector<Value> subscripts;
  cuf::KernelOp kernel = createKernelOver(builder, loc, evaluations.front().expression->extents(), subscripts);
  for (auto [expression, array] : evaluations) {
    Value element = builder.convertWithSemantics(loc, array.getFortranElementType(), expression->element(subscripts));
    fir::StoreOp::create(builder, loc, element, arrays.place(builder, loc, array, subscripts));
  }
  fir::FirEndOp::create(builder, loc);
  builder.setInsertionPointAfter(kernel);
}

static void evaluateByKernel(fir::FirOpBuilder &builder, Location loc, DeviceExpression &expression,
                             hlfir::Entity array) {
  auto evaluate = [&] { evaluateTogether(builder, loc, {{&expression, array}}); };
  if (!evaluateLines(builder, loc, expression, array, evaluate))
    evaluate();
}

void cufort::cufx::evaluateInto(fir::FirOpBuilder &builder, Location loc, DeviceExpression &expression,
                                hlfir::Entity array) {
  array = hlfir::derefPointersAndAllocatables(loc, builder, array);
  auto permutation = expression.permutation();
  if (!permutation || permutation->array.getFortranElementType() != array.getFortranElementType())
    return evaluateByKernel(builder, loc, expression, array);
  Value isCopied = copyPermuted(builder, loc, *permutation, array);
  builder.genIfThenElse(loc, isCopied)
      .genThen([] {})
      .genElse([&] { evaluateByKernel(builder, loc, expression, array); })
      .end();
}

//===-- Temporaries ----------------------------------------------------------------------------------------------===//

static cuf::DataAttributeAttr onDevice(fir::FirOpBuilder &builder) {
  return cuf::DataAttributeAttr::get(builder.getContext(), cuf::DataAttribute::Device);
}

hlfir::DeclareOp cufort::cufx::createDeviceTemporary(fir::FirOpBuilder &builder, Location loc, Type element,
                                                     ValueRange extents) {
  fir::SequenceType::Shape shape(extents.size(), fir::SequenceType::getUnknownExtent());
  Value memory = cuf::AllocOp::create(builder, loc, fir::SequenceType::get(shape, element), deviceTemporaryName,
                                      deviceTemporaryName, onDevice(builder), ValueRange(), extents);
  return hlfir::DeclareOp::create(builder, loc, memory, deviceTemporaryName,
                                  builder.genShape(loc, llvm::to_vector(extents)), ValueRange(), Value(), Value(), 0,
                                  fir::FortranVariableFlagsAttr(), onDevice(builder));
}

void cufort::cufx::freeDeviceTemporary(fir::FirOpBuilder &builder, hlfir::DeclareOp temporary) {
  cuf::FreeOp::create(builder, temporary.getLoc(), temporary.getMemref(), onDevice(builder));
}
