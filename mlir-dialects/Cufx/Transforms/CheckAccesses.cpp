// Checks of array references at run time: -Mbounds, -Mchkptr, -gpu=check.

#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/LinesOfChecks.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/ReferenceCopies.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_CHECKACCESSES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

using Bounds = SmallVector<std::pair<Value, Value>>;

/// The value of `number` if it is calculated from constants.
std::optional<int64_t> knownNumber(Value number) {
  if (auto constant = fir::getIntIfConstant(number))
    return constant;
  Operation *op = number.getDefiningOp();
  if (auto convert = dyn_cast_if_present<fir::ConvertOp>(op))
    return isa<IntegerType, IndexType>(convert.getValue().getType()) ? knownNumber(convert.getValue()) : std::nullopt;
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  auto a = knownNumber(op->getOperand(0)), b = knownNumber(op->getOperand(1));
  int64_t result = 0;
  bool overflows =
      !a || !b || (isa<arith::AddIOp>(op) ? llvm::AddOverflow(*a, *b, result) : llvm::SubOverflow(*a, *b, result));
  return overflows ? std::nullopt : std::make_optional(result);
}

/// The functions that report what is wrong. Each branch in a procedure would be moved once for each branch before it
/// when they become blocks; so each is in a function, which LLVM inlines. In host code all lines of a file that check
/// the same share one: of thousands of functions, each would be looked for among all.
class CheckFunctions {
public:
  /// Calls, if the first one of `values` is true, `report` with the others. `what` and the place name the function.
  void call(fir::FirOpBuilder &builder, Location loc, bool isDevice, const std::string &what, ValueRange values,
            llvm::function_ref<void(ValueRange)> report) {
    auto place = loc->findInstanceOf<FileLineColLoc>();
    std::string name = (isDevice ? "cufortCheck." : "cufortCheck.host.") + what + "." + std::to_string(values.size());
    if (place)
      name += "." + place.getFilename().str() + (isDevice ? ":" + std::to_string(place.getLine()) : "");
    SmallVector<Value> arguments(values);
    StringAttr file = place && !isDevice ? place.getFilename() : StringAttr();
    if (file)
      arguments.push_back(builder.createIntegerConstant(loc, builder.getI32Type(), place.getLine()));
    func::FuncOp &func = functions[name];
    if (!func)
      func = create(builder, loc, isDevice, name, arguments, file, report);
    fir::CallOp::create(builder, loc, func, arguments);
  }

private:
  /// With `file`, the last of `values` is the line.
  static func::FuncOp create(fir::FirOpBuilder &builder, Location loc, bool isDevice, StringRef name, ValueRange values,
                             StringAttr file, llvm::function_ref<void(ValueRange)> report) {
    OpBuilder::InsertionGuard guard(builder);
    // In the order in which LLVM inlines them, the last call of a long block comes first: what is behind a call moves.
    builder.setInsertionPointToStart(builder.getModule().getBody());
    auto func = func::FuncOp::create(builder, loc, name, builder.getFunctionType(values.getTypes(), {}));
    MLIRContext *context = builder.getContext();
    if (isDevice)
      func->setAttr("cuf.proc_attr", cuf::ProcAttributeAttr::get(context, cuf::ProcAttribute::Device));
    func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    func->setAttr("passthrough", builder.getStrArrayAttr({"alwaysinline"}));
    builder.setInsertionPointToStart(func.addEntryBlock());
    builder.genIfThen(loc, func.getArgument(0))
        .genThen([&] { report(ValueRange(func.getArguments()).drop_front().drop_back(file ? 1 : 0)); })
        .end();
    func::ReturnOp::create(builder, loc);
    if (file) {
      func->setAttr(fileOfChecksAttribute, file);
      // Without lines of its own it gets that of each call that LLVM inlines. Flang adds none to what has such a place.
      Location nowhere = builder.getUnknownLoc();
      func->walk([&](Operation *op) { op->setLoc(nowhere); });
      func->setLoc(FusedLoc::get({nowhere}, file, context));
    }
    return func;
  }

  llvm::StringMap<func::FuncOp> functions;
};

