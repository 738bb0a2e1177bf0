// In: the calls of one output statement, those for items wherever they are:
//
//   %cookie = fir.call @_FortranAioBeginExternalListOutput
//   fir.do_loop { fir.call @_FortranAioOutputReal32(%cookie, %x) }
//   fir.call @_FortranAioOutputDescriptor(%cookie, %box)
//   fir.call @_FortranAioEndIoStatement(%cookie)
//
// Out, beside these calls: a variable for the state of the line, and for each item a routine of the device library,
//
//   fir.call @cufortLineBegin(%line)
//   fir.do_loop { fir.call @cufortLineReal(%line, %x, %digits) }
//   fir.call @cufortLineArray(%line, %box, %type)
//   cufx.print "%s\0A", %text
//
// Derived types become loops over their elements, and calls for each component.

#include "mlir-dialects/Cufx/Transforms/PrintText.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// As codegen/DeviceLibrary/PrintText.cpp has them.
enum ElementType { Integer = 0, Real = 1, Complex = 2, Logical = 3, Character = 4 };
constexpr int64_t lineBytes = 32;

/// What the device library calls `type`, or nothing if it cannot put it out.
std::optional<ElementType> elementTypeOf(Type type) {
  if (type.isInteger(8) || type.isInteger(16) || type.isInteger(32) || type.isInteger(64))
    return Integer;
  if (type.isF16() || type.isF32() || type.isF64())
    return Real;
  if (auto complex = dyn_cast<ComplexType>(type))
    return elementTypeOf(complex.getElementType()) == Real ? std::optional(Complex) : std::nullopt;
  if (isa<fir::LogicalType>(type))
    return Logical;
  if (auto character = dyn_cast<fir::CharacterType>(type))
    return character.getFKind() == 1 ? std::optional(Character) : std::nullopt;
  return std::nullopt;
}

int digitsOf(Type real) { return real.isF16() ? 5 : real.isF32() ? 8 : 16; }

class Line {
public:
  explicit Line(fir::CallOp begin) : module(begin->getParentOfType<ModuleOp>()), loc(begin.getLoc()), builder(begin) {
    OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(begin));
    auto bytes = fir::SequenceType::get({lineBytes / 8}, builder.getI64Type());
    line = convert(fir::AllocaOp::create(atStart, loc, bytes), pointer());
    call("cufortLineBegin", {line});
  }

  LogicalResult add(fir::CallOp item) {
    builder.setInsertionPoint(item);
    loc = item.getLoc();
    StringRef kind = calleeName(item);
    auto value = [&](unsigned i = 1) { return item.getArgs()[i]; };
    if (!kind.consume_front("_FortranAioOutput"))
      return unsupported("a specifier of this output statement");
    if (kind.starts_with("Integer") && value().getType().getIntOrFloatBitWidth() <= 64)
      addInteger(value());
    else if (kind == "Real32" || kind == "Real64")
      addReal(value());
    else if (kind == "Complex32" || kind == "Complex64")
      addComplex(value(1), value(2));
    else if (kind == "Logical")
      addLogical(value());
    else if (kind == "Ascii")
      addText(value(1), value(2));
    else if (kind == "Descriptor" || kind == "DerivedType")
      return addBox(beforeConversion(value()));
    else
      return unsupported("output of this type");
    return success();
  }

  void finish(fir::CallOp end) {
    builder.setInsertionPoint(end);
    loc = end.getLoc();
    Value text = call("cufortLineResult", {line}, pointer());
    PrintOp::create(builder, loc, "%s\n", ValueRange{text});
    call("cufortLineEnd", {line});
  }

