// A thread of a CUF kernel often computes few elements. Lower bounds and products of extents that each of them computes
// anew, in 64 bits, then cost more than the elements do.
//
// In: fir.array_coor of arrays that descriptors describe, or of dummy and automatic arrays, in the body of the loops.
// Out: arithmetic on an address and on numbers of bytes that are captured. An array that the body uses in another way
// too, as an argument or a section, is left alone: its memory would have two names in the kernel.

#include "mlir-dialects/Cufx/Transforms/HoistAddresses.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

bool isDescriptorLoad(Operation *op) {
  auto load = dyn_cast_or_null<fir::LoadOp>(op);
  return load && isa<fir::BaseBoxType>(load.getType());
}

/// True if both are the same by the way they are computed. Nothing changes descriptors in the loops.
bool isSameComputation(Value left, Value right) {
  if (left == right)
    return true;
  Operation *one = left.getDefiningOp(), *other = right.getDefiningOp();
  if (auto declare = dyn_cast_or_null<fir::DeclareOp>(one))
    return isSameComputation(declare.getMemref(), right);
  if (auto declare = dyn_cast_or_null<fir::DeclareOp>(other))
    return isSameComputation(left, declare.getMemref());
  if (!one || !other || one->getName() != other->getName() || one->getAttrs() != other->getAttrs() ||
      one->getNumOperands() != other->getNumOperands() || one->getNumRegions() ||
      cast<OpResult>(left).getResultNumber() != cast<OpResult>(right).getResultNumber() ||
      !(isMemoryEffectFree(one) || isDescriptorLoad(one)))
    return false;
  return llvm::all_of(llvm::zip(one->getOperands(), other->getOperands()),
                      [](auto pair) { return isSameComputation(std::get<0>(pair), std::get<1>(pair)); });
}

/// True for dummy arguments that may be absent: they have no bounds then.
bool isOptional(Value array) {
  while (Operation *op = array.getDefiningOp()) {
    if (auto declare = dyn_cast<fir::DeclareOp>(op))
      return declare.getFortranAttrs() &&
             bitEnumContainsAny(*declare.getFortranAttrs(), fir::FortranVariableFlagsEnum::optional);
    if (auto load = dyn_cast<fir::LoadOp>(op))
      array = load.getMemref();
    else if (auto rebox = dyn_cast<fir::ReboxOp>(op))
      array = rebox.getBox();
    else if (auto convert = dyn_cast<fir::ConvertOp>(op))
      array = convert.getValue();
    else
      return false;
  }
  return false;
}

/// One array of the host and its elements in the loops.
struct Array {
  Value root; ///< outside of the loops: the address of a descriptor, a descriptor, or the address of the array
  SmallVector<fir::ArrayCoorOp> elements;
};

/// What a subscript is in each dimension: multiplied by `bytes` after `lower` has been taken off, unless the origin has
/// that in it.
struct Dimension {
  Value lower, bytes;
  bool isInOrigin;
};

class AddressHoister {
public:
  explicit AddressHoister(KernelLoopsOp loops) : loops(loops), host(loops), loc(loops.getLoc()) {
    getUsedValuesDefinedAbove(loops.getBody(), captured);
  }

  HoistedAddresses run() {
    llvm::MapVector<Value, Array> arrays;
    loops.getBody().walk([&](fir::ArrayCoorOp element) {
      if (Value root = rootOf(element.getMemref())) {
        arrays[root].root = root;
        arrays[root].elements.push_back(element);
      }
    });
    for (auto &[root, array] : arrays)
      if (isSuitable(array))
        if (ArrayOrigin origin = hoist(array); origin.address)
          result.origins.push_back(origin);
    eraseUnused();
    return std::move(result);
  }

private:
  bool isInside(Value value) { return loops.getBody().isAncestor(value.getParentRegion()); }

