// cufx.launch and the host side of reductions become calls of libcufort_rt.
//
// A launch builds the array of parameter addresses that cuLaunchKernel takes: one slot for each argument on the
// stack of the procedure, allocated once in its entry block. A descriptor's slot holds the descriptor itself.
// Signatures come from the declarations in RuntimeABI.h.

#include "codegen/RuntimeCalls/LowerHostOperations.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "codegen/Support/ElementBytes.h"
#include "flang/Optimizer/Builder/BoxValue.h"
#include "flang/Optimizer/Builder/MutableBox.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/HostFrames.h"
#include "mlir-dialects/Cufx/Transforms/IterationTimes.h"
#include "mlir-dialects/Cufx/Transforms/LinesOfChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort;

namespace {

class HostLowering {
public:
  HostLowering(Operation *op, ModuleOp module, SymbolTable &symbols)
      : op(op), loc(op->getLoc()), module(module), builder(op, fir::getKindMapping(module), &symbols),
        bytePointer(fir::LLVMPointerType::get(builder.getI8Type())) {}

  void launch(cufx::LaunchOp launch) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortLaunchKernel)>(loc, builder);
    auto cluster = launch.getCluster();
    auto clusterExtent = [&](unsigned axis) { return constant(cluster ? (*cluster)[axis] : 0); };
    SmallVector<Value> arguments{kernelAddress(launch.getKernel()),
                                 launch.getGridX(),
                                 launch.getGridY(),
                                 launch.getGridZ(),
                                 launch.getBlockX(),
                                 launch.getBlockY(),
                                 launch.getBlockZ(),
                                 clusterExtent(0),
                                 clusterExtent(1),
                                 clusterExtent(2),
                                 launch.getSharedBytes() ? launch.getSharedBytes() : constant(0),
                                 launch.getStream() ? launch.getStream() : constant(0),
                                 constant(launch.getCooperative()),
                                 parameterAddresses(launch.getKernel(), launch.getArguments())};
    call(function, arguments);
  }

  void scratch(cufx::ReductionScratchOp scratch) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortReductionScratch)>(loc, builder);
    Value memory = call(function, {constant(scratch.getCount()), scratch.getBlocks(),
                                   scratch.getStream() ? scratch.getStream() : constant(0)});
    scratch.getScratch().replaceAllUsesWith(builder.createConvert(loc, scratch.getScratch().getType(), memory));
  }

  void fetch(cufx::ReductionFetchOp fetch) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortReductionFetch)>(loc, builder);
    call(function, {fetch.getHost(), fetch.getScratch(), constant(fetch.getCount()),
                    fetch.getStream() ? fetch.getStream() : constant(0)});
  }

  void release(cufx::ReductionReleaseOp release) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortReductionRelease)>(loc, builder);
    call(function,
         {release.getScratch(), release.getStream() ? release.getStream() : constant(0), constant(release.getWait())});
  }

  void subscriptError(cufx::SubscriptErrorOp error) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortSubscriptError)>(loc, builder);
    report(function, {text(error.getVariable()), constant(error.getDimension()), error.getSubscript(), error.getLower(),
                      error.getUpper()});
  }

  void extentError(cufx::ExtentErrorOp error) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortExtentError)>(loc, builder);
    report(function, {constant(error.getDimension()), error.getSource(), error.getTarget()});
  }

  void nullError(cufx::NullErrorOp error) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortNullError)>(loc, builder);
    report(function, {text(error.getVariable())});
  }

  void matrixProduct(cufx::MatrixProductOp product) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortMatrixProduct)>(loc, builder);
    auto descriptor = [&](Value box) { return codegen::descriptorAddress(builder, loc, box); };
    call(function, {descriptor(product.getResult()), descriptor(product.getLeft()), descriptor(product.getRight()),
                    constant(product.getLeftTransposed()), constant(product.getRightTransposed())});
  }

  void threadsAtOnce(cufx::ThreadsAtOnceOp threads) {
    threads.getThreads().replaceAllUsesWith(
        call(fir::runtime::getRuntimeFunc<FirmkKey(cufortThreadsAtOnce)>(loc, builder), {}));
  }

  void reductionGrid(cufx::ReductionGridOp grid) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortReductionGrid)>(loc, builder);
    auto cost = grid->getAttrOfType<IntegerAttr>(cufx::costAttribute);
    Value packed = call(function, {kernelAddress(grid.getKernelAttr()), grid.getNeededX(), grid.getNeededY(),
                                   grid.getNeededZ(), grid.getGiven(), grid.getBlockX(), grid.getBlockY(),
                                   grid.getBlockZ(), constant(grid.getCount()), constant(cost ? cost.getInt() : 1),
                                   constant(grid->hasAttr(cufx::unevenAttribute)),
                                   parameterAddresses(grid.getKernelAttr(), grid.getArguments())});
    Value mask = constant((1 << CUFORT_GRID_EXTENT_BITS) - 1);
    for (auto [axis, extent] : llvm::enumerate(grid.getResults())) {
      Value shifted = arith::ShRUIOp::create(builder, loc, packed, constant(axis * CUFORT_GRID_EXTENT_BITS));
      extent.replaceAllUsesWith(arith::AndIOp::create(builder, loc, shifted, mask));
    }
  }

  void permute(cufx::PermuteOp permute) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortPermute)>(loc, builder);
    auto descriptor = [&](Value box) { return codegen::descriptorAddress(builder, loc, box); };
    Value done = call(function, {descriptor(permute.getResult()), descriptor(permute.getSource()), permute.getOrder()});
    permute.getDone().replaceAllUsesWith(builder.createConvert(loc, builder.getI1Type(), done));
  }

  void useStreamOf(cufx::UseStreamOfOp use) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortUseStreamOf)>(loc, builder);
    Value source = use.getSource() ? use.getSource() : builder.createNullConstant(loc);
    use.getBefore().replaceAllUsesWith(call(function, {use.getTarget(), source}));
  }

  void useStream(cufx::UseStreamOp use) {
    call(fir::runtime::getRuntimeFunc<FirmkKey(cufortUseStream)>(loc, builder), {use.getStream()});
  }

  void variablesHaveStreams(cufx::VariablesHaveStreamsOp question) {
    Value answer = call(fir::runtime::getRuntimeFunc<FirmkKey(cufortVariablesHaveStreams)>(loc, builder), {});
    question.getResult().replaceAllUsesWith(builder.createConvert(loc, builder.getI1Type(), answer));
  }

  void waitForManaged(cufx::WaitForManagedOp wait) {
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortWaitForManaged)>(loc, builder);
    call(function, {wait.getAddress() ? wait.getAddress() : builder.createNullConstant(loc)});
  }

