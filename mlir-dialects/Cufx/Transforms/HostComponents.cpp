// A host variable of derived type is a copy in each thread: what the loops assign to its components is there for the
// iteration, as if it were a scalar. A component that is combined with something in each iteration is a reduction:
//
//   cuf.kernel { %s = fir.coordinate_of %x, s; %e = fir.array_coor %s(%shape) %c2; ... fir.store %sum to %e }
//
// becomes
//
//   %s = fir.coordinate_of %x, s; %e = fir.array_coor %s(%shape) %c2
//   cuf.kernel { ... fir.store %sum to %e }

#include "mlir-dialects/Cufx/Transforms/HostComponents.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Reductions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool isAddressOperation(Operation *op) {
  return isa<fir::CoordinateOp, fir::ArrayCoorOp, fir::DeclareOp, fir::ConvertOp, fir::BoxAddrOp>(op);
}

/// How the scalar at `address` is reached: fields and constant subscripts. Empty if something else leads there.
SmallVector<int64_t> pathOf(Value address) {
  SmallVector<int64_t> path;
  for (Operation *op = address.getDefiningOp(); op && isAddressOperation(op); op = op->getOperand(0).getDefiningOp()) {
    if (auto coordinate = dyn_cast<fir::CoordinateOp>(op)) {
      auto fields = coordinate.getFieldIndices();
      if (!fields || !coordinate.getCoor().empty())
        return {};
      path.append(fields->begin(), fields->end());
    }
    auto element = dyn_cast<fir::ArrayCoorOp>(op);
    if (!element)
      continue;
    for (Value subscript : element.getIndices()) {
      auto value = fir::getIntIfConstant(subscript);
      if (!value || element.getSlice())
        return {};
      path.push_back(*value);
    }
  }
  return path;
}

/// True if both are computed alike, from the same values.
bool isSame(Value left, Value right) {
  Operation *a = left.getDefiningOp(), *b = right.getDefiningOp();
  if (left == right)
    return true;
  if (!a || !b || a->getName() != b->getName() || a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands() || left.getType() != right.getType() || a->getNumRegions())
    return false;
  if (!isMemoryEffectFree(a) && !isa<fir::LoadOp>(a))
    return false;
  return llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                      [](auto operands) { return isSame(std::get<0>(operands), std::get<1>(operands)); });
}

/// A scalar in a variable, and what the loops do with it.
struct Scalar {
  Value address;
  SmallVector<int64_t> path;
  SmallVector<fir::StoreOp> stores;
  SmallVector<fir::LoadOp> loads;
};

/// What the loops do with one component of a variable, its elements and components included.
struct Component {
  SmallVector<Scalar> scalars;
  bool hasOtherUses = false; ///< as an argument, or as a whole

  Scalar &scalarAt(Value address) {
    SmallVector<int64_t> path = pathOf(address);
    for (Scalar &scalar : scalars)
      if (path.empty() ? isSame(scalar.address, address) : scalar.path == path)
        return scalar;
    scalars.push_back({address, path, {}, {}});
    return scalars.back();
  }

  bool isAssigned() const {
    return llvm::any_of(scalars, [](const Scalar &scalar) { return !scalar.stores.empty(); });
  }
  bool holds(fir::StoreOp store) const {
    return llvm::any_of(scalars, [&](const Scalar &scalar) { return llvm::is_contained(scalar.stores, store); });
  }
};

class Variable {
public:
  Variable(Value root, cuf::KernelOp kernel) : root(root), kernel(kernel), loops(kernel.getRegion()) { collect(root, {}); }

  LogicalResult hoist() {
    if (isUsedAsAWhole)
      return success();
    for (auto &[name, component] : components)
      if (areSeparate(component))
        llvm::erase_if(component.scalars, [&](Scalar &scalar) { return !scalar.stores.empty() && isReduced(scalar); });
    return checkValuesAreUsed();
  }

private:
  //===-- Uses -----------------------------------------------------------------------------------------------------===//

  void collect(Value address, StringAttr component) {
    for (Operation *user : address.getUsers()) {
      if (!loops.isAncestor(user->getParentRegion()))
        continue;
      if (auto load = dyn_cast<fir::LoadOp>(user))
        collectLoad(load, component);
      else if (auto store = dyn_cast<fir::StoreOp>(user); store && store.getMemref() == address)
        collectStore(store, component);
      else if (isAddressOperation(user) && user->getOperand(0) == address)
        collect(user->getResult(0), component ? component : componentOf(user));
      else
        noteOtherUse(component);
    }
  }

  /// The component of the variable that `op` addresses, if it addresses one.
  static StringAttr componentOf(Operation *op) {
    auto coordinate = dyn_cast<fir::CoordinateOp>(op);
    auto indices = coordinate ? coordinate.getFieldIndices() : std::nullopt;
    auto record = dyn_cast<fir::RecordType>(fir::unwrapPassByRefType(op->getOperand(0).getType()));
    if (!record || !indices || indices->empty() || (*indices)[0] < 0)
      return {};
    return StringAttr::get(op->getContext(), record.getTypeList()[(*indices)[0]].first);
  }

  void collectLoad(fir::LoadOp load, StringAttr component) {
    if (isa<fir::BaseBoxType>(load.getType())) {
      // The descriptor of the variable itself; what components describe is other memory.
      if (!component)
        collect(load.getResult(), component);
      return;
    }
    if (!component || !fir::isa_trivial(load.getType()))
      return noteOtherUse(component);
    components[component].scalarAt(load.getMemref()).loads.push_back(load);
  }

