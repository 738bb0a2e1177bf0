// In:  %array:3 = hlfir.associate %expression
//      %box = fir.embox %array#1
//      fir.call @_FortranAFindlocDim(%result, %box, %target, %kind, %dim, ..., %mask, %back)
//      %value = fir.load of what %result describes
//
// Out: %place = fir.iterate_while over %expression until an element is %target
//      %value is %place
//
// The library gets descriptors, for which expressions have to be kept in memory, and makes results with heap memory.

#include "mlir-dialects/Cufx/Transforms/RuntimeReductions.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/ElementLoops.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// What an argument of a call is the descriptor of: a variable, or the value of an expression.
Value describedBy(Value argument) {
  Value value = beforeConversion(argument);
  if (auto embox = value.getDefiningOp<fir::EmboxOp>(); embox && !embox.getSlice())
    value = embox.getMemref();
  auto associate = value.getDefiningOp<hlfir::AssociateOp>();
  return associate ? associate.getSource() : value;
}

bool isAbsent(Value argument) { return beforeConversion(argument).getDefiningOp<fir::AbsentOp>() != nullptr; }

/// Erases what has made `argument`, and gives up the memory of an expression that nothing else needs.
void eraseDescription(Value argument) {
  while (Operation *op = argument.getDefiningOp()) {
    auto associate = dyn_cast<hlfir::AssociateOp>(op);
    auto isEnd = [](Operation *user) { return isa<hlfir::EndAssociateOp>(user); };
    if (!associate && (!isa<fir::ConvertOp, fir::EmboxOp>(op) || !op->use_empty()))
      return;
    if (associate && !llvm::all_of(op->getUsers(), isEnd))
      return;
    Value operand = op->getOperand(0);
    SmallPtrSet<Operation *, 2> ends(op->user_begin(), op->user_end());
    for (Operation *end : ends)
      end->erase();
    op->erase();
    if (associate)
      return eraseUnusedExpression(operand);
    argument = operand;
  }
}

/// A call whose result is not a value, but memory behind a descriptor: what reads it.
struct DescribedResult {
  /// Reads the descriptor.
  fir::LoadOp descriptor;
  /// Reads an element, or makes an array expression of the memory.
  Operation *read = nullptr;
  /// Frees the memory of an element.
  Operation *free = nullptr;

  Type type() const { return read->getResult(0).getType(); }

  static std::optional<DescribedResult> find(fir::CallOp call);
};

std::optional<DescribedResult> DescribedResult::find(fir::CallOp call) {
  DescribedResult result;
  fir::BoxAddrOp address;
  for (Operation *user : beforeConversion(call.getArgs()[0]).getUsers()) {
    auto load = dyn_cast<fir::LoadOp>(user);
    if (!load || load->getBlock() != call->getBlock() || !call->isBeforeInBlock(load))
      continue;
    for (Operation *use : load->getUsers())
      if (auto found = dyn_cast<fir::BoxAddrOp>(use); found && !address)
        address = found;
    result.descriptor = load;
    break;
  }
  SmallVector<Operation *> users;
  if (address)
    llvm::append_range(users, address->getUsers());
  for (unsigned i = 0; i < users.size(); ++i) {
    if (isa<hlfir::DeclareOp>(users[i]))
      llvm::append_range(users, users[i]->getUsers());
    else if (isa<fir::FreeMemOp>(users[i]))
      result.free = users[i];
    else if (isa<fir::LoadOp, hlfir::AsExprOp>(users[i]) && !result.read)
      result.read = users[i];
    else
      return std::nullopt;
  }
  return result.read ? std::optional(result) : std::nullopt;
}

class RuntimeReduction {
public:
  explicit RuntimeReduction(fir::CallOp call)
      : call(call), loc(call.getLoc()), name(calleeName(call)),
        builder(call.getOperation(), fir::getKindMapping(call->getParentOfType<ModuleOp>())) {}

  void lower() {
    if (!name.consume_front("_FortranA"))
      return;
    bool hasDim = name.ends_with("Dim");
    if (name == "Findloc")
      lowerFindloc(nullptr, argument(6), argument(7));
    else if (name == "FindlocDim")
      lowerFindloc(argument(4), argument(7), argument(8));
    else if (name == "Norm2_4" || name == "Norm2_8" || name == "Norm2Dim")
      lowerReduction(hasDim, nullptr, [&] { return norm(); });
    else if (name == "Parity" || name == "ParityDim")
      lowerReduction(hasDim, nullptr, [&] { return parity(); });
    else if (auto bits = bitOperation())
      lowerReduction(hasDim, argument(hasDim ? 5 : 4), [&] { return combine(*bits); });
  }

private:
  enum class Bits { All, Any, Parity };

