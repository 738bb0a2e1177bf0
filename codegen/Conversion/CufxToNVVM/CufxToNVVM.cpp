// cufx device operations as NVVM operations, or inline PTX where NVVM has none. What only newer architectures have is a
// routine of the device library, which knows the architecture that it is compiled for.

#include "codegen/Conversion/CufxToNVVM/CufxToNVVM.h"
#include "codegen/Conversion/CufxToLLVM/CufxToLLVM.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "codegen/Conversion/CufxToNVVM/MatrixToNVVM.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace cufort;
using cufort::codegen::createI32;

namespace {

//===-- Registers ------------------------------------------------------------------------------------------------===//

/// Reads one special register, telling LLVM which values it can have: [first, last].
template <typename Register>
Value readRegister(OpBuilder &builder, Location loc, uint32_t first, uint32_t last) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, first), APInt(32, last + 1));
  return Register::create(builder, loc, builder.getI32Type(), range);
}

template <typename X, typename Y, typename Z>
Value readAxis(OpBuilder &builder, Location loc, cufx::Axis axis, uint32_t first, const uint32_t (&last)[3]) {
  switch (axis) {
  case cufx::Axis::X:
    return readRegister<X>(builder, loc, first, last[0]);
  case cufx::Axis::Y:
    return readRegister<Y>(builder, loc, first, last[1]);
  case cufx::Axis::Z:
    return readRegister<Z>(builder, loc, first, last[2]);
  }
  llvm_unreachable("every Axis has a case");
}

struct ExtentLowering : ConvertOpToLLVMPattern<cufx::ExtentOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ExtentOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    static const uint32_t lastThread[3] = {1023, 1023, 63}, blockDim[3] = {1024, 1024, 64};
    static const uint32_t lastBlock[3] = {0x7ffffffe, 65534, 65534}, gridDim[3] = {0x7fffffff, 65535, 65535};
    Location loc = op.getLoc();
    cufx::Axis axis = op.getAxis();
    Value value;
    switch (op.getWhat()) {
    case cufx::Extent::ClusterBlockIdx:
    case cufx::Extent::ClusterDim:
      value = readClusterExtent(op, rewriter);
      break;
    case cufx::Extent::ThreadIdx:
      value = readAxis<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(rewriter, loc, axis, 0, lastThread);
      break;
    case cufx::Extent::BlockIdx:
      value = readAxis<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(rewriter, loc, axis, 0, lastBlock);
      break;
    case cufx::Extent::BlockDim:
      value = readAxis<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(rewriter, loc, axis, 1, blockDim);
      break;
    case cufx::Extent::GridDim:
      value = readAxis<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(rewriter, loc, axis, 1, gridDim);
      break;
    }
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  /// Not every architecture that the code may be made for has the register, so the device library reads it.
  static Value readClusterExtent(cufx::ExtentOp op, OpBuilder &builder) {
    std::string name =
        ("__cufx_extent_" + cufx::stringifyExtent(op.getWhat()) + "_" + cufx::stringifyAxis(op.getAxis())).str();
    return codegen::createExternalCall(builder, op, name, builder.getI32Type(), {});
  }
};

/// Neighbouring threads do neighbouring iterations.
struct ShareLowering : ConvertOpToLLVMPattern<cufx::ShareOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ShareOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, {adaptor.getPlace(), adaptor.getThreads(), adaptor.getUpper()});
    return success();
  }
};

struct ClockLowering : ConvertOpToLLVMPattern<cufx::ClockOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ClockOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    if (op.getType().isInteger(32))
      rewriter.replaceOpWithNewOp<NVVM::ClockOp>(op, op.getType());
    else
      rewriter.replaceOpWithNewOp<NVVM::Clock64Op>(op, op.getType());
    return success();
  }
};

//===-- Barriers and fences --------------------------------------------------------------------------------------===//

NVVM::BarrierReduction toNVVM(cufx::BarrierReduction reduction) {
  switch (reduction) {
  case cufx::BarrierReduction::Count:
    return NVVM::BarrierReduction::POPC;
  case cufx::BarrierReduction::And:
    return NVVM::BarrierReduction::AND;
  case cufx::BarrierReduction::Or:
    return NVVM::BarrierReduction::OR;
  }
  llvm_unreachable("every BarrierReduction has a case");
}

