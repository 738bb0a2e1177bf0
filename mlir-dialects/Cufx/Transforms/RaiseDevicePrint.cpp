// List-directed output of device code: one runtime call for each item becomes one cufx.print for the line.
//
// In: `_FortranAioBeginExternalListOutput`, one `_FortranAioOutput...` for each item, `_FortranAioEndIoStatement`,
// in device code. Out: cufx.print with a format for vprintf. Character constants go into the format itself, other
// strings are copied, because vprintf knows the end of a string by a zero. Statements with arrays, derived types, loops
// and conditions are those of PrintText.cpp, and so are others with many numbers when one is none or infinite.

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/PrintText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_RAISEDEVICEPRINT
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// One output statement being rewritten.
class PrintStatement {
public:
  explicit PrintStatement(fir::CallOp begin) : begin(begin), builder(begin) {}

  LogicalResult rewrite() {
    if (!isStandardOutput(begin.getArgs().front()))
      return unsupported(begin, "output to a unit other than * and 6");
    fir::CallOp end;
    SmallVector<fir::CallOp> items, handlers;
    for (Operation *user : begin.getResult(0).getUsers())
      if (auto call = dyn_cast<fir::CallOp>(user); call && isAboutErrors(call))
        handlers.push_back(call);
      else if (call)
        (calleeName(call) == "_FortranAioEndIoStatement" ? end : items.emplace_back()) = call;
    if (!end)
      return unsupported(begin, "this output statement");
    bool isSimple = llvm::all_of(items, [&](fir::CallOp item) { return isSimpleItem(item); });
    if (failed(isSimple ? printSimple(items, end) : printText(begin, items, end)))
      return failure();
    for (fir::CallOp call : llvm::concat<fir::CallOp>(items, handlers))
      eraseCall(call);
    eraseCall(end);
    begin.erase();
    return success();
  }

private:
  static bool isStandardOutput(Value unit) {
    constexpr int64_t defaultUnit = -1, preconnectedUnit = 6;
    auto number = fir::getIntIfConstant(unit);
    return number && (*number == defaultUnit || *number == preconnectedUnit);
  }

  /// IOSTAT=, ERR= and IOMSG=: there are no errors.
  static bool isAboutErrors(fir::CallOp call) {
    return llvm::is_contained({"_FortranAioEnableHandlers", "_FortranAioGetIoMsg"}, calleeName(call));
  }

  /// True if the item is always there, and a format has a conversion for it.
  bool isSimpleItem(fir::CallOp item) const {
    StringRef kind = calleeName(item);
    if (item->getBlock() != begin->getBlock() || !kind.consume_front("_FortranAioOutput"))
      return false;
    if (kind == "Ascii")
      return constantText(item.getArgs()[1]) || constantLength(item);
    return llvm::is_contained(
        {"Integer8", "Integer16", "Integer32", "Integer64", "Real32", "Real64", "Complex32", "Complex64", "Logical"},
        kind);
  }

  static std::optional<int64_t> constantLength(fir::CallOp text) {
    Value extent = text.getArgs()[2];
    while (auto convert = extent.getDefiningOp<fir::ConvertOp>())
      extent = convert.getValue();
    return fir::getIntIfConstant(extent);
  }