private:
  /// The address of `characters`, ended by a NUL.
  Value text(StringRef characters) { return codegen::runtimeText(builder, loc, characters); }

  Value constant(int64_t value) { return codegen::runtimeConstant(builder, loc, value); }

  Value call(func::FuncOp function, const SmallVector<Value> &arguments) {
    return codegen::callRuntime(builder, loc, function, arguments);
  }

  /// Calls `function`, which ends the program. The line may be an argument of the function around.
  void report(func::FuncOp function, SmallVector<Value> arguments) {
    auto around = op->getParentOfType<func::FuncOp>();
    if (auto file = around->getAttrOfType<StringAttr>(cufx::fileOfChecksAttribute))
      arguments.append({text(file), around.getArguments().back()});
    // Behind it LLVM knows that the check has not failed. Merged, calls of different lines would have none.
    function->setAttr("passthrough", builder.getStrArrayAttr({"noreturn", "cold", "nomerge"}));
    call(function, arguments);
  }

  Value kernelAddress(SymbolRefAttr kernel) {
    auto stub = module.lookupSymbol<func::FuncOp>(kernel.getLeafReference());
    Value address = fir::AddrOfOp::create(builder, loc, stub.getFunctionType(), kernel);
    return fir::ConvertOp::create(builder, loc, bytePointer, address);
  }

  /// What the kernel's parameters are, each as the address of its value. The length of a character dummy is a
  /// parameter of its own, behind all others, as Flang's calling convention has it.
  SmallVector<Value> parameterSlots(SymbolRefAttr callee, ValueRange arguments) {
    auto kernel = module.lookupSymbol<func::FuncOp>(callee.getLeafReference());
    SmallVector<Value> slots, lengths;
    for (auto [index, argument] : llvm::enumerate(arguments)) {
      Value value = argument;
      if (kernel && index < kernel.getNumArguments() && cufx::isReferenceByValue(kernel, index)) {
        slots.push_back(fir::ConvertOp::create(builder, loc, bytePointer, value));
        continue;
      }
      if (auto boxed = dyn_cast<fir::BoxCharType>(value.getType())) {
        auto reference = fir::ReferenceType::get(boxed.getEleTy());
        auto unboxed = fir::UnboxCharOp::create(builder, loc, reference, builder.getI64Type(), value);
        value = unboxed.getResult(0);
        lengths.push_back(unboxed.getResult(1));
      }
      bool mayBeAbsent = isa<fir::BaseBoxType>(value.getType()) && kernel && index < kernel.getNumArguments() &&
                         kernel.getArgAttr(index, fir::getOptionalAttrName());
      slots.push_back(store(mayBeAbsent ? withoutMemoryIfAbsent(value) : value));
      if (auto bytes = codegen::elementBytesOfArray(value.getType(), module))
        call(fir::runtime::getRuntimeFunc<FirmkKey(cufortNoteStrides)>(loc, builder), {slots.back(), constant(*bytes)});
    }
    for (Value length : lengths)
      slots.push_back(store(length));
    return slots;
  }

  /// The descriptor `box`, or one that has no memory and stands for an absent array (FindAbsentArrays.cpp).
  Value withoutMemoryIfAbsent(Value box) {
    Value isPresent = fir::IsPresentOp::create(builder, loc, builder.getI1Type(), box);
    return builder.genIfOp(loc, {box.getType()}, isPresent, /*withElseRegion=*/true)
        .genThen([&] { fir::ResultOp::create(builder, loc, box); })
        .genElse([&] {
          fir::ResultOp::create(builder, loc, fir::factory::createUnallocatedBox(builder, loc, box.getType(), {}));
        })
        .getResults()[0];
  }

  /// Puts `value` into a slot of the procedure's stack and returns its address.
  Value store(Value value) {
    // Storage of a reference type is not expressible in FIR; of a pointer it is.
    if (fir::isa_ref_type(value.getType()))
      value = fir::ConvertOp::create(builder, loc, bytePointer, value);
    OpBuilder entry = OpBuilder::atBlockBegin(&cufx::startOfFrame(op));
    Value slot = fir::AllocaOp::create(entry, loc, value.getType());
    fir::StoreOp::create(builder, loc, value, slot);
    return fir::ConvertOp::create(builder, loc, bytePointer, slot);
  }

  Value parameterAddresses(SymbolRefAttr callee, ValueRange arguments) {
    SmallVector<Value> slots = parameterSlots(callee, arguments);
    OpBuilder entry = OpBuilder::atBlockBegin(&cufx::startOfFrame(op));
    auto arrayType = fir::SequenceType::get({static_cast<int64_t>(std::max<size_t>(slots.size(), 1))}, bytePointer);
    Value array = fir::AllocaOp::create(entry, loc, arrayType);
    for (auto [index, slot] : llvm::enumerate(slots)) {
      Value at = builder.createIntegerConstant(loc, builder.getIndexType(), index);
      Value element = fir::CoordinateOp::create(builder, loc, fir::ReferenceType::get(bytePointer), array, at);
      fir::StoreOp::create(builder, loc, slot, element);
    }
    return array;
  }

  Operation *op;
  Location loc;
  ModuleOp module;
  fir::FirOpBuilder builder;
  Type bytePointer;
};

