// FIR's own conversion knows neither NVVM nor kernels: here its patterns run together with those for cufx, math and
// the standard dialects.
//
// In: a device module in FIR after code generation rewrites, with kernels marked. Out: LLVM dialect (and NVVM for a
// GPU). Parameters:
//   * a descriptor of a kernel is a byval parameter: its fields are loads from the parameter space.

#include "codegen/Conversion/DeviceFIRToLLVM/DeviceFIRToLLVM.h"
#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "codegen/Conversion/CufxToNVVM/CufxToNVVM.h"
#include "codegen/Conversion/DeviceFIRToLLVM/ComplexDivision.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/Device/KernelAliasing.h"
#include "codegen/Support/ElementBytes.h"
#include "flang/Optimizer/CodeGen/CodeGen.h"
#include "flang/Optimizer/CodeGen/TypeConverter.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Support/DataLayout.h"
#include "mlir-dialects/Cufx/Transforms/BlockShapes.h"
#include "mlir-dialects/Cufx/Transforms/KernelStrides.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace cufort::codegen;

namespace {

/// Discardable attributes with this prefix become those of the NVVM dialect once functions are llvm.func: on
/// func.func the dialect would reject them.
constexpr llvm::StringLiteral deferredPrefix = "cufx.nvvm.";

/// Of a parameter that is the descriptor of an array: the bytes of an element.
constexpr llvm::StringLiteral elementBytesAttribute = "cufx.element_bytes";

/// Operations that both back ends have as instructions stay LLVM's. For square roots there is another reason:
/// libdevice's depend on link-time switches and may be approximate.
template <typename MathOp, typename LLVMOp>
struct InstructionLowering : ConvertOpToLLVMPattern<MathOp> {
  using ConvertOpToLLVMPattern<MathOp>::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(MathOp op, typename MathOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVMOp>(op, adaptor.getOperands().getTypes().front(), adaptor.getOperands());
    return success();
  }
};

struct DeviceFIRToLLVM : PassWrapper<DeviceFIRToLLVM, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeviceFIRToLLVM)

  explicit DeviceFIRToLLVM(DeviceTarget target) : target(target) {}

  StringRef getArgument() const override { return "cufx-device-fir-to-llvm"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto layout = fir::support::getOrSetMLIRDataLayout(module, /*allowDefaultLayout=*/true);
    if (!layout)
      return signalPassFailure();
    fir::LLVMTypeConverter converter(module, /*applyTBAA=*/true, /*forceUnifiedTBAATree=*/false, *layout);
    module.walk([&](func::FuncOp func) {
      if (func->hasAttr(kernelAttribute))
        prepareKernel(func, converter);
    });
    if (failed(convert(module, converter)))
      return signalPassFailure();
    module.walk([&](LLVM::LLVMFuncOp func) {
      SmallVector<Attribute> facts = takeFactsAboutArrays(func);
      if (target == DeviceTarget::NVVM) {
        attachDeferredAttributes(func);
        for (Attribute fact : {takeBlockShape(func), takeUsualBlock(func), takeStrides(func)})
          if (fact)
            facts.push_back(fact);
        if (!facts.empty())
          func.setPassthroughAttr(ArrayAttr::get(func.getContext(), facts));
      } else {
        markEmulatedKernel(func, facts);
      }
    });
  }