/// The checks of one reference.
class ReferenceCheck {
public:
  ReferenceCheck(hlfir::DesignateOp designate, CheckFunctions &functions)
      : designate(designate), functions(functions), loc(designate.getLoc()),
        builder(designate.getOperation(), fir::getKindMapping(designate->getParentOfType<ModuleOp>())) {}

  void checkSubscripts() {
    if (designate.getIndices().empty())
      return;
    Bounds bounds = boundsOfArray();
    auto index = designate.getIndices().begin();
    for (auto [dimension, isTriplet] : llvm::enumerate(designate.getIsTriplet())) {
      if (dimension >= bounds.size())
        return;
      Value lower = widen(bounds[dimension].first), upper = bounds[dimension].second;
      upper = upper ? widen(upper) : Value();
      if (isTriplet) {
        checkTriplet(dimension + 1, widen(index[0]), widen(index[1]), widen(index[2]), lower, upper);
        index += 3;
      } else {
        check(dimension + 1, widen(*index), lower, upper, {});
        ++index;
      }
    }
  }

  /// A substring of no characters is always right.
  void checkSubstring() {
    Value length = designate.getSubstring().empty() ? Value() : lengthOfString();
    if (!length)
      return;
    Value first = widen(designate.getSubstring()[0]), last = widen(designate.getSubstring()[1]);
    Value some = compare(arith::CmpIPredicate::sle, first, last);
    Value one = builder.createIntegerConstant(loc, builder.getI64Type(), 1);
    for (Value position : {first, last})
      check(/*dimension=*/0, position, one, length, some);
  }

  /// The descriptor of a pointer or allocatable variable has an address if there is a target.
  void checkPointer() {
    auto load = designate.getMemref().getDefiningOp<fir::LoadOp>();
    auto box = load ? dyn_cast<fir::BaseBoxType>(load.getType()) : fir::BaseBoxType();
    if (!box || !isa<fir::HeapType, fir::PointerType>(box.getEleTy()))
      return;
    Value address = fir::BoxAddrOp::create(builder, loc, load);
    std::string name = nameOf(load.getMemref());
    functions.call(builder, loc, isInDeviceCode(designate), name + ".null", builder.genIsNullAddr(loc, address),
                   [&](ValueRange) { NullErrorOp::create(builder, loc, name); });
  }

private:
  /// What the user calls `memory`, without subscripts: `a%b%c`.
  static std::string nameOf(Value memory) {
    if (auto load = memory.getDefiningOp<fir::LoadOp>())
      return nameOf(load.getMemref());
    if (auto part = memory.getDefiningOp<hlfir::DesignateOp>()) {
      std::string whole = nameOf(part.getMemref());
      return part.getComponent() ? whole + "%" + part.getComponent()->str() : whole;
    }
    StringRef name = variableName(memory);
    return name.empty() ? "an array" : name.str();
  }

  Value widen(Value value) { return builder.createConvert(loc, builder.getI64Type(), value); }

  /// Bounds of the array to which the subscripts belong; upper bounds that nobody knows are null.
  Bounds boundsOfArray() {
    Value shape = designate.getComponentShape();
    hlfir::Entity array{designate.getMemref()};
    if (!shape && !array.isArray())
      return {};
    Bounds bounds;
    for (auto [lower, upper] : shape ? hlfir::genBounds(loc, builder, shape) : hlfir::genBounds(loc, builder, array))
      bounds.push_back({lower, upper});
    if (!bounds.empty() && !shape && (isAssumedSize(array) || isCrayPointee(array)))
      bounds.back().second = {};
    else if (!bounds.empty() && !shape && isPolymorphic(array))
      bounds.back().second = upperBoundIfKnown(bounds.back());
    return bounds;
  }

  /// The descriptor of a polymorphic array tells at run time whether its size is assumed: its last extent is -1 then.
  Value upperBoundIfKnown(std::pair<Value, Value> bounds) {
    Value lower = widen(bounds.first), upper = widen(bounds.second);
    Value next =
        arith::AddIOp::create(builder, loc, upper, builder.createIntegerConstant(loc, builder.getI64Type(), 1));
    Value isUnknown = compare(arith::CmpIPredicate::slt, next, lower);
    Value greatest = builder.createIntegerConstant(loc, builder.getI64Type(), INT64_MAX);
    return arith::SelectOp::create(builder, loc, isUnknown, greatest, upper);
  }