  /// What stands for the array outside of the loops, or null.
  Value rootOf(Value memory) {
    if (auto address = memory.getDefiningOp<fir::BoxAddrOp>(); address && isInside(memory))
      memory = address.getVal();
    if (isDescriptorLoad(memory.getDefiningOp()) && isInside(memory))
      memory = memory.getDefiningOp<fir::LoadOp>().getMemref();
    return isInside(memory) ? Value() : memory;
  }

  bool isSuitable(const Array &array) {
    fir::ArrayCoorOp first = array.elements.front();
    auto sequence = dyn_cast<fir::SequenceType>(fir::dyn_cast_ptrOrBoxEleTy(first.getMemref().getType()));
    bool isOnDevice = isDeviceAddressable(first.getMemref()) || isHiddenFromHost(first.getMemref());
    if (!sequence || !isOnDevice || isOptional(array.root) || !isKnownVariable(array.root))
      return false;
    auto isAlike = [&](fir::ArrayCoorOp element) {
      bool isWhole = !element.getSlice() && element.getTypeparams().empty() &&
                     element.getIndices().size() == sequence.getDimension();
      bool hasShape = static_cast<bool>(element.getShape());
      return isWhole && element.getMemref().getType() == first.getMemref().getType() &&
             hasShape == static_cast<bool>(first.getShape()) &&
             (!hasShape || isSameComputation(element.getShape(), first.getShape()));
    };
    return llvm::all_of(array.elements, isAlike) && (!first.getShape() || canBeOnHost(first.getShape())) &&
           !hasOtherUses(array) && !hasSecondName(array.root);
  }

  /// Descriptors of variables and of components; dummy and automatic arrays. Others have a place in device code.
  bool isKnownVariable(Value root) {
    if (isa<fir::BoxType>(root.getType()))
      return true;
    if (fir::isBoxAddress(root.getType()))
      return !isInComponent(root) && isa<fir::BoxType>(fir::unwrapRefType(root.getType()));
    Value memory = memoryOf(root);
    return isa<BlockArgument>(memory) || memory.getDefiningOp<cuf::AllocOp>() || memory.getDefiningOp<EachDeviceOp>();
  }

  /// True if the body does more with the array than to address its elements.
  bool hasOtherUses(const Array &array) {
    auto isElement = [&](Operation *user, Value memory) {
      auto element = dyn_cast<fir::ArrayCoorOp>(user);
      return element && element.getMemref() == memory;
    };
    auto isUseOfDescriptor = [&](Operation *user, Value descriptor) {
      auto address = dyn_cast<fir::BoxAddrOp>(user);
      return isElement(user, descriptor) || isa<fir::BoxDimsOp>(user) ||
             (address &&
              llvm::all_of(address->getUsers(), [&](Operation *each) { return isElement(each, address.getResult()); }));
    };
    return llvm::any_of(array.root.getUsers(), [&](Operation *user) {
      if (!loops.getBody().isAncestor(user->getParentRegion()))
        return false;
      if (isDescriptorLoad(user))
        return !llvm::all_of(user->getUsers(),
                             [&](Operation *each) { return isUseOfDescriptor(each, user->getResult(0)); });
      if (isa<fir::BaseBoxType>(array.root.getType()))
        return !isUseOfDescriptor(user, array.root);
      return !isElement(user, array.root);
    });
  }

  /// True if something else that the body takes from around it may be the array, or contain its descriptor.
  bool hasSecondName(Value root) {
    bool isComponent = isInComponent(root);
    return llvm::any_of(captured, [&](Value other) {
      if (other == root)
        return false;
      return isSameComputation(other, root) || (isComponent && !isa<fir::BaseBoxType>(other.getType()) &&
                                                memoryOf(other) == memoryOf(root) && !givesOnlyNumbers(other));
    });
  }

  /// True if the body loads nothing but numbers and logicals from the variable or component at `memory`.
  bool givesOnlyNumbers(Value memory) {
    return llvm::all_of(memory.getUsers(), [&](Operation *user) {
      if (!loops.getBody().isAncestor(user->getParentRegion()))
        return true;
      if (auto load = dyn_cast<fir::LoadOp>(user))
        return fir::isa_trivial(load.getType());
      return isa<fir::CoordinateOp>(user) && givesOnlyNumbers(user->getResult(0));
    });
  }