  Value argument(unsigned number) { return call.getArgs()[number]; }

  std::optional<Bits> bitOperation() const {
    StringRef operation = name.ends_with("Dim") ? name.drop_back(3) : name.rtrim("1248");
    if (operation == name)
      return std::nullopt;
    return llvm::StringSwitch<std::optional<Bits>>(operation)
        .Case("IAll", Bits::All)
        .Case("IAny", Bits::Any)
        .Case("IParity", Bits::Parity)
        .Default(std::nullopt);
  }

  bool goThrough(Value array, Value mask, Value dimension) {
    Value maskArray = mask && !isAbsent(mask) ? describedBy(mask) : Value();
    if (auto found = ElementLoops::create(loc, builder, describedBy(array), maskArray, dimension))
      loops.emplace(*found);
    return loops && fir::isa_trivial(loops->elementType());
  }

  void lowerReduction(bool hasDim, Value mask, llvm::function_ref<Value()> compute) {
    std::optional<DescribedResult> result = hasDim ? DescribedResult::find(call) : std::nullopt;
    Value array = argument(hasDim ? 1 : 0);
    if ((hasDim && !result) || !goThrough(array, mask, hasDim ? argument(2) : Value()) || !isSupported())
      return;
    if (hasDim) {
      Type type = loops->elementType();
      auto convert = [&] { return builder.createConvert(loc, type, compute()); };
      return finish(*result, loops->result(result->type(), convert), {array, mask});
    }
    Value value = compute();
    call.getResult(0).replaceAllUsesWith(value);
    erase({array, mask});
  }

  bool isSupported() {
    if (name.starts_with("Norm2"))
      return (loops->elementType().isF32() || loops->elementType().isF64()) && loops->isRepeatable();
    return name.starts_with("Parity") || loops->elementType().isSignlessInteger();
  }

  Value combine(Bits bits) {
    Type type = loops->elementType();
    Value start = builder.createIntegerConstant(loc, type, bits == Bits::All ? -1 : 0);
    return loops->reduce(start, [&](Value element, ValueRange, ValueRange before) {
      Value after = bits == Bits::All   ? arith::AndIOp::create(builder, loc, before[0], element).getResult()
                    : bits == Bits::Any ? arith::OrIOp::create(builder, loc, before[0], element).getResult()
                                        : arith::XOrIOp::create(builder, loc, before[0], element).getResult();
      return SmallVector<Value>{after};
    })[0];
  }

  Value parity() {
    Type truth = builder.getI1Type();
    return loops->reduce(builder.createBool(loc, false), [&](Value element, ValueRange, ValueRange before) {
      Value isTrue = builder.createConvert(loc, truth, element);
      return SmallVector<Value>{arith::XOrIOp::create(builder, loc, before[0], isTrue)};
    })[0];
  }

  Value norm();
  Value scaledNorm();
  Value sumOfSquares(Value divisor);

  void lowerFindloc(Value dimension, Value mask, Value isBack);
  std::function<Value(Value)> equals(Value target);

  /// What is asked of the descriptor of `result`, the array expression `value` answers.
  void replaceExtents(const DescribedResult &result, Value value) {
    SmallVector<Value> extents = hlfir::genExtentsVector(loc, builder, hlfir::Entity{value});
    for (Operation *user : result.descriptor->getUsers())
      if (auto query = dyn_cast<fir::BoxDimsOp>(user))
        if (auto dimension = fir::getIntIfConstant(query.getDim()))
          query.getResult(1).replaceAllUsesWith(extents[*dimension]);
  }

  void finish(DescribedResult result, Value value, ArrayRef<Value> descriptions) {
    if (isa<hlfir::ExprType>(value.getType()))
      replaceExtents(result, value);
    result.read->replaceAllUsesWith(ValueRange(value));
    result.read->erase();
    if (result.free)
      result.free->erase();
    erase(descriptions);
  }

  void erase(ArrayRef<Value> descriptions) {
    call.erase();
    for (Value description : descriptions)
      if (description)
        eraseDescription(description);
  }

  fir::CallOp call;
  Location loc;
  StringRef name;
  fir::FirOpBuilder builder;
  std::optional<ElementLoops> loops;
};

//===-- NORM2 -----------------------------------------------------------------------------------------------------===//

Value RuntimeReduction::sumOfSquares(Value divisor) {
  Value zero = builder.createRealZeroConstant(loc, loops->elementType());
  builder.setFastMathFlags(arith::FastMathFlags::contract);
  return loops->reduce(zero, [&](Value element, ValueRange, ValueRange before) {
    if (divisor)
      element = arith::DivFOp::create(builder, loc, element, divisor);
    Value square = arith::MulFOp::create(builder, loc, element, element);
    return SmallVector<Value>{arith::AddFOp::create(builder, loc, before[0], square)};
  })[0];
}