struct LowerHostOperations : PassWrapper<LowerHostOperations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerHostOperations)
  StringRef getArgument() const override { return "cufx-lower-host-operations"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<DLTIDialect>(); }

  void runOnOperation() override {
    SmallVector<Operation *> found;
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](Operation *op) {
        if (isa<cufx::LaunchOp, cufx::ReductionScratchOp, cufx::ReductionFetchOp, cufx::ReductionReleaseOp,
                cufx::SubscriptErrorOp, cufx::ExtentErrorOp, cufx::NullErrorOp, cufx::MatrixProductOp, cufx::PermuteOp,
                cufx::ReductionGridOp, cufx::ThreadsAtOnceOp, cufx::UseStreamOfOp, cufx::UseStreamOp,
                cufx::VariablesHaveStreamsOp, cufx::WaitForManagedOp>(op))
          found.push_back(op);
      });
    SymbolTable symbols(getOperation());
    for (Operation *op : found) {
      HostLowering lowering(op, getOperation(), symbols);
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](cufx::LaunchOp launch) { lowering.launch(launch); })
          .Case([&](cufx::ReductionScratchOp scratch) { lowering.scratch(scratch); })
          .Case([&](cufx::ReductionFetchOp fetch) { lowering.fetch(fetch); })
          .Case([&](cufx::ReductionReleaseOp release) { lowering.release(release); })
          .Case([&](cufx::SubscriptErrorOp error) { lowering.subscriptError(error); })
          .Case([&](cufx::ExtentErrorOp error) { lowering.extentError(error); })
          .Case([&](cufx::NullErrorOp error) { lowering.nullError(error); })
          .Case([&](cufx::MatrixProductOp product) { lowering.matrixProduct(product); })
          .Case([&](cufx::ThreadsAtOnceOp threads) { lowering.threadsAtOnce(threads); })
          .Case([&](cufx::ReductionGridOp grid) { lowering.reductionGrid(grid); })
          .Case([&](cufx::PermuteOp permute) { lowering.permute(permute); })
          .Case([&](cufx::UseStreamOfOp use) { lowering.useStreamOf(use); })
          .Case([&](cufx::VariablesHaveStreamsOp question) { lowering.variablesHaveStreams(question); })
          .Case([&](cufx::UseStreamOp use) { lowering.useStream(use); })
          .Case([&](cufx::WaitForManagedOp wait) { lowering.waitForManaged(wait); });
      op->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createLowerHostOperations() { return std::make_unique<LowerHostOperations>(); }
