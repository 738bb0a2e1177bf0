// Matrix operations of a warp as LLVM's wmma intrinsics, one for each operation.
//
// An intrinsic takes and gives the registers of a lane one by one. They are read from the fragment and written to it as
// a whole; for a fragment in a local variable LLVM's SROA makes values of them, and of elements that Fortran reads.

#include "codegen/Conversion/CufxToNVVM/MatrixToNVVM.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cufort;

namespace {

/// The registers of a lane that hold one fragment.
struct Registers {
  Type type;
  unsigned count;

  Registers(cufx::MatrixRole role, Type element) : type(element), count(8) {
    bool isOperand = role != cufx::MatrixRole::C;
    if (element.isF64())
      count = isOperand ? 1 : 2;
    else if (element.isF16()) {
      type = VectorType::get(2, element);
      count = isOperand ? 8 : 4;
    }
  }

  /// The type in which an intrinsic gives them.
  Type result() const {
    if (count == 1)
      return type;
    return LLVM::LLVMStructType::getLiteral(type.getContext(), SmallVector<Type>(count, type));
  }
};

std::string elementName(Type element) { return "f" + std::to_string(element.getIntOrFloatBitWidth()); }

/// Reads and writes the registers of fragments. The alignment of a fragment is that of its elements: it may be a
/// component of any derived type.
class FragmentAccess {
public:
  FragmentAccess(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  SmallVector<Value> load(Value fragment, Registers registers, Type element) {
    SmallVector<Value> values;
    for (unsigned i = 0; i < registers.count; ++i)
      values.push_back(
          LLVM::LoadOp::create(builder, loc, registers.type, address(fragment, registers, i), alignment(element)));
    return values;
  }

  void store(Value result, Value fragment, Registers registers, Type element) {
    for (unsigned i = 0; i < registers.count; ++i) {
      Value value = registers.count == 1 ? result : LLVM::ExtractValueOp::create(builder, loc, result, i).getResult();
      LLVM::StoreOp::create(builder, loc, value, address(fragment, registers, i), alignment(element));
    }
  }

private:
  static unsigned alignment(Type element) { return element.getIntOrFloatBitWidth() / 8; }

  Value address(Value fragment, Registers registers, unsigned index) {
    return LLVM::GEPOp::create(builder, loc, fragment.getType(), registers.type, fragment,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }

  OpBuilder &builder;
  Location loc;
};

/// The value of `result`, or nothing if the intrinsic gives none.
Value createIntrinsic(OpBuilder &builder, Location loc, const llvm::Twine &name, Type result, ValueRange operands) {
  auto full = builder.getStringAttr("llvm.nvvm.wmma." + name);
  if (!result) {
    LLVM::CallIntrinsicOp::create(builder, loc, full, operands);
    return Value();
  }
  return LLVM::CallIntrinsicOp::create(builder, loc, result, full, operands).getResult(0);
}

struct MatrixLoadLowering : ConvertOpToLLVMPattern<cufx::MatrixLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = op.getElement();
    Registers registers(op.getRole(), element);
    Value loaded =
        createIntrinsic(rewriter, loc,
                        cufx::stringifyMatrixShape(op.getShape()) + ".load." + cufx::stringifyMatrixRole(op.getRole()) +
                            "." + cufx::stringifyMatrixOrder(op.getOrder()) + ".stride." + elementName(element) + ".p0",
                        registers.result(), {adaptor.getMemory(), adaptor.getLeading()});
    FragmentAccess(rewriter, loc).store(loaded, adaptor.getFragment(), registers, element);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MatrixStoreLowering : ConvertOpToLLVMPattern<cufx::MatrixStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = op.getElement();
    Registers registers(cufx::MatrixRole::C, element);
    SmallVector<Value> operands{adaptor.getMemory()};
    llvm::append_range(operands, FragmentAccess(rewriter, loc).load(adaptor.getFragment(), registers, element));
    operands.push_back(adaptor.getLeading());
    createIntrinsic(rewriter, loc,
                    cufx::stringifyMatrixShape(op.getShape()) + ".store.d." +
                        cufx::stringifyMatrixOrder(op.getOrder()) + ".stride." + elementName(element) + ".p0",
                    Type(), operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MatrixMultiplyLowering : ConvertOpToLLVMPattern<cufx::MatrixMultiplyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixMultiplyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isDouble = op.getShape() == cufx::MatrixShape::M8N8K4;
    Type operand = isDouble ? rewriter.getF64Type() : Type(rewriter.getF16Type());
    Type d = op.getDElement(), c = op.getCElement();
    Registers forD(cufx::MatrixRole::C, d), forC(cufx::MatrixRole::C, c);
    FragmentAccess access(rewriter, loc);
    SmallVector<Value> operands = access.load(adaptor.getA(), Registers(cufx::MatrixRole::A, operand), operand);
    llvm::append_range(operands, access.load(adaptor.getB(), Registers(cufx::MatrixRole::B, operand), operand));
    if (adaptor.getC())
      llvm::append_range(operands, access.load(adaptor.getC(), forC, c));
    else
      operands.append(forC.count, LLVM::ZeroOp::create(rewriter, loc, forC.type).getResult());
    Value product = createIntrinsic(rewriter, loc,
                                    cufx::stringifyMatrixShape(op.getShape()) + ".mma." +
                                        cufx::stringifyMatrixOrder(op.getAOrder()) + "." +
                                        cufx::stringifyMatrixOrder(op.getBOrder()) +
                                        (isDouble ? ".f64" : "." + elementName(d) + "." + elementName(c)),
                                    forD.result(), operands);
    access.store(product, adaptor.getD(), forD, d);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cufort::codegen::populateMatrixToNVVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MatrixLoadLowering, MatrixStoreLowering, MatrixMultiplyLowering>(converter);
}