private:
  LogicalResult unsupported(StringRef what) { return emitError(loc) << what << " is not supported in device code"; }

  Type pointer() { return fir::ReferenceType::get(builder.getI8Type()); }
  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value); }

  Value convert(Value value, Type type) {
    return value.getType() == type ? value : fir::ConvertOp::create(builder, loc, type, value).getResult();
  }

  Value call(StringRef name, ArrayRef<Value> arguments, Type result = {}) {
    SmallVector<Type> results;
    if (result)
      results.push_back(result);
    if (!module.lookupSymbol(name)) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
      func::FuncOp::create(atEnd, loc, name, builder.getFunctionType(TypeRange(ValueRange(arguments)), results))
          .setPrivate();
    }
    auto symbol = SymbolRefAttr::get(builder.getContext(), name);
    auto created = fir::CallOp::create(builder, loc, symbol, results, arguments);
    return result ? created.getResult(0) : Value();
  }

  void addInteger(Value value) { call("cufortLineInteger", {line, convert(value, builder.getI64Type())}); }

  void addReal(Value value) {
    Type type = value.getType();
    call("cufortLineReal", {line, convert(value, builder.getF64Type()), constant(digitsOf(type))});
  }

  void addComplex(Value real, Value imaginary) {
    Type type = real.getType(), f64 = builder.getF64Type();
    call("cufortLineComplex", {line, convert(real, f64), convert(imaginary, f64), constant(digitsOf(type))});
  }

  void addLogical(Value value) {
    Value truth = convert(value, builder.getI1Type());
    call("cufortLineLogical", {line, arith::ExtUIOp::create(builder, loc, builder.getI32Type(), truth)});
  }

  void addText(Value address, Value length) {
    call("cufortLineText", {line, convert(address, pointer()), convert(length, builder.getI64Type())});
  }

  /// An array of any type, or a scalar for which Flang has no routine.
  LogicalResult addBox(Value box) {
    Type type = fir::unwrapSequenceType(fir::unwrapRefType(fir::unwrapRefType(box.getType())));
    if (auto boxType = dyn_cast<fir::BaseBoxType>(box.getType()))
      type = fir::unwrapSequenceType(fir::unwrapRefType(boxType.getEleTy()));
    Value descriptor = convert(box, fir::BoxType::get(builder.getNoneType()));
    if (auto elementType = elementTypeOf(type)) {
      call("cufortLineArray", {line, descriptor, constant(*elementType)});
      return success();
    }
    auto record = dyn_cast<fir::RecordType>(type);
    if (!record || isa<fir::ClassType>(box.getType()))
      return unsupported("output of this type");
    Value count = convert(call("cufortElementCount", {descriptor}, builder.getI64Type()), builder.getIndexType());
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, count, one);
    auto loop = fir::DoLoopOp::create(builder, loc, zero, last, one);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value number = convert(loop.getInductionVar(), builder.getI64Type());
    Value address = call("cufortElementAddress", {descriptor, number}, pointer());
    return addComponents(convert(address, fir::ReferenceType::get(record)), record);
  }

  LogicalResult addComponents(Value address, fir::RecordType record) {
    for (auto [number, component] : llvm::enumerate(record.getTypeList())) {
      Type type = component.second;
      Attribute index = builder.getI32IntegerAttr(number);
      Value place = fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(type), address,
                                              ArrayRef<fir::IntOrValue>{cast<IntegerAttr>(index)});
      if (failed(addComponent(place, type)))
        return failure();
    }
    return success();
  }

  LogicalResult addComponent(Value place, Type type) {
    if (isa<fir::BaseBoxType, fir::BoxProcType>(type))
      return unsupported("output of allocatable and pointer components");
    if (auto record = dyn_cast<fir::RecordType>(type))
      return addComponents(place, record);
    Value shape;
    if (auto sequence = dyn_cast<fir::SequenceType>(type)) {
      SmallVector<Value> extents;
      for (int64_t extent : sequence.getShape())
        extents.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
      shape = fir::ShapeOp::create(builder, loc, extents);
    }
    return addBox(fir::EmboxOp::create(builder, loc, fir::BoxType::get(type), place, shape).getResult());
  }

  ModuleOp module;
  Location loc;
  OpBuilder builder;
  Value line;
};

} // namespace

LogicalResult cufort::cufx::printText(fir::CallOp begin, ArrayRef<fir::CallOp> items, fir::CallOp end) {
  Line line(begin);
  for (fir::CallOp item : items)
    if (failed(line.add(item)))
      return failure();
  line.finish(end);
  return success();
}
