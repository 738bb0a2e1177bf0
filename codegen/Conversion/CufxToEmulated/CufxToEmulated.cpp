// cufx device operations as calls of the emulated device. Everything that makes a thread wait carries the place in
// the Fortran source, so that a deadlock can be reported by it.

#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "codegen/Conversion/CufxToEmulated/MatrixToEmulated.h"
#include "codegen/Conversion/CufxToLLVM/CufxToLLVM.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cufort;
using namespace cufort::codegen;

namespace {

Value toBits(OpBuilder &builder, Location loc, Value value) {
  Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : LLVM::BitcastOp::create(builder, loc, bits, value).getResult();
}

struct ExtentLowering : ConvertOpToLLVMPattern<cufx::ExtentOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ExtentOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    std::string name =
        (extentFunctionPrefix + cufx::stringifyExtent(op.getWhat()) + "_" + cufx::stringifyAxis(op.getAxis())).str();
    rewriter.replaceOp(op, createExternalCall(rewriter, op, name, rewriter.getI32Type(), {}));
    return success();
  }
};

/// What runs on one host thread does iterations that follow each other, unless they can tell: the device link decides.
struct ShareLowering : ConvertOpToLLVMPattern<cufx::ShareOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ShareOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getLower().getType();
    auto constant = [&](int64_t value) -> Value { return LLVM::ConstantOp::create(rewriter, loc, type, value); };
    Value lower = adaptor.getLower(), step = adaptor.getStep();
    Value span = LLVM::SubOp::create(rewriter, loc, adaptor.getUpper(), lower);
    span = LLVM::AddOp::create(rewriter, loc, span, step);
    Value count = LLVM::SDivOp::create(rewriter, loc, span, step);
    count = LLVM::SMaxOp::create(rewriter, loc, count, constant(0));
    auto ask = [&](StringRef prefix) {
      std::string name = (prefix + cufx::stringifyAxis(op.getAxis())).str();
      return createExternalCall(rewriter, op, name, type, {adaptor.getPlace(), adaptor.getThreads(), count});
    };
    Value begin = ask(shareBeginPrefix), end = ask(shareEndPrefix), stride = ask(shareStridePrefix);
    Value last = LLVM::MulOp::create(rewriter, loc, LLVM::SubOp::create(rewriter, loc, end, constant(1)), step);
    last = LLVM::AddOp::create(rewriter, loc, lower, last);
    rewriter.replaceOp(op, {begin, stride, last});
    return success();
  }
};

struct ClockLowering : ConvertOpToLLVMPattern<cufx::ClockOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ClockOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Value clock = createExternalCall(rewriter, op, "cufortEmuClock64", rewriter.getI64Type(), {});
    if (op.getType().isInteger(32))
      clock = LLVM::TruncOp::create(rewriter, op.getLoc(), op.getType(), clock);
    rewriter.replaceOp(op, clock);
    return success();
  }
};

struct BarrierLowering : ConvertOpToLLVMPattern<cufx::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static StringRef reductionName(cufx::BarrierReduction reduction) {
    switch (reduction) {
    case cufx::BarrierReduction::Count:
      return "cufortEmuBarrierCount";
    case cufx::BarrierReduction::And:
      return "cufortEmuBarrierAnd";
    case cufx::BarrierReduction::Or:
      return "cufortEmuBarrierOr";
    }
    llvm_unreachable("every BarrierReduction has a case");
  }

  LogicalResult matchAndRewrite(cufx::BarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value where = createSourcePosition(rewriter, op);
    if (!op.getReduction()) {
      createExternalCall(rewriter, op, "cufortEmuBarrier", Type(), where);
      rewriter.eraseOp(op);
      return success();
    }
    rewriter.replaceOp(op, createExternalCall(rewriter, op, reductionName(*op.getReduction()), rewriter.getI32Type(),
                                              {adaptor.getPredicate(), where}));
    return success();
  }
};

struct WarpBarrierLowering : ConvertOpToLLVMPattern<cufx::WarpBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::WarpBarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    createExternalCall(rewriter, op, "cufortEmuWarpBarrier", Type(),
                       {adaptor.getMask(), createSourcePosition(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

struct ClusterBarrierLowering : ConvertOpToLLVMPattern<cufx::ClusterBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ClusterBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    createExternalCall(rewriter, op, "cufortEmuClusterBarrier", Type(), createSourcePosition(rewriter, op));
    rewriter.eraseOp(op);
    return success();
  }
};

struct MapSharedLowering : ConvertOpToLLVMPattern<cufx::MapSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MapSharedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, createExternalCall(rewriter, op, "cufortEmuClusterShared", rewriter.getI64Type(),
                               {adaptor.getAddress(), adaptor.getRank(), createSourcePosition(rewriter, op)}));
    return success();
  }
};