  /// The length of the string that the substring is part of, or null if nobody knows it.
  Value lengthOfString() {
    if (!designate.getComponent())
      return widen(hlfir::genCharLength(loc, builder, hlfir::Entity{designate.getMemref()}));
    auto record = cast<fir::RecordType>(hlfir::getFortranElementType(designate.getMemref().getType()));
    auto string = dyn_cast<fir::CharacterType>(hlfir::getFortranElementType(record.getType(*designate.getComponent())));
    return string && string.hasConstantLen() ? builder.createIntegerConstant(loc, builder.getI64Type(), string.getLen())
                                             : Value();
  }

  static bool isAssumedSize(Value array) {
    auto declare = array.getDefiningOp<hlfir::DeclareOp>();
    Operation *shape = declare && declare.getShape() ? declare.getShape().getDefiningOp() : nullptr;
    if (!shape || shape->getNumOperands() == 0)
      return false;
    Value extent = shape->getOperand(shape->getNumOperands() - 1);
    auto constant = fir::getIntIfConstant(extent);
    return extent.getDefiningOp<fir::AssumedSizeExtentOp>() || (constant && *constant < 0);
  }

  /// True for a polymorphic array, also where SELECT TYPE knows its type.
  static bool isPolymorphic(Value array) {
    while (!isa<fir::ClassType>(array.getType())) {
      Operation *op = array.getDefiningOp();
      if (!isa_and_nonnull<hlfir::DeclareOp, fir::ConvertOp>(op))
        return false;
      array = op->getOperand(0);
    }
    return true;
  }

  /// A Cray pointee has a descriptor, in which an assumed size is an extent of -1.
  static bool isCrayPointee(Value array) {
    auto load = array.getDefiningOp<fir::LoadOp>();
    auto declare = load ? load.getMemref().getDefiningOp<hlfir::DeclareOp>() : hlfir::DeclareOp();
    auto attributes = declare ? declare.getFortranAttrs() : std::nullopt;
    return attributes && bitEnumContainsAny(*attributes, fir::FortranVariableFlagsEnum::cray_pointee);
  }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  static bool isWithin(Value subscript, Value lower, Value upper) {
    auto number = knownNumber(subscript), first = knownNumber(lower), last = upper ? knownNumber(upper) : INT64_MAX;
    return number && first && last && *first <= *number && *number <= *last;
  }

  /// Dimension 0 is that of the characters of a string. `onlyIf` may be null: always.
  void check(unsigned dimension, Value subscript, Value lower, Value upper, Value onlyIf) {
    // A branch for each of thousands of constants would take long to compile.
    if (isWithin(subscript, lower, upper))
      return;
    Value bad = compare(arith::CmpIPredicate::slt, subscript, lower);
    if (upper)
      bad = arith::OrIOp::create(builder, loc, bad, compare(arith::CmpIPredicate::sgt, subscript, upper));
    if (onlyIf)
      bad = arith::AndIOp::create(builder, loc, bad, onlyIf);
    std::string name = nameOf(designate.getMemref());
    if (designate.getComponent())
      name += "%" + designate.getComponent()->str();
    auto report = [&](ValueRange values) {
      Value upper = values.size() > 2 ? values[2] : builder.createIntegerConstant(loc, builder.getI64Type(), INT64_MAX);
      SubscriptErrorOp::create(builder, loc, name, dimension, values[0], values[1], upper);
    };
    SmallVector<Value> values = {bad, subscript, lower};
    if (upper)
      values.push_back(upper);
    functions.call(builder, loc, isInDeviceCode(designate), name + "." + std::to_string(dimension), values, report);
  }