struct BarrierLowering : ConvertOpToLLVMPattern<cufx::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::BarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getReduction()) {
      rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
      return success();
    }
    auto kind = NVVM::BarrierReductionAttr::get(op.getContext(), toNVVM(*op.getReduction()));
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(op, TypeRange{rewriter.getI32Type()}, Value(), Value(), kind,
                                                 adaptor.getPredicate());
    return success();
  }
};

struct WarpBarrierLowering : ConvertOpToLLVMPattern<cufx::WarpBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::WarpBarrierOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, adaptor.getMask());
    return success();
  }
};

struct ClusterBarrierLowering : ConvertOpToLLVMPattern<cufx::ClusterBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ClusterBarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    codegen::createExternalCall(rewriter, op, "__cufx_cluster_barrier", Type(), {});
    rewriter.eraseOp(op);
    return success();
  }
};

struct MapSharedLowering : ConvertOpToLLVMPattern<cufx::MapSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MapSharedOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, codegen::createExternalCall(rewriter, op, "__cufx_map_shared", rewriter.getI64Type(),
                                                       {adaptor.getAddress(), adaptor.getRank()}));
    return success();
  }
};

struct FenceLowering : ConvertOpToLLVMPattern<cufx::FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::FenceOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    auto scope = op.getScope() == cufx::Scope::Block    ? NVVM::MemScopeKind::CTA
                 : op.getScope() == cufx::Scope::Device ? NVVM::MemScopeKind::GPU
                                                        : NVVM::MemScopeKind::SYS;
    rewriter.replaceOpWithNewOp<NVVM::MembarOp>(op, scope);
    return success();
  }
};

//===-- Warp operations ------------------------------------------------------------------------------------------===//

struct ActiveMaskLowering : ConvertOpToLLVMPattern<cufx::ActiveMaskOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::ActiveMaskOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, rewriter.getI32Type(),
                                                       rewriter.getStringAttr("llvm.nvvm.activemask"), ValueRange{});
    return success();
  }
};

struct VoteLowering : ConvertOpToLLVMPattern<cufx::VoteOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::VoteOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value predicate = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, adaptor.getPredicate(),
                                           createI32(rewriter, loc, 0));
    bool ballot = op.getKind() == cufx::VoteKind::Ballot;
    auto kind = ballot                                ? NVVM::VoteSyncKind::ballot
                : op.getKind() == cufx::VoteKind::All ? NVVM::VoteSyncKind::all
                                                      : NVVM::VoteSyncKind::any;
    Type type = ballot ? rewriter.getI32Type() : rewriter.getI1Type();
    Value vote = NVVM::VoteSyncOp::create(rewriter, loc, type, adaptor.getMask(), predicate, kind);
    if (!ballot)
      vote = LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(), vote);
    rewriter.replaceOp(op, vote);
    return success();
  }
};

Value toBits(OpBuilder &builder, Location loc, Value value) {
  Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : LLVM::BitcastOp::create(builder, loc, bits, value).getResult();
}

struct MatchLowering : ConvertOpToLLVMPattern<cufx::MatchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::MatchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value bits = toBits(rewriter, loc, adaptor.getValue());
    if (op.getKind() == cufx::MatchKind::Any) {
      rewriter.replaceOpWithNewOp<NVVM::MatchSyncOp>(op, i32, adaptor.getMask(), bits, NVVM::MatchSyncKind::any);
      return success();
    }
    auto pair = LLVM::LLVMStructType::getLiteral(op.getContext(), {i32, rewriter.getI1Type()});
    Value match = NVVM::MatchSyncOp::create(rewriter, loc, pair, adaptor.getMask(), bits, NVVM::MatchSyncKind::all);
    Value mask = LLVM::ExtractValueOp::create(rewriter, loc, match, ArrayRef<int64_t>{0});
    Value all = LLVM::ExtractValueOp::create(rewriter, loc, match, ArrayRef<int64_t>{1});
    rewriter.replaceOp(op, {mask, LLVM::ZExtOp::create(rewriter, loc, i32, all).getResult()});
    return success();
  }
};

