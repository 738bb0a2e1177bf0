// Operations that LLVM IR expresses for every target: its back ends know how.

#include "codegen/Conversion/CufxToLLVM/CufxToLLVM.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/FailedChecks.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cufort;

namespace {

constexpr unsigned sharedAddressSpace = 3;
/// CUDA's atomic functions are atomic for the whole device, and order nothing else.
constexpr llvm::StringLiteral deviceScope = "device";

Type integerOfSameWidth(Type type) { return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth()); }

Value bitcast(OpBuilder &builder, Location loc, Type type, Value value) {
  return value.getType() == type ? value : LLVM::BitcastOp::create(builder, loc, type, value).getResult();
}

LLVM::AtomicBinOp binaryOperation(cufx::AtomicKind kind, bool isFloat) {
  using Kind = cufx::AtomicKind;
  using Bin = LLVM::AtomicBinOp;
  switch (kind) {
  case Kind::Add:
  case Kind::Sub: // the operand is negated
    return isFloat ? Bin::fadd : Bin::add;
  case Kind::Max:
    return isFloat ? Bin::fmax : Bin::max;
  case Kind::Min:
    return isFloat ? Bin::fmin : Bin::min;
  case Kind::And:
    return Bin::_and;
  case Kind::Or:
    return Bin::_or;
  case Kind::Xor:
    return Bin::_xor;
  case Kind::Exch:
    return Bin::xchg;
  case Kind::Inc:
    return Bin::uinc_wrap;
  case Kind::Dec:
    return Bin::udec_wrap;
  }
  llvm_unreachable("every AtomicKind has a case");
}

Value negate(OpBuilder &builder, Location loc, Value value) {
  if (isa<FloatType>(value.getType()))
    return LLVM::FNegOp::create(builder, loc, value);
  Value zero = LLVM::ZeroOp::create(builder, loc, value.getType());
  return LLVM::SubOp::create(builder, loc, zero, value);
}

struct AtomicRMWLowering : ConvertOpToLLVMPattern<cufx::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value operand = adaptor.getValue();
    Type type = operand.getType();
    if (op.getKind() == cufx::AtomicKind::Sub)
      operand = negate(rewriter, loc, operand);
    // An exchange moves bits; targets know it for integers.
    if (op.getKind() == cufx::AtomicKind::Exch)
      operand = bitcast(rewriter, loc, integerOfSameWidth(type), operand);
    Value old = LLVM::AtomicRMWOp::create(rewriter, loc, binaryOperation(op.getKind(), isa<FloatType>(type)),
                                          adaptor.getMemory(), operand, LLVM::AtomicOrdering::monotonic, deviceScope);
    rewriter.replaceOp(op, bitcast(rewriter, loc, type, old));
    return success();
  }
};

struct AtomicCASLowering : ConvertOpToLLVMPattern<cufx::AtomicCASOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::AtomicCASOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), bits = integerOfSameWidth(type);
    Value exchange = LLVM::AtomicCmpXchgOp::create(
        rewriter, loc, adaptor.getMemory(), bitcast(rewriter, loc, bits, adaptor.getCompare()),
        bitcast(rewriter, loc, bits, adaptor.getValue()), LLVM::AtomicOrdering::monotonic,
        LLVM::AtomicOrdering::monotonic, deviceScope);
    Value old = LLVM::ExtractValueOp::create(rewriter, loc, exchange, ArrayRef<int64_t>{0});
    rewriter.replaceOp(op, bitcast(rewriter, loc, type, old));
    return success();
  }
};

/// Static shared variables are globals of address space 3; the dynamic part is one external array of that space.
struct SharedLowering : ConvertOpToLLVMPattern<cufx::SharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::SharedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = op.getContext();
    auto inShared = LLVM::LLVMPointerType::get(context, sharedAddressSpace);
    LLVM::GlobalOp global = findOrCreate(op, rewriter);
    Value address = LLVM::AddressOfOp::create(rewriter, loc, inShared, global.getSymName());
    if (adaptor.getOffset())
      address =
          LLVM::GEPOp::create(rewriter, loc, inShared, rewriter.getI8Type(), address, ValueRange{adaptor.getOffset()});
    rewriter.replaceOpWithNewOp<LLVM::AddrSpaceCastOp>(op, LLVM::LLVMPointerType::get(context), address);
    return success();
  }

  static LLVM::GlobalOp findOrCreate(cufx::SharedOp op, OpBuilder &builder) {
    auto module = op->getParentOfType<ModuleOp>();
    bool isStatic = op.getBytes().has_value();
    std::string name = isStatic ? ("__cufx_shared_" + op.getName()).str() : "__cufx_dynamic_shared";
    if (auto existing = module.lookupSymbol<LLVM::GlobalOp>(name))
      return existing;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), op.getBytes().value_or(0));
    auto linkage = isStatic ? LLVM::Linkage::Internal : LLVM::Linkage::External;
    auto global = LLVM::GlobalOp::create(builder, op.getLoc(), type, /*isConstant=*/false, linkage, name, Attribute(),
                                         std::max<int64_t>(op.getAlignment(), 16), sharedAddressSpace);
    if (!isStatic)
      return global;
    // Shared memory has no initial value.
    Block *initial = builder.createBlock(&global.getInitializerRegion());
    builder.setInsertionPointToStart(initial);
    LLVM::ReturnOp::create(builder, op.getLoc(), LLVM::UndefOp::create(builder, op.getLoc(), type).getResult());
    return global;
  }
};