private:
  void prepareKernel(func::FuncOp func, fir::LLVMTypeConverter &converter) {
    MLIRContext *context = func.getContext();
    OpBuilder builder(context);
    auto defer = [&](StringRef name, Attribute value) { func->setAttr((deferredPrefix + name).str(), value); };
    defer("kernel", builder.getUnitAttr());
    auto dims = func->getAttrOfType<cuf::ClusterDimsAttr>("cuf.cluster_dims");
    if (auto bounds = func->getAttrOfType<cuf::LaunchBoundsAttr>("cuf.launch_bounds"))
      attachLaunchBounds(bounds, /*knowsCluster=*/dims != nullptr, builder, defer);
    if (dims)
      defer("cluster_dim", builder.getDenseI32ArrayAttr({static_cast<int32_t>(dims.getX().getInt()),
                                                         static_cast<int32_t>(dims.getY().getInt()),
                                                         static_cast<int32_t>(dims.getZ().getInt())}));
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      Type type = func.getArgument(i).getType();
      bool isByValue = func.getArgAttr(i, byValueAttribute) != nullptr;
      Type passed = isByValue ? fir::unwrapRefType(type) : type;
      if (auto bytes = elementBytesOfArray(passed, getOperation()))
        func.setArgAttr(i, elementBytesAttribute, builder.getI64IntegerAttr(*bytes));
      if (auto box = dyn_cast<fir::BaseBoxType>(passed))
        passByValue(func, i, converter.convertBoxTypeAsStruct(box));
      else if (isByValue)
        passByValue(func, i, converter.convertType(passed));
    }
  }

  /// Parameter `index` is a pointer to a `type` in the parameter space.
  static void passByValue(func::FuncOp func, unsigned index, Type type) {
    OpBuilder builder(func.getContext());
    func.removeArgAttr(index, byValueAttribute);
    func.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(type));
    func.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(8));
  }

  template <typename Defer>
  static void attachLaunchBounds(cuf::LaunchBoundsAttr bounds, bool knowsCluster, OpBuilder &builder, Defer defer) {
    defer("maxntid", builder.getDenseI32ArrayAttr({static_cast<int32_t>(bounds.getMaxTPB().getInt())}));
    if (int64_t blocks = bounds.getMinBPM().getInt(); blocks > 0)
      defer("minctasm", builder.getI32IntegerAttr(blocks));
    // PTX takes a bound of the cluster or the cluster itself.
    if (auto cluster = bounds.getUpperBoundClusterSize(); cluster && !knowsCluster)
      defer("cluster_max_blocks", builder.getI32IntegerAttr(cluster.getInt()));
  }

  LogicalResult convert(ModuleOp module, fir::LLVMTypeConverter &converter) {
    RewritePatternSet patterns(module.getContext());
    fir::FIRToLLVMPassOptions firOptions;
    // Type descriptors serve the host's runtime library; device code has no use for them.
    firOptions.ignoreMissingTypeDescriptors = true;
    fir::populateFIRToLLVMConversionPatterns(converter, patterns, firOptions);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateComplexToLLVMConversionPatterns(converter, patterns);
    populateComplexDivisionPatterns(patterns, /*benefit=*/20);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    // Both devices resolve libdevice's names, so that an intrinsic has one meaning on both.
    populateLibDeviceConversionPatterns(converter, patterns, /*benefit=*/10);
    patterns.add<InstructionLowering<math::SqrtOp, LLVM::SqrtOp>, InstructionLowering<math::AbsFOp, LLVM::FAbsOp>,
                 InstructionLowering<math::FloorOp, LLVM::FFloorOp>, InstructionLowering<math::CeilOp, LLVM::FCeilOp>,
                 InstructionLowering<math::TruncOp, LLVM::FTruncOp>, InstructionLowering<math::FmaOp, LLVM::FMAOp>,
                 InstructionLowering<math::RoundEvenOp, LLVM::RoundEvenOp>,
                 InstructionLowering<math::CopySignOp, LLVM::CopySignOp>>(converter, /*benefit=*/20);
    if (target == DeviceTarget::NVVM)
      populateCufxToNVVMPatterns(converter, patterns);
    else
      populateCufxToEmulatedPatterns(converter, patterns);

    ConversionTarget legal(*module.getContext());
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    legal.addLegalOp<ModuleOp>();
    // FIR's patterns leave casts between references and pointers, which reconcile-unrealized-casts folds.
    legal.addLegalOp<UnrealizedConversionCastOp>();
    return applyFullConversion(module, legal, std::move(patterns));
  }

  static void attachDeferredAttributes(LLVM::LLVMFuncOp func) {
    SmallVector<NamedAttribute> attributes(func->getDiscardableAttrs());
    for (NamedAttribute attribute : attributes) {
      StringRef name = attribute.getName().getValue();
      if (!name.consume_front(deferredPrefix))
        continue;
      func->removeDiscardableAttr(attribute.getName());
      func->setDiscardableAttr(("nvvm." + name).str(), attribute.getValue());
    }
  }

  /// Takes what is known of arrays off the arguments of `func`, and returns it as the LLVM function attributes that the
  /// device link sees.
  static SmallVector<Attribute> takeFactsAboutArrays(LLVM::LLVMFuncOp func) {
    OpBuilder builder(func);
    std::vector<std::string> readOnly, elements;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      if (func.removeArgAttr(i, builder.getStringAttr(readOnlyAttribute)))
        readOnly.push_back(std::to_string(i));
      if (Attribute bytes = func.removeArgAttr(i, builder.getStringAttr(elementBytesAttribute)))
        elements.push_back(llvm::formatv("{0}:{1}", i, cast<IntegerAttr>(bytes).getInt()));
    }
    SmallVector<Attribute> attributes;
    if (!readOnly.empty())
      attributes.push_back(builder.getStrArrayAttr({readOnlyFunctionAttribute, llvm::join(readOnly, ",")}));
    if (!elements.empty())
      attributes.push_back(builder.getStrArrayAttr({elementBytesFunctionAttribute, llvm::join(elements, ",")}));
    return attributes;
  }

  /// The same for strides that `func` gets twice.
  static Attribute takeStrides(LLVM::LLVMFuncOp func) {
    auto strides = func->getAttrOfType<StringAttr>(cufort::cufx::stridesAttribute);
    func->removeAttr(cufort::cufx::stridesAttribute);
    return strides ? OpBuilder(func).getStrArrayAttr({stridesFunctionAttribute, strides.getValue()}) : Attribute();
  }

  /// The same for the blocks that the source launches `func` with, or null.
  static Attribute takeBlockShape(LLVM::LLVMFuncOp func) {
    auto shape = func->getAttrOfType<DenseI32ArrayAttr>(cufort::cufx::blockShapeAttribute);
    func->removeAttr(cufort::cufx::blockShapeAttribute);
    return shape ? OpBuilder(func).getStrArrayAttr(
                       {blockShapeFunctionAttribute, llvm::formatv("{0},{1},{2}", shape[0], shape[1], shape[2]).str()})
                 : Attribute();
  }

  static Attribute takeUsualBlock(LLVM::LLVMFuncOp func) {
    Attribute isUsual = func->removeAttr(cufort::cufx::usualBlockAttribute);
    return isUsual ? OpBuilder(func).getStringAttr(usualBlockFunctionAttribute) : Attribute();
  }

  /// LLVM function attributes are what the device link sees of an emulated kernel.
  static void markEmulatedKernel(LLVM::LLVMFuncOp func, ArrayRef<Attribute> facts) {
    if (!func->hasAttr((deferredPrefix + "kernel").str()))
      return;
    OpBuilder builder(func);
    SmallVector<Attribute> attributes(facts);
    attributes.push_back(builder.getStringAttr(kernelFunctionAttribute));
    if (auto limit = func->getAttrOfType<DenseI32ArrayAttr>((deferredPrefix + "maxntid").str()))
      attributes.push_back(builder.getStrArrayAttr({maxThreadsFunctionAttribute, std::to_string(limit[0])}));
    if (auto dims = func->getAttrOfType<DenseI32ArrayAttr>((deferredPrefix + "cluster_dim").str()))
      attributes.push_back(builder.getStrArrayAttr(
          {clusterFunctionAttribute, llvm::formatv("{0},{1},{2}", dims[0], dims[1], dims[2]).str()}));
    func.setPassthroughAttr(builder.getArrayAttr(attributes));
  }

  DeviceTarget target;
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createDeviceFIRToLLVM(DeviceTarget target) {
  return std::make_unique<DeviceFIRToLLVM>(target);
}