  void collectStore(fir::StoreOp store, StringAttr component) {
    if (!component || !fir::isa_trivial(store.getValue().getType()))
      return noteOtherUse(component);
    components[component].scalarAt(store.getMemref()).stores.push_back(store);
  }

  void noteOtherUse(StringAttr component) {
    if (component)
      components[component].hasOtherUses = true;
    else
      isUsedAsAWhole = true;
  }

  //===-- Hoisting -------------------------------------------------------------------------------------------------===//

  /// True if the loops use the scalars of `component` and nothing else of it, and these are the same in every iteration
  /// and not each other.
  bool areSeparate(const Component &component) {
    return !component.hasOtherUses && llvm::all_of(component.scalars, [&](const Scalar &scalar) {
      return isInvariant(scalar.address) && (component.scalars.size() == 1 || !scalar.path.empty());
    });
  }

  /// True if `value` can be computed before the loops.
  bool isInvariant(Value value) {
    if (!loops.isAncestor(value.getParentRegion()))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions())
      return false;
    if (auto load = dyn_cast<fir::LoadOp>(op)) {
      if (isHiddenFromHost(load.getMemref()) || !isOnlyRead(load.getMemref(), &loops))
        return isa<fir::BaseBoxType>(load.getType()) && load.getMemref() == root;
    } else if (!isMemoryEffectFree(op)) {
      return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isInvariant(operand); });
  }

  Value computeBefore(OpBuilder &builder, Value value) {
    if (!loops.isAncestor(value.getParentRegion()))
      return value;
    IRMapping operands;
    for (Value operand : value.getDefiningOp()->getOperands())
      operands.map(operand, computeBefore(builder, operand));
    return builder.clone(*value.getDefiningOp(), operands)->getResult(0);
  }

  /// Makes `scalar` a value from before the loops; returns true if it is a reduction.
  bool isReduced(const Scalar &scalar) {
    OpBuilder builder(kernel);
    Value address = computeBefore(builder, scalar.address);
    for (fir::LoadOp load : scalar.loads)
      load.getMemrefMutable().assign(address);
    for (fir::StoreOp store : scalar.stores)
      store.getMemrefMutable().assign(address);
    return classifyScalar(address, loops).reduction.has_value();
  }

  //===-- Lost values ----------------------------------------------------------------------------------------------===//

  /// What is written here is for the thread only. If no iteration uses it, the user expects to find it afterwards.
  LogicalResult checkValuesAreUsed() {
    const Component *lost = nullptr;
    StringRef name;
    for (auto &[key, component] : components) {
      if (!component.isAssigned())
        continue;
      if (component.hasOtherUses || isRead(component))
        return success();
      if (!lost) {
        lost = &component;
        name = key.getValue();
      }
    }
    return lost ? report(*lost, name) : success();
  }

  LogicalResult report(const Component &component, StringRef name) {
    const Scalar *assigned = llvm::find_if(component.scalars, [](const Scalar &scalar) { return !scalar.stores.empty(); });
    return assigned->stores.front()->emitError()
           << "what a CUF kernel assigns to '" << name << "', a component of the host variable '" << variableName(root)
           << "', is lost: a reduction has to combine one scalar or element in every iteration; other results need "
           << "device or managed data";
  }

  bool isRead(const Component &component) {
    return llvm::any_of(component.scalars, [&](const Scalar &scalar) {
      return llvm::any_of(scalar.loads, [&](fir::LoadOp load) { return !isOnlyForStores(load, component); });
    });
  }

  /// True if the value of `op` is used for nothing but what is stored to the component again.
  bool isOnlyForStores(Operation *op, const Component &component) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (auto store = dyn_cast<fir::StoreOp>(user))
        return component.holds(store);
      if (auto guard = dyn_cast<fir::IfOp>(user))
        return guard.getNumResults() == 0 && storesOnly(guard, component);
      return user->getNumRegions() == 0 && !user->hasTrait<OpTrait::IsTerminator>() && isMemoryEffectFree(user) &&
             isOnlyForStores(user, component);
    });
  }

  static bool storesOnly(fir::IfOp guard, const Component &component) {
    return !guard
                .walk([&](Operation *op) {
                  auto store = dyn_cast<fir::StoreOp>(op);
                  bool isHarmless = isa<fir::IfOp, fir::LoadOp>(op) || isMemoryEffectFree(op);
                  return isHarmless || (store && component.holds(store)) ? WalkResult::advance()
                                                                         : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  Value root;
  cuf::KernelOp kernel;
  Region &loops;
  llvm::MapVector<StringAttr, Component> components;
  bool isUsedAsAWhole = false;
};

/// True if `value` is, or describes, a host variable of derived type.
bool isHostRecord(Value value) {
  Type type = fir::unwrapRefType(value.getType());
  if (auto box = dyn_cast<fir::BaseBoxType>(type))
    type = fir::unwrapRefType(box.getEleTy());
  else if (!fir::isa_ref_type(value.getType()))
    return false;
  return isa<fir::RecordType>(type) && !isDeviceAddressable(value);
}

} // namespace

LogicalResult cufort::cufx::hoistHostComponents(cuf::KernelOp kernel) {
  auto mode = kernel->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(hostDataAttribute);
  if (mode && mode.getValue() == "unified")
    return success();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(kernel.getRegion(), captured);
  LogicalResult result = success();
  for (Value value : captured)
    if (isHostRecord(value) && failed(Variable(value, kernel).hoist()))
      result = failure();
  return result;
}