/// Name of a FIR type in the device library.
std::string libraryTypeName(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return "c" + std::to_string(complex.getElementType().getIntOrFloatBitWidth() / 8);
  if (type.isInteger())
    return "i" + std::to_string(type.getIntOrFloatBitWidth() / 8);
  if (isa<FloatType>(type))
    return "r" + std::to_string(type.getIntOrFloatBitWidth() / 8);
  return "";
}

/// A call of the device library, which takes every value by address.
struct GridReduceLowering : ConvertOpToLLVMPattern<cufx::GridReduceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::GridReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type lowered = adaptor.getValue().getType();
    std::string type = libraryTypeName(op.getValue().getType());
    if (type.empty()) // LOGICAL is an integer by now
      type = "i" + std::to_string(lowered.getIntOrFloatBitWidth() / 8);
    Value storage = codegen::createEntryAlloca(rewriter, op, lowered);
    LLVM::StoreOp::create(rewriter, loc, adaptor.getValue(), storage);
    std::string name = ("__cufx_grid_reduce_" + cufx::stringifyReductionKind(op.getKind()) + "_" + type).str();
    Value variable = adaptor.getVariable();
    if (!variable)
      variable = LLVM::ZeroOp::create(rewriter, loc, adaptor.getScratch().getType());
    codegen::createExternalCall(
        rewriter, op, name, Type(),
        {storage, adaptor.getScratch(), codegen::createI32(rewriter, loc, op.getIndex()), variable});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An integer power of a complex value: a call of the device library.
struct ComplexPowerLowering : ConvertOpToLLVMPattern<complex::PowiOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(complex::PowiOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type lowered = adaptor.getLhs().getType();
    Value exponent = adaptor.getRhs();
    // Exponents of other kinds have become 32 bits in the front end.
    StringRef name = exponent.getType().isInteger(64) ? "__cufx_powk_" : "__cufx_powi_";
    if (!exponent.getType().isInteger(32) && !exponent.getType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "exponent of another kind");
    Value storage = codegen::createEntryAlloca(rewriter, op, lowered);
    LLVM::StoreOp::create(rewriter, loc, adaptor.getLhs(), storage);
    std::string function = (name + libraryTypeName(op.getLhs().getType())).str();
    codegen::createExternalCall(rewriter, op, function, Type(), {storage, exponent});
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, lowered, storage);
    return success();
  }
};

struct SubscriptErrorLowering : ConvertOpToLLVMPattern<cufx::SubscriptErrorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::SubscriptErrorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    APInt upper;
    bool isUnknown = matchPattern(op.getUpper(), m_ConstantInt(&upper)) && upper.getSExtValue() == INT64_MAX;
    std::string name = cufx::inFormat(op.getVariable().str()), bounds = isUnknown ? "%lld:*" : "%lld:%lld";
    std::string what = "subscript %lld of '" + name + "' is outside " + bounds + " (dimension " +
                       std::to_string(op.getDimension()) + ")";
    if (op.getDimension() == 0)
      what = "character %lld of '" + name + "' is outside " + bounds;
    SmallVector<Value> values{adaptor.getSubscript(), adaptor.getLower(), adaptor.getUpper()};
    cufx::reportFailedCheck(rewriter, op.getLoc(), what, ArrayRef(values).drop_back(isUnknown));
    rewriter.eraseOp(op);
    return success();
  }
};

struct NullErrorLowering : ConvertOpToLLVMPattern<cufx::NullErrorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::NullErrorOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    cufx::reportFailedCheck(rewriter, op.getLoc(),
                            "'" + cufx::inFormat(op.getVariable().str()) + "' is not allocated or associated");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cufort::codegen::populateCufxToLLVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AtomicRMWLowering, AtomicCASLowering, SharedLowering, GridReduceLowering, ComplexPowerLowering,
               SubscriptErrorLowering, NullErrorLowering>(converter);
}
