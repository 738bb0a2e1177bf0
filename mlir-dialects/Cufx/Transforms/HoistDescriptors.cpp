#include "mlir-dialects/Cufx/Transforms/HoistDescriptors.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

class Hoister {
public:
  explicit Hoister(KernelLoopsOp loops) : loops(loops) {}

  void run() {
    loops.getBody().walk([&](Operation *op) {
      if (isInvariant(op))
        invariant.insert(op);
    });
    llvm::SetVector<Operation *> moved;
    for (Operation *op : invariant)
      if (auto load = dyn_cast<fir::LoadOp>(op);
          load && isa<fir::BaseBoxType>(load.getType()) && isInComponent(load.getMemref()) && mayComeFirst(load))
        addWithOperands(op, moved);
    for (Operation *op : moved)
      op->moveBefore(loops);
    joinEqual(moved.getArrayRef());
    loops.getBody().walk([&](fir::ConvertOp question) { askBefore(question); });
  }

private:
  /// Lets operations that compute the same, and load the same descriptor, be one: what has one descriptor is one array.
  static void joinEqual(ArrayRef<Operation *> moved) {
    SmallVector<Operation *> kept;
    for (Operation *op : moved) {
      auto equal = llvm::find_if(kept, [&](Operation *other) {
        return OperationEquivalence::isEquivalentTo(op, other, OperationEquivalence::IgnoreLocations);
      });
      if (equal == kept.end()) {
        kept.push_back(op);
        continue;
      }
      op->replaceAllUsesWith(*equal);
      op->erase();
    }
  }

  /// Whether a scalar of the host is associated or allocated is known before the loops: `question` is its address as a
  /// number, compared to 0. Each thread has a copy of what is there, which has another one.
  void askBefore(fir::ConvertOp question) {
    auto address = question.getValue().getDefiningOp<fir::BoxAddrOp>();
    auto load = address ? address.getVal().getDefiningOp<fir::LoadOp>() : fir::LoadOp();
    if (!load || !isa<IntegerType>(question.getType()) ||
        loops.getBody().isAncestor(load.getMemref().getParentRegion()) || isDeviceAddressable(load.getMemref()))
      return;
    OpBuilder builder(loops);
    IRMapping mapping;
    for (Operation *op : {load.getOperation(), address.getOperation(), question.getOperation()})
      builder.clone(*op, mapping);
    Location loc = question.getLoc();
    Value number = mapping.lookup(question.getResult());
    Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(number.getType(), 0));
    Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, number, zero);
    question.replaceAllUsesWith(arith::ExtUIOp::create(builder, loc, number.getType(), isThere).getResult());
  }

  /// The operation computes the same in every iteration, and the host can do it.
  bool isInvariant(Operation *op) {
    bool known = llvm::all_of(op->getOperands(), [&](Value operand) {
      Operation *definition = operand.getDefiningOp();
      return definition ? invariant.contains(definition) || !loops->isProperAncestor(definition)
                        : !loops.getBody().isAncestor(operand.getParentRegion());
    });
    if (!known || op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
      return false;
    if (auto load = dyn_cast<fir::LoadOp>(op))
      return isReadableByHost(load) && isKept(load);
    return isMemoryEffectFree(op);
  }

  /// The descriptor of a device variable is host memory, that of a component is where the component is.
  bool isReadableByHost(fir::LoadOp load) {
    if (isa<fir::BaseBoxType>(load.getType()))
      return !isInComponent(load.getMemref()) || !isDeviceOnly(load.getMemref());
    return !dataAttribute(load.getMemref()) && fir::isa_trivial(load.getType());
  }

  /// Nothing in the loops writes what is loaded.
  bool isKept(fir::LoadOp load) {
    return isa<fir::BaseBoxType>(load.getType()) || isOnlyRead(load.getMemref(), &loops.getBody());
  }

  /// What the device can read itself, behind a condition, may not be there otherwise.
  bool mayComeFirst(fir::LoadOp load) {
    return load->getBlock() == &loops.getBody().front() || !isDeviceAddressable(load.getMemref()) ||
           isAlwaysThere(load.getMemref());
  }

  /// True for a variable, and a component of one, that is no pointer, allocatable or optional.
  static bool isAlwaysThere(Value memory) {
    for (fir::CoordinateOp part; (part = memory.getDefiningOp<fir::CoordinateOp>()) && part.getCoor().empty();)
      memory = part.getRef();
    auto variable = memory.getDefiningOp<fir::FortranVariableOpInterface>();
    return variable && !variable.isPointer() && !variable.isAllocatable() && !variable.isOptional();
  }

  void addWithOperands(Operation *op, llvm::SetVector<Operation *> &moved) {
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp(); definition && invariant.contains(definition))
        addWithOperands(definition, moved);
    moved.insert(op);
  }

  KernelLoopsOp loops;
  llvm::SetVector<Operation *> invariant;
};

} // namespace

void cufort::cufx::hoistDescriptors(KernelLoopsOp loops) { Hoister(loops).run(); }