  /// A section has the elements from `first` to the last one that `step` reaches; an empty one is always right.
  void checkTriplet(unsigned dimension, Value first, Value limit, Value step, Value lower, Value upper) {
    Value zero = builder.createIntegerConstant(loc, builder.getI64Type(), 0);
    Value ascends = compare(arith::CmpIPredicate::sgt, step, zero);
    Value some = arith::SelectOp::create(builder, loc, ascends, compare(arith::CmpIPredicate::sle, first, limit),
                                         compare(arith::CmpIPredicate::sge, first, limit));
    Value steps = arith::DivSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, limit, first), step);
    Value last = arith::AddIOp::create(builder, loc, first, arith::MulIOp::create(builder, loc, steps, step));
    check(dimension, first, lower, upper, some);
    check(dimension, last, lower, upper, some);
  }

  hlfir::DesignateOp designate;
  CheckFunctions &functions;
  Location loc;
  fir::FirOpBuilder builder;
};

/// Compares the extents of the sides of a transfer between arrays. A target that is allocated by the transfer takes
/// any, and a source without memory is an error of its own.
void checkExtents(cuf::DataTransferOp transfer, CheckFunctions &functions) {
  hlfir::Entity source = variableOf(transfer.getSrc()), target = variableOf(transfer.getDst());
  if (!source.isArray() || source.getRank() != target.getRank() || fir::isAllocatableType(target.getType()))
    return;
  Location loc = transfer.getLoc();
  fir::FirOpBuilder builder(transfer.getOperation(), fir::getKindMapping(transfer->getParentOfType<ModuleOp>()));
  auto widen = [&](Value value) { return builder.createConvert(loc, builder.getI64Type(), value); };
  Value hasMemory;
  if (source.isMutableBox()) {
    source = hlfir::derefPointersAndAllocatables(loc, builder, source);
    hasMemory = builder.genIsNotNullAddr(loc, fir::BoxAddrOp::create(builder, loc, source));
  }
  target = hlfir::derefPointersAndAllocatables(loc, builder, target);
  auto extents =
      llvm::zip(hlfir::genExtentsVector(loc, builder, source), hlfir::genExtentsVector(loc, builder, target));
  for (auto [dimension, pair] : llvm::enumerate(extents)) {
    Value from = widen(std::get<0>(pair)), to = widen(std::get<1>(pair));
    Value bad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, from, to);
    if (hasMemory)
      bad = arith::AndIOp::create(builder, loc, bad, hasMemory);
    functions.call(builder, loc, /*isDevice=*/false, "extent." + std::to_string(dimension + 1), {bad, from, to},
                   [&, dimension = dimension](ValueRange values) {
                     ExtentErrorOp::create(builder, loc, dimension + 1, values[0], values[1]);
                   });
  }
}

/// What to check: `designate`, or a copy of it before the WHERE or FORALL that it stands in, or nothing. In these the
/// check, which may end the kernel, would make lowering keep their parts on a stack.
hlfir::DesignateOp checkedPlace(hlfir::DesignateOp designate) {
  return isInDeviceCode(designate) ? copyBeforeAssignment(designate) : designate;
}

struct CheckAccessesPass : cufort::cufx::impl::CheckAccessesBase<CheckAccessesPass> {
  using CheckAccessesBase::CheckAccessesBase;

  void runOnOperation() override {
    SmallVector<hlfir::DesignateOp> found, references, copies;
    getOperation().walk([&](hlfir::DesignateOp designate) {
      if (designate->getParentOfType<func::FuncOp>())
        found.push_back(designate);
    });
    for (hlfir::DesignateOp designate : found)
      if (hlfir::DesignateOp checked = checkedPlace(designate)) {
        references.push_back(checked);
        if (checked != designate)
          copies.push_back(checked);
      }
    SmallVector<cuf::DataTransferOp> transfers;
    getOperation().walk([&](cuf::DataTransferOp transfer) { transfers.push_back(transfer); });
    CheckFunctions functions;
    if (hostSubscripts)
      for (cuf::DataTransferOp transfer : transfers)
        checkExtents(transfer, functions);
    for (hlfir::DesignateOp designate : references) {
      ReferenceCheck check(designate, functions);
      if (pointers)
        check.checkPointer();
      if (isInDeviceCode(designate) ? deviceSubscripts : hostSubscripts) {
        check.checkSubscripts();
        check.checkSubstring();
      }
    }
    for (hlfir::DesignateOp copy : copies)
      copy.erase();
  }
};

} // namespace