struct FenceLowering : ConvertOpToLLVMPattern<cufx::FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::FenceOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::seq_cst, StringRef());
    return success();
  }
};

struct ActiveMaskLowering : ConvertOpToLLVMPattern<cufx::ActiveMaskOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ActiveMaskOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createExternalCall(rewriter, op, "cufortEmuActiveMask", rewriter.getI32Type(), {}));
    return success();
  }
};

struct VoteLowering : ConvertOpToLLVMPattern<cufx::VoteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::VoteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    StringRef name = op.getKind() == cufx::VoteKind::All   ? "cufortEmuVoteAll"
                     : op.getKind() == cufx::VoteKind::Any ? "cufortEmuVoteAny"
                                                           : "cufortEmuVoteBallot";
    rewriter.replaceOp(
        op, createExternalCall(rewriter, op, name, rewriter.getI32Type(),
                               {adaptor.getMask(), adaptor.getPredicate(), createSourcePosition(rewriter, op)}));
    return success();
  }
};

struct MatchLowering : ConvertOpToLLVMPattern<cufx::MatchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value bits = toBits(rewriter, loc, adaptor.getValue());
    std::string name = op.getKind() == cufx::MatchKind::Any ? "cufortEmuMatchAny" : "cufortEmuMatchAll";
    name += std::to_string(bits.getType().getIntOrFloatBitWidth());
    Value where = createSourcePosition(rewriter, op);
    if (op.getKind() == cufx::MatchKind::Any) {
      rewriter.replaceOp(op, createExternalCall(rewriter, op, name, i32, {adaptor.getMask(), bits, where}));
      return success();
    }
    Value flag = createEntryAlloca(rewriter, op, i32);
    Value mask = createExternalCall(rewriter, op, name, i32, {adaptor.getMask(), bits, flag, where});
    rewriter.replaceOp(op, {mask, LLVM::LoadOp::create(rewriter, loc, i32, flag).getResult()});
    return success();
  }
};

struct ShuffleLowering : ConvertOpToLLVMPattern<cufx::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType();
    Value bits = toBits(rewriter, loc, adaptor.getValue());
    std::string name = "cufortEmuShuffle" + std::to_string(type.getIntOrFloatBitWidth());
    Value mode = createI32(rewriter, loc, static_cast<int64_t>(op.getKind()));
    Value result = createExternalCall(
        rewriter, op, name, bits.getType(),
        {mode, adaptor.getMask(), bits, adaptor.getLane(), adaptor.getClamp(), createSourcePosition(rewriter, op)});
    if (result.getType() != type)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A cache hint means nothing on a processor whose caches agree; volatile keeps the access where it stands.
struct CachedLoadLowering : ConvertOpToLLVMPattern<cufx::CachedLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::CachedLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, adaptor.getMemory(), /*alignment=*/0, /*isVolatile=*/true);
    return success();
  }
};

struct CachedStoreLowering : ConvertOpToLLVMPattern<cufx::CachedStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::CachedStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LLVM::StoreOp::create(rewriter, op.getLoc(), adaptor.getValue(), adaptor.getMemory(), /*alignment=*/0,
                          /*isVolatile=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Threads of the emulated device that wait for each other are switched anyway.
struct NanosleepLowering : ConvertOpToLLVMPattern<cufx::NanosleepOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::NanosleepOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct PrintLowering : ConvertOpToLLVMPattern<cufx::PrintOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value format = createText(rewriter, op, op.getFormat());
    Value buffer = createVprintfBuffer(rewriter, op, adaptor.getValues());
    createExternalCall(rewriter, op, "cufortEmuVprintf", rewriter.getI32Type(), {format, buffer});
    rewriter.eraseOp(op);
    return success();
  }
};

struct TrapLowering : ConvertOpToLLVMPattern<cufx::TrapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::TrapOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Value what = createText(rewriter, op, op.getWhat());
    createExternalCall(rewriter, op, "cufortEmuTrap", Type(), {what, createSourcePosition(rewriter, op)});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cufort::codegen::populateCufxToEmulatedPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  populateCufxToLLVMPatterns(converter, patterns);
  populateMatrixToEmulatedPatterns(converter, patterns);
  patterns
      .add<ExtentLowering, ShareLowering, ClockLowering, BarrierLowering, WarpBarrierLowering, ClusterBarrierLowering,
           MapSharedLowering, FenceLowering, ActiveMaskLowering, VoteLowering, MatchLowering, ShuffleLowering,
           CachedLoadLowering, CachedStoreLowering, NanosleepLowering, PrintLowering, TrapLowering>(converter);
}