struct ShuffleLowering : ConvertOpToLLVMPattern<cufx::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static NVVM::ShflKind toNVVM(cufx::ShuffleKind kind) {
    switch (kind) {
    case cufx::ShuffleKind::Idx:
      return NVVM::ShflKind::idx;
    case cufx::ShuffleKind::Up:
      return NVVM::ShflKind::up;
    case cufx::ShuffleKind::Down:
      return NVVM::ShflKind::down;
    case cufx::ShuffleKind::Xor:
      return NVVM::ShflKind::bfly;
    }
    llvm_unreachable("every ShuffleKind has a case");
  }

  LogicalResult matchAndRewrite(cufx::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    auto shuffle = [&](Value word) -> Value {
      return NVVM::ShflOp::create(rewriter, loc, i32, adaptor.getMask(), word, adaptor.getLane(), adaptor.getClamp(),
                                  toNVVM(op.getKind()), UnitAttr());
    };
    Value bits = toBits(rewriter, loc, adaptor.getValue());
    Value result;
    if (bits.getType() == i32) {
      result = shuffle(bits);
    } else {
      // The instruction moves 32 bits: two of them, both halves from the same lane.
      Value thirtyTwo = LLVM::ConstantOp::create(rewriter, loc, i64, rewriter.getI64IntegerAttr(32));
      Value low = shuffle(LLVM::TruncOp::create(rewriter, loc, i32, bits));
      Value high = shuffle(
          LLVM::TruncOp::create(rewriter, loc, i32, LLVM::LShrOp::create(rewriter, loc, bits, thirtyTwo).getResult()));
      high = LLVM::ShlOp::create(rewriter, loc, LLVM::ZExtOp::create(rewriter, loc, i64, high).getResult(), thirtyTwo);
      result = LLVM::OrOp::create(rewriter, loc, high, LLVM::ZExtOp::create(rewriter, loc, i64, low).getResult());
    }
    if (result.getType() != type)
      result = LLVM::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===-- Loads and stores with cache operators --------------------------------------------------------------------===//

/// PTX type and register constraint of a word.
std::pair<StringRef, StringRef> ptxWord(Type type) {
  if (type.isF32())
    return {"f32", "f"};
  if (type.isF64())
    return {"f64", "d"};
  if (type.isInteger(64))
    return {"b64", "l"};
  if (type.isInteger(16) || type.isF16())
    return {"b16", "h"};
  return {"b32", "r"};
}

/// The words of a value that one intrinsic loads or stores: a number, the parts of a complex number, or an array of 128
/// bits, which moves as one vector. The parts of a complex number need not be aligned as a vector has to be.
struct Words {
  Type type;          ///< of one word
  unsigned count = 1; ///< words of the value
  bool isVector = false;

  static std::optional<Words> of(Type value) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(value))
      return Words{array.getElementType(), static_cast<unsigned>(array.getNumElements()), true};
    if (auto parts = dyn_cast<LLVM::LLVMStructType>(value))
      return Words{parts.getBody().front(), static_cast<unsigned>(parts.getBody().size()), false};
    if (isa<IntegerType, FloatType>(value))
      return Words{value};
    return std::nullopt;
  }
};

