// Matrix operations of a warp as calls of codegen/DeviceLibrary/MatrixEmulated.cpp.

#include "codegen/Conversion/CufxToEmulated/MatrixToEmulated.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace cufort;
using namespace cufort::codegen;

namespace {

template <typename Enum>
Value createEnum(OpBuilder &builder, Location loc, Enum value) {
  return createI32(builder, loc, static_cast<int64_t>(value));
}

Value createBytes(OpBuilder &builder, Location loc, Type element) {
  return createI32(builder, loc, element.getIntOrFloatBitWidth() / 8);
}

struct MatrixLoadLowering : ConvertOpToLLVMPattern<cufx::MatrixLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createExternalCall(rewriter, op, "__cufx_matrix_load", Type(),
                       {adaptor.getFragment(), adaptor.getMemory(), adaptor.getLeading(),
                        createEnum(rewriter, loc, op.getRole()), createEnum(rewriter, loc, op.getShape()),
                        createEnum(rewriter, loc, op.getOrder()), createBytes(rewriter, loc, op.getElement()),
                        createSourcePosition(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

struct MatrixStoreLowering : ConvertOpToLLVMPattern<cufx::MatrixStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createExternalCall(rewriter, op, "__cufx_matrix_store", Type(),
                       {adaptor.getMemory(), adaptor.getFragment(), adaptor.getLeading(),
                        createEnum(rewriter, loc, op.getShape()), createEnum(rewriter, loc, op.getOrder()),
                        createBytes(rewriter, loc, op.getElement()), createSourcePosition(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

struct MatrixMultiplyLowering : ConvertOpToLLVMPattern<cufx::MatrixMultiplyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatrixMultiplyOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value c = adaptor.getC();
    if (!c)
      c = LLVM::ZeroOp::create(rewriter, loc, adaptor.getD().getType());
    createExternalCall(rewriter, op, "__cufx_matrix_multiply", Type(),
                       {adaptor.getD(), adaptor.getA(), adaptor.getB(), c, createEnum(rewriter, loc, op.getShape()),
                        createBytes(rewriter, loc, op.getDElement()), createBytes(rewriter, loc, op.getCElement()),
                        createSourcePosition(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cufort::codegen::populateMatrixToEmulatedPatterns(const LLVMTypeConverter &converter,
                                                       RewritePatternSet &patterns) {
  patterns.add<MatrixLoadLowering, MatrixStoreLowering, MatrixMultiplyLowering>(converter);
}