/// Few vectors are so long or so short that their squares overflow or lose digits. The bounds are those of the device
/// library (codegen/DeviceLibrary/ArrayFunctions.cpp).
Value RuntimeReduction::norm() {
  Type type = loops->elementType();
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  Value sum = sumOfSquares({});
  APFloat leastSum = scalbn(APFloat(format, 1), type.isF32() ? -90 : -900, APFloat::rmNearestTiesToEven);
  Value least = builder.createRealConstant(loc, type, leastSum);
  Value infinity = builder.createRealConstant(loc, type, APFloat::getInf(format));
  Value isExact =
      arith::AndIOp::create(builder, loc, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGE, sum, least),
                            arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, sum, infinity));
  auto choice = fir::IfOp::create(builder, loc, TypeRange{type}, isExact, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&choice.getThenRegion().front());
  fir::ResultOp::create(builder, loc, math::SqrtOp::create(builder, loc, sum).getResult());
  builder.setInsertionPointToStart(&choice.getElseRegion().front());
  fir::ResultOp::create(builder, loc, scaledNorm());
  return choice.getResult(0);
}

/// The norm by the greatest element, if that is positive and finite; it is the norm otherwise.
Value RuntimeReduction::scaledNorm() {
  Type type = loops->elementType();
  Value zero = builder.createRealZeroConstant(loc, type);
  Value greatest = loops->reduce(zero, [&](Value element, ValueRange, ValueRange before) {
    Value size = math::AbsFOp::create(builder, loc, element);
    Value isGreater = arith::OrIOp::create(
        builder, loc, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, size, before[0]),
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, size, size));
    return SmallVector<Value>{arith::SelectOp::create(builder, loc, isGreater, size, before[0])};
  })[0];
  Value infinity = builder.createRealConstant(loc, type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics()));
  Value isScale = arith::AndIOp::create(
      builder, loc, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, greatest, zero),
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, greatest, infinity));
  Value root = math::SqrtOp::create(builder, loc, sumOfSquares(greatest));
  Value scaled = arith::MulFOp::create(builder, loc, greatest, root);
  return arith::SelectOp::create(builder, loc, isScale, scaled, greatest);
}

//===-- FINDLOC ---------------------------------------------------------------------------------------------------===//

/// The comparison of an element with `target`; null if their types need the library.
std::function<Value(Value)> RuntimeReduction::equals(Value target) {
  Type own = loops->elementType(), other = target.getType();
  auto isNumber = [](Type type) { return type.isSignlessInteger() || isa<FloatType>(type); };
  Type common;
  if (isa<fir::LogicalType>(own) && isa<fir::LogicalType, IntegerType>(other))
    common = builder.getI1Type();
  else if (!isNumber(own) || !isNumber(other))
    return {};
  else if (own == other)
    common = own;
  else if (isa<FloatType>(own) || isa<FloatType>(other))
    // An integer beside a real(4) is compared in single precision.
    common = own.isF64() || other.isF64() ? builder.getF64Type() : Type(builder.getF32Type());
  else
    common = own.getIntOrFloatBitWidth() > other.getIntOrFloatBitWidth() ? own : other;
  Value converted = builder.createConvert(loc, common, target);
  return [common, converted, this](Value element) -> Value {
    Value same = builder.createConvert(loc, common, element);
    if (isa<FloatType>(common))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, same, converted);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, same, converted);
  };
}

void RuntimeReduction::lowerFindloc(Value dimension, Value mask, Value isBack) {
  std::optional<DescribedResult> result = DescribedResult::find(call);
  Value target = describedBy(argument(2)), array = argument(1);
  if (!result || !fir::isa_trivial(fir::unwrapRefType(target.getType())) || !goThrough(array, mask, dimension))
    return;
  if (fir::isa_ref_type(target.getType()))
    target = fir::LoadOp::create(builder, loc, target);
  std::function<Value(Value)> isTarget = equals(target);
  if (!isTarget)
    return;
  Type subscript = hlfir::getFortranElementType(result->type());
  auto search = [&] { return loops->search(subscript, isBack, isTarget); };
  Value value = dimension ? loops->result(result->type(), [&] { return search()[0]; })
                          : createVector(loc, builder, result->type(), search());
  finish(*result, value, {array, mask});
}

} // namespace

void cufort::cufx::computeRuntimeReductionInLoop(fir::CallOp call) { RuntimeReduction(call).lower(); }