  bool canBeOnHost(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isInside(value))
      return true;
    return op && !op->getNumRegions() && (isMemoryEffectFree(op) || isDescriptorLoad(op)) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return canBeOnHost(operand); });
  }

  /// `value` computed before the loops.
  Value onHost(Value value) {
    if (!isInside(value))
      return value;
    if (!copies.contains(value)) {
      for (Value operand : value.getDefiningOp()->getOperands())
        copies.map(operand, onHost(operand));
      host.clone(*value.getDefiningOp(), copies);
    }
    return copies.lookup(value);
  }

  Value constant(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  static Type elementType(Type memory) { return fir::unwrapSequenceType(fir::dyn_cast_ptrOrBoxEleTy(memory)); }

  /// The size of an element, or nothing if that is not known here.
  std::optional<uint64_t> elementBytes(Type memory) {
    Type element = elementType(memory);
    if (!fir::isa_trivial(element) && !isa<fir::RecordType>(element))
      return std::nullopt;
    auto module = loops->getParentOfType<ModuleOp>();
    auto size = fir::getTypeSizeAndAlignment(loc, element, DataLayout(module), fir::getKindMapping(module));
    return size ? std::optional<uint64_t>(llvm::alignTo(size->first, size->second)) : std::nullopt;
  }

  static bool readShape(Value shape, SmallVectorImpl<Value> &lowers, SmallVectorImpl<Value> &extents) {
    if (auto both = shape.getDefiningOp<fir::ShapeShiftOp>()) {
      llvm::append_range(lowers, both.getOrigins());
      llvm::append_range(extents, both.getExtents());
    } else if (auto all = shape.getDefiningOp<fir::ShapeOp>()) {
      llvm::append_range(extents, all.getExtents());
    } else if (auto shift = shape.getDefiningOp<fir::ShiftOp>()) {
      llvm::append_range(lowers, shift.getOrigins());
    }
    return !lowers.empty() || !extents.empty();
  }

  /// Lower bounds and bytes between neighbours, on the host; of the extents in `extents` where the array is contiguous.
  SmallVector<Dimension> dimensionsOf(fir::ArrayCoorOp element, uint64_t bytes) {
    SmallVector<Dimension> result;
    Value shape = element.getShape() ? onHost(element.getShape()) : Value();
    SmallVector<Value> lowers, extents;
    if (shape && !readShape(shape, lowers, extents))
      return result;
    bool isBox = isa<fir::BaseBoxType>(element.getMemref().getType());
    if (!isBox && extents.empty())
      return result;
    Value descriptor = isBox ? onHost(element.getMemref()) : Value();
    Value distance = constant(host, bytes);
    for (unsigned dimension = 0; dimension < element.getIndices().size(); ++dimension) {
      if (isBox && (dimension || !isContiguous(descriptor))) {
        Type index = host.getIndexType();
        auto dims = fir::BoxDimsOp::create(host, loc, index, index, index, descriptor, constant(host, dimension));
        distance = dims.getByteStride();
      } else if (dimension && isConstant(distance) && isConstant(extents[dimension - 1])) {
        distance = constant(host, *fir::getIntIfConstant(distance) * *fir::getIntIfConstant(extents[dimension - 1]));
      } else if (dimension) {
        distance = arith::MulIOp::create(host, loc, distance, extents[dimension - 1]);
      }
      Value lower = lowers.empty() ? constant(host, 1) : lowers[dimension];
      // What is constant becomes part of instructions, and leaves the alignment of the array to be seen.
      result.push_back({lower, distance, !(isConstant(lower) && isConstant(distance))});
    }
    return result;
  }

  static bool isConstant(Value value) { return fir::getIntIfConstant(value).has_value(); }

  static bool isContiguous(Value descriptor) {
    return isa<fir::HeapType>(cast<fir::BaseBoxType>(descriptor.getType()).getEleTy());
  }

  ArrayOrigin hoist(const Array &array) {
    fir::ArrayCoorOp first = array.elements.front();
    std::optional<uint64_t> bytes = elementBytes(first.getMemref().getType());
    if (!bytes)
      return {};
    SmallVector<Dimension> dimensions = dimensionsOf(first, *bytes);
    if (llvm::none_of(dimensions, [](const Dimension &dimension) { return dimension.isInOrigin; }))
      return {};
    Type reference =
        fir::ReferenceType::get(fir::SequenceType::get({fir::SequenceType::getUnknownExtent()}, host.getI8Type()));
    Value memory = onHost(first.getMemref());
    bool hasOtherNames = mayHaveOtherNames(memory);
    if (isa<fir::BaseBoxType>(memory.getType()))
      memory = fir::BoxAddrOp::create(host, loc, memory);
    Value address = fir::ConvertOp::create(host, loc, host.getI64Type(), memory);
    for (const Dimension &dimension : dimensions)
      if (dimension.isInOrigin) {
        Value distance = arith::MulIOp::create(host, loc, dimension.lower, dimension.bytes);
        distance = fir::ConvertOp::create(host, loc, host.getI64Type(), distance);
        address = arith::SubIOp::create(host, loc, address, distance);
      }
    Value origin = fir::ConvertOp::create(host, loc, reference, address);
    bool hasParts = isa<ComplexType, fir::RecordType>(elementType(first.getMemref().getType()));
    for (auto [number, dimension] : llvm::enumerate(dimensions))
      if (!isConstant(dimension.bytes)) {
        result.strides.push_back({dimension.bytes, static_cast<int64_t>(*bytes), number == 0, hasParts});
        result.products += array.elements.size();
      }
    for (fir::ArrayCoorOp element : array.elements)
      replace(element, origin, dimensions);
    return {origin, hasOtherNames};
  }

  void replace(fir::ArrayCoorOp element, Value origin, ArrayRef<Dimension> dimensions) {
    OpBuilder builder(element);
    auto exact = arith::IntegerOverflowFlags::nsw;
    Value place;
    for (auto [subscript, dimension] : llvm::zip(element.getIndices(), dimensions)) {
      Value count = fir::ConvertOp::create(builder, loc, builder.getIndexType(), subscript);
      if (!dimension.isInOrigin)
        count = arith::SubIOp::create(builder, loc, count, dimension.lower, exact);
      Value distance = arith::MulIOp::create(builder, loc, count, dimension.bytes, exact);
      place = place ? arith::AddIOp::create(builder, loc, place, distance, exact) : distance;
    }
    Type byte = fir::ReferenceType::get(builder.getI8Type());
    Value address = fir::CoordinateOp::create(builder, loc, byte, origin, ValueRange{place});
    element.replaceAllUsesWith(fir::ConvertOp::create(builder, loc, element.getType(), address).getResult());
    replaced.insert(element->operand_begin(), element->operand_end());
    erase(element);
  }

  /// Erases what addresses were computed from, as far as nothing else uses it: it would be captured.
  void eraseUnused() {
    while (!replaced.empty()) {
      Operation *op = replaced.pop_back_val().getDefiningOp();
      if (!op || !loops->isProperAncestor(op) || !isOpTriviallyDead(op))
        continue;
      replaced.insert(op->operand_begin(), op->operand_end());
      erase(op);
    }
  }

  /// Erases `op`, whose results may be operands of what was replaced: several of them, as those of fir.box_dims.
  void erase(Operation *op) {
    for (Value result : op->getResults())
      replaced.remove(result);
    op->erase();
  }

  KernelLoopsOp loops;
  OpBuilder host;
  Location loc;
  llvm::SetVector<Value> captured;
  llvm::SetVector<Value> replaced; ///< operands of what was replaced
  IRMapping copies;
  HoistedAddresses result;
};

} // namespace

HoistedAddresses cufort::cufx::hoistAddresses(KernelLoopsOp loops) { return AddressHoister(loops).run(); }