LLVM::InlineAsmOp createMemoryAsm(OpBuilder &builder, Location loc, TypeRange results, ValueRange operands,
                                  const llvm::Twine &ptx, const llvm::Twine &constraints) {
  return LLVM::InlineAsmOp::create(builder, loc, results, operands, ptx.str(), (constraints + ",~{memory}").str(),
                                   /*has_side_effects=*/true, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

/// "[$operand]" or "[$operand+offset]".
std::string address(unsigned operand, unsigned offset) {
  return "[$" + std::to_string(operand) + (offset ? "+" + std::to_string(offset) : "") + "]";
}

/// "{$first,$(first+1),...}" for `count` operands, and their constraints.
std::pair<std::string, std::string> vectorOperands(unsigned first, unsigned count, StringRef constraint) {
  std::string names, constraints;
  for (unsigned i = 0; i < count; ++i) {
    names += (i ? ",$" : "$") + std::to_string(first + i);
    constraints += (i ? "," : "") + constraint.str();
  }
  return {"{" + names + "}", constraints};
}

struct CachedLoadLowering : ConvertOpToLLVMPattern<cufx::CachedLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::CachedLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    std::optional<Words> words = Words::of(type);
    if (!words)
      return rewriter.notifyMatchFailure(op, "no words");
    Location loc = op.getLoc();
    std::string load = ("ld." + cufx::stringifyLoadHint(op.getHint())).str();
    auto [word, constraint] = ptxWord(words->type);
    SmallVector<Value> loaded;
    if (words->isVector) {
      auto [names, outputs] = vectorOperands(0, words->count, ("=" + constraint).str());
      SmallVector<Type> parts(words->count, words->type);
      Type all = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), parts);
      std::string count = std::to_string(words->count);
      auto vector =
          createMemoryAsm(rewriter, loc, all, adaptor.getMemory(),
                          load + ".v" + count + "." + word + " " + names + ", [$" + count + "];", outputs + ",l");
      for (unsigned i = 0; i < words->count; ++i)
        loaded.push_back(LLVM::ExtractValueOp::create(rewriter, loc, vector.getResult(0), i));
    } else {
      unsigned bytes = words->type.getIntOrFloatBitWidth() / 8;
      for (unsigned i = 0; i < words->count; ++i)
        loaded.push_back(createMemoryAsm(rewriter, loc, words->type, adaptor.getMemory(),
                                         load + "." + word + " $0, " + address(1, i * bytes) + ";",
                                         "=" + constraint + ",l")
                             .getResult(0));
    }
    Value result = loaded.front();
    if (type != words->type) {
      result = LLVM::UndefOp::create(rewriter, loc, type);
      for (auto [i, part] : llvm::enumerate(loaded))
        result = LLVM::InsertValueOp::create(rewriter, loc, result, part, i);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct CachedStoreLowering : ConvertOpToLLVMPattern<cufx::CachedStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::CachedStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value = adaptor.getValue();
    std::optional<Words> words = Words::of(value.getType());
    if (!words)
      return rewriter.notifyMatchFailure(op, "no words");
    Location loc = op.getLoc();
    std::string store = ("st." + cufx::stringifyStoreHint(op.getHint())).str();
    auto [word, constraint] = ptxWord(words->type);
    SmallVector<Value> parts;
    for (unsigned i = 0; i < words->count; ++i)
      parts.push_back(
          value.getType() == words->type ? value : LLVM::ExtractValueOp::create(rewriter, loc, value, i).getResult());
    if (words->isVector) {
      auto [names, inputs] = vectorOperands(1, words->count, constraint);
      SmallVector<Value> operands{adaptor.getMemory()};
      operands.append(parts);
      createMemoryAsm(rewriter, loc, TypeRange(), operands,
                      store + ".v" + llvm::Twine(words->count) + "." + word + " [$0], " + names + ";", "l," + inputs);
    } else {
      unsigned bytes = words->type.getIntOrFloatBitWidth() / 8;
      for (auto [i, part] : llvm::enumerate(parts))
        createMemoryAsm(rewriter, loc, TypeRange(), ValueRange{adaptor.getMemory(), part},
                        store + "." + word + " " + address(0, i * bytes) + ", $1;", "l," + constraint);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct NanosleepLowering : ConvertOpToLLVMPattern<cufx::NanosleepOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::NanosleepOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    createMemoryAsm(rewriter, op.getLoc(), TypeRange(), adaptor.getNanoseconds(), "nanosleep.u32 $0;", "r");
    rewriter.eraseOp(op);
    return success();
  }
};

//===-- Output and traps -----------------------------------------------------------------------------------------===//

struct PrintLowering : ConvertOpToLLVMPattern<cufx::PrintOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::PrintOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value format = codegen::createText(rewriter, op, op.getFormat());
    Value buffer = codegen::createVprintfBuffer(rewriter, op, adaptor.getValues());
    codegen::createExternalCall(rewriter, op, "cufortPrintLine", Type(), {format, buffer});
    rewriter.eraseOp(op);
    return success();
  }
};

struct TrapLowering : ConvertOpToLLVMPattern<cufx::TrapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(cufx::TrapOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::Trap>(op);
    return success();
  }
};

} // namespace

void cufort::codegen::populateCufxToNVVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  populateCufxToLLVMPatterns(converter, patterns);
  populateMatrixToNVVMPatterns(converter, patterns);
  patterns
      .add<ExtentLowering, ShareLowering, ClockLowering, BarrierLowering, WarpBarrierLowering, ClusterBarrierLowering,
           MapSharedLowering, FenceLowering, ActiveMaskLowering, VoteLowering, MatchLowering, ShuffleLowering,
           CachedLoadLowering, CachedStoreLowering, NanosleepLowering, PrintLowering, TrapLowering>(converter);
}