  /// Simple items become one operation with a format. vprintf has other names for infinities and NaNs than Fortran:
  /// where numbers may be such, there is an operation for each case, or the text is put together if these are many.
  LogicalResult printSimple(SmallVector<fir::CallOp> items, fir::CallOp end) {
    constexpr size_t fewNumbers = 2;
    llvm::sort(items, [](fir::CallOp a, fir::CallOp b) { return a->isBeforeInBlock(b); });
    builder.setInsertionPoint(end);
    llvm::SetVector<Value> numbers;
    for (fir::CallOp item : items)
      for (Value argument : item.getArgs())
        if (isa<FloatType>(argument.getType()))
          numbers.insert(argument);
    if (numbers.size() <= fewNumbers) {
      printCases(items, numbers.getArrayRef());
      return success();
    }
    Value isSpecial;
    for (Value number : numbers)
      isSpecial = isSpecial ? arith::OrIOp::create(builder, begin.getLoc(), isSpecial, isNotFinite(number))
                            : isNotFinite(number);
    auto branch = fir::IfOp::create(builder, begin.getLoc(), isSpecial, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(&branch.getElseRegion().front());
    printFormat(items);
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    return printCopy(items, end);
  }

  /// An operation for each choice of those of `numbers` that are not finite.
  void printCases(ArrayRef<fir::CallOp> items, ArrayRef<Value> numbers) {
    if (numbers.empty())
      return printFormat(items);
    OpBuilder::InsertionGuard guard(builder);
    auto branch = fir::IfOp::create(builder, begin.getLoc(), isNotFinite(numbers.front()), /*withElseRegion=*/true);
    builder.setInsertionPointToStart(&branch.getElseRegion().front());
    printCases(items, numbers.drop_front());
    builder.setInsertionPointToStart(&branch.getThenRegion().front());
    special.insert(numbers.front());
    printCases(items, numbers.drop_front());
    special.erase(numbers.front());
  }

  Value isNotFinite(Value number) {
    Location loc = begin.getLoc();
    auto type = cast<FloatType>(number.getType());
    const llvm::fltSemantics &kind = type.getFloatSemantics();
    llvm::APInt infinity = llvm::APFloat::getInf(kind).bitcastToAPInt();
    Type word = builder.getIntegerType(type.getWidth());
    Value bits = arith::BitcastOp::create(builder, loc, word, number);
    Value mask = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(word, infinity));
    Value exponent = arith::AndIOp::create(builder, loc, bits, mask);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, exponent, mask);
  }

  void printFormat(ArrayRef<fir::CallOp> items) {
    format.clear();
    values.clear();
    followsText = false;
    for (fir::CallOp item : items)
      addItem(item);
    format += "\n";
    PrintOp::create(builder, begin.getLoc(), format, values);
  }

  /// The statement once more at the place of the builder, with its text put together before it is printed.
  LogicalResult printCopy(ArrayRef<fir::CallOp> items, fir::CallOp end) {
    IRMapping mapping;
    auto copyOf = [&](fir::CallOp call) { return cast<fir::CallOp>(builder.clone(*call, mapping)); };
    fir::CallOp beginCopy = copyOf(begin);
    SmallVector<fir::CallOp> copies;
    for (fir::CallOp item : items)
      copies.push_back(copyOf(item));
    fir::CallOp endCopy = copyOf(end);
    if (failed(printText(beginCopy, copies, endCopy)))
      return failure();
    copies.push_back(endCopy);
    llvm::for_each(copies, [](fir::CallOp call) { call.erase(); });
    beginCopy.erase();
    return success();
  }

  static LogicalResult unsupported(fir::CallOp call, StringRef what) {
    return call.emitError() << what << " is not supported in device code";
  }

  /// Erases a call whose status nobody needs: device output cannot fail.
  void eraseCall(fir::CallOp call) {
    for (Value result : call.getResults())
      if (!result.use_empty()) {
        OpBuilder at(call);
        bool isStatus = calleeName(call) == "_FortranAioEndIoStatement";
        result.replaceAllUsesWith(
            arith::ConstantOp::create(at, call.getLoc(), at.getIntegerAttr(result.getType(), isStatus ? 0 : 1)));
      }
    call.erase();
  }

  void addValue(StringRef conversion, Value value) {
    format += conversion;
    values.push_back(value);
  }

  Value convert(Value value, Type type) {
    return value.getType() == type ? value : fir::ConvertOp::create(builder, begin.getLoc(), type, value).getResult();
  }

  void addReal(Value value, bool single) {
    if (special.contains(value))
      addValue("%s", nameOf(value));
    else
      addValue(single ? "%#.8g" : "%#.16g", convert(value, builder.getF64Type()));
  }

  /// What Fortran calls a number that is not finite.
  Value nameOf(Value number) {
    constexpr StringRef routine = "cufortSpecialName";
    auto module = begin->getParentOfType<ModuleOp>();
    Type text = fir::ReferenceType::get(builder.getI8Type()), f64 = builder.getF64Type();
    if (!module.lookupSymbol(routine)) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
      func::FuncOp::create(atEnd, begin.getLoc(), routine, builder.getFunctionType(f64, text)).setPrivate();
    }
    auto symbol = SymbolRefAttr::get(builder.getContext(), routine);
    return fir::CallOp::create(builder, begin.getLoc(), symbol, text, ValueRange{convert(number, f64)}).getResult(0);
  }

  void addLogical(Value value) {
    Location loc = begin.getLoc();
    Value truth = convert(value, builder.getI1Type());
    Value yes = arith::ConstantIntOp::create(builder, loc, 'T', 32);
    Value no = arith::ConstantIntOp::create(builder, loc, 'F', 32);
    addValue(" %c", arith::SelectOp::create(builder, loc, truth, yes, no));
  }

  /// The characters at `address` if they are a constant, or null.
  static StringAttr constantText(Value address) {
    while (auto convert = address.getDefiningOp<fir::ConvertOp>())
      address = convert.getValue();
    if (auto declare = address.getDefiningOp<fir::DeclareOp>())
      address = declare.getMemref();
    while (auto convert = address.getDefiningOp<fir::ConvertOp>())
      address = convert.getValue();
    auto constant = address.getDefiningOp<fir::AddrOfOp>();
    auto module = constant ? constant->getParentOfType<ModuleOp>() : ModuleOp();
    auto global = module ? module.lookupSymbol<fir::GlobalOp>(constant.getSymbol()) : fir::GlobalOp();
    if (!global || !global.getConstant() || !global.hasInitializationBody())
      return {};
    fir::StringLitOp literal;
    global.walk([&](fir::StringLitOp op) { literal = op; });
    return literal ? dyn_cast<StringAttr>(literal.getValue()) : StringAttr();
  }

  /// A character constant becomes part of the format.
  void addConstant(StringRef text) {
    for (char c : text) {
      format += c;
      if (c == '%')
        format += c;
    }
  }

  /// The characters are copied to memory of the thread, with a zero behind them.
  void addVariable(Value address, int64_t length) {
    Location loc = begin.getLoc();
    Type byte = builder.getI8Type();
    Type bytes = fir::ReferenceType::get(fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, byte));
    Value from = convert(address, bytes);
    Value to = convert(allocateLocal(fir::SequenceType::get({length + 1}, byte)), bytes);
    auto place = [&](Value array, Value index) {
      return fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(byte), array, index).getResult();
    };
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::ConstantIndexOp::create(builder, loc, length - 1);
    auto loop = fir::DoLoopOp::create(builder, loc, zero, last, one);
    builder.setInsertionPointToStart(loop.getBody());
    Value character = fir::LoadOp::create(builder, loc, place(from, loop.getInductionVar()));
    fir::StoreOp::create(builder, loc, character, place(to, loop.getInductionVar()));
    builder.setInsertionPointAfter(loop);
    Value end = arith::ConstantIndexOp::create(builder, loc, length);
    fir::StoreOp::create(builder, loc, arith::ConstantIntOp::create(builder, loc, byte, 0), place(to, end));
    addValue("%s", to);
  }

  /// Memory of the thread, which loops do not take again and again.
  Value allocateLocal(Type type) {
    OpBuilder atStart = OpBuilder::atBlockBegin(&startOfDeviceCode(begin));
    return fir::AllocaOp::create(atStart, begin.getLoc(), type);
  }

  void addText(fir::CallOp item) {
    Value address = item.getArgs()[1];
    if (!followsText) // adjacent strings are not separated
      format += ' ';
    if (StringAttr text = constantText(address))
      addConstant(text.getValue());
    else
      addVariable(address, *constantLength(item));
  }

  void addItem(fir::CallOp item) {
    StringRef kind = calleeName(item).drop_front(StringRef("_FortranAioOutput").size());
    auto value = [&](unsigned i = 1) { return item.getArgs()[i]; };
    if (kind == "Integer64") {
      addValue(" %lld", value());
    } else if (kind.starts_with("Integer")) {
      addValue(" %d", convert(value(), builder.getI32Type()));
    } else if (kind == "Real32" || kind == "Real64") {
      format += ' ';
      addReal(value(), kind == "Real32");
    } else if (kind == "Complex32" || kind == "Complex64") {
      format += " (";
      addReal(value(1), kind == "Complex32");
      format += ',';
      addReal(value(2), kind == "Complex32");
      format += ')';
    } else if (kind == "Logical") {
      addLogical(value());
    } else {
      addText(item);
    }
    followsText = kind == "Ascii";
  }

  fir::CallOp begin;
  OpBuilder builder;
  std::string format;
  SmallVector<Value> values;
  llvm::DenseSet<Value> special; ///< numbers that are not finite in the case that is being printed
  bool followsText = false;
};

/// `stop` and `error stop` end the kernel, and so do checks that Flang puts into its code.
void replaceStop(fir::CallOp call) {
  OpBuilder builder(call);
  bool isStatement = calleeName(call).starts_with("_FortranAStopStatement");
  TrapOp::create(builder, call.getLoc(), isStatement ? "stop statement" : "wrong argument of an intrinsic");
  call.erase();
}

struct RaiseDevicePrintPass : cufort::cufx::impl::RaiseDevicePrintBase<RaiseDevicePrintPass> {
  void runOnOperation() override {
    SmallVector<fir::CallOp> statements, stops;
    getOperation().walk([&](fir::CallOp call) {
      if (!isInDeviceCode(call))
        return;
      StringRef callee = calleeName(call);
      if (callee == "_FortranAioBeginExternalListOutput")
        statements.push_back(call);
      else if (callee.starts_with("_FortranAStopStatement") || callee == "_FortranAReportFatalUserError")
        stops.push_back(call);
    });
    for (fir::CallOp statement : statements)
      if (failed(PrintStatement(statement).rewrite()))
        signalPassFailure();
    llvm::for_each(stops, replaceStop);
  }
};

} // namespace
