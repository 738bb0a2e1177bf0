// Follows a reference back to the variable that declares its memory, and on to what is done with it.

#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/IR/CufxHostOps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// What an operation with a single result yields that has an optional argument, if there is one, and else nothing; null
/// if the operation is another one.
Value presentArgument(fir::IfOp choice) {
  if (choice.getNumResults() != 1)
    return {};
  for (Region &region : choice->getRegions()) {
    Value result = region.front().getTerminator()->getOperand(0);
    if (!result.getDefiningOp<fir::AbsentOp>())
      return result;
  }
  return {};
}

/// One step from what an operation yields towards the variable, or null at the end of the way.
Value stepBack(Value value) {
  Operation *op = value.getDefiningOp();
  // Of the parts of a string, the second one is its length.
  if (auto parts = dyn_cast<fir::UnboxCharOp>(op); parts && value == parts->getResult(1))
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<fir::DeclareOp, hlfir::DeclareOp, hlfir::DesignateOp, fir::LoadOp, fir::ArrayCoorOp>(
          [](auto o) { return o.getMemref(); })
      .Case<fir::ConvertOp>([](auto o) { return o.getValue(); })
      .Case<fir::CoordinateOp>([](auto o) { return o.getRef(); })
      .Case<fir::BoxAddrOp>([](auto o) { return o.getVal(); })
      .Case<fir::UnboxCharOp>([](auto o) { return o.getBoxchar(); })
      .Case<fir::ReboxOp>([](auto o) { return o.getBox(); })
      .Case<fir::EmboxOp, fir::EmboxCharOp>([](auto o) { return o.getMemref(); })
      .Case<fir::IfOp>([](auto o) { return presentArgument(o); })
      .Default([](Operation *) { return Value(); });
}

StringRef declaredName(Operation *op) {
  if (auto declare = dyn_cast<fir::DeclareOp>(op))
    return declare.getUniqName();
  if (auto declare = dyn_cast<hlfir::DeclareOp>(op))
    return declare.getUniqName();
  return {};
}

/// True for a temporary of the host.
bool isHostTemporary(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<fir::AllocMemOp, fir::AllocaOp>(op))
      return true;
    if (auto declare = dyn_cast<hlfir::DeclareOp>(op))
      memory = declare.getMemref();
    else if (auto designate = dyn_cast<hlfir::DesignateOp>(op))
      memory = designate.getMemref();
    else
      return false;
  }
  return false;
}

} // namespace

std::optional<cuf::DataAttribute> cufort::cufx::dataAttribute(Value memory) {
  while (memory) {
    Operation *op = memory.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto attr = op->getAttrOfType<cuf::DataAttributeAttr>("data_attr"))
      return attr.getValue();
    if (auto declare = dyn_cast<fir::DeclareOp>(op); declare && declare.getDataAttr())
      return *declare.getDataAttr();
    if (auto declare = dyn_cast<hlfir::DeclareOp>(op); declare && declare.getDataAttr())
      return *declare.getDataAttr();
    if (auto alloc = dyn_cast<cuf::AllocOp>(op))
      return alloc.getDataAttr();
    if (isa<EachDeviceOp>(op))
      return cuf::DataAttribute::Device;
    memory = stepBack(memory);
  }
  return std::nullopt;
}

bool cufort::cufx::isDeviceAddressable(Value memory) {
  auto attribute = dataAttribute(memory);
  return attribute && *attribute != cuf::DataAttribute::Pinned;
}

/// True for what a variable `root` itself is, or what the descriptor in it describes.
static bool isOfVariable(Value root, bool isBehindDescriptor, bool isAllocatable) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), cuf::getDataAttrName());
  }
  if (isBehindDescriptor)
    return isAllocatable;
  return isa_and_nonnull<cuf::AllocOp, fir::AddrOfOp>(root.getDefiningOp());
}

bool cufort::cufx::mayBeOfHost(Value memory) {
  if (dataAttribute(memory) != cuf::DataAttribute::Managed)
    return false;
  bool isBehindDescriptor = false, isAllocatable = false, isObject = false;
  while (Operation *op = memory.getDefiningOp()) {
    if (auto load = dyn_cast<fir::LoadOp>(op))
      isBehindDescriptor |= isa<fir::BaseBoxType>(load.getType());
    // The component tells in which memory that is what it describes.
    if (isBehindDescriptor && isa<fir::CoordinateOp, hlfir::DesignateOp>(op))
      return false;
    if (auto variable = dyn_cast<fir::FortranVariableOpInterface>(op)) {
      auto record = dyn_cast<fir::RecordType>(hlfir::getFortranElementType(variable.getBase().getType()));
      isAllocatable = variable.isAllocatable();
      isObject = record && holdsDescriptors(record);
    }
    Value previous = stepBack(memory);
    if (!previous)
      break;
    memory = previous;
  }
  return isObject && !isOfVariable(memory, isBehindDescriptor, isAllocatable);
}

bool cufort::cufx::holdsDescriptors(fir::RecordType record) {
  return llvm::any_of(record.getTypeList(), [](const auto &component) {
    Type type = fir::unwrapSequenceType(component.second);
    auto nested = dyn_cast<fir::RecordType>(type);
    return isa<fir::BaseBoxType>(type) || (nested && holdsDescriptors(nested));
  });
}

bool cufort::cufx::isPlainElement(Type element) {
  auto record = dyn_cast<fir::RecordType>(element);
  return record ? !holdsDescriptors(record) && record.getNumLenParams() == 0 : fir::isa_trivial(element);
}

bool cufort::cufx::isInComponent(Value memory) {
  while (Operation *op = memory ? memory.getDefiningOp() : nullptr) {
    auto designate = dyn_cast<hlfir::DesignateOp>(op);
    auto part = dyn_cast<fir::CoordinateOp>(op);
    // An internal procedure has the variables of its host in a tuple.
    bool isOfHost = part && isa<TupleType>(fir::unwrapRefType(part.getRef().getType()));
    if ((part && !isOfHost) || (designate && designate.getComponent()))
      return true;
    memory = stepBack(memory);
  }
  return false;
}

namespace {

/// A component of a derived type, by the types and the name of it.
struct Component {
  fir::RecordType record;
  StringRef name;
};

} // namespace

/// The component whose address `op` yields, if it does that.
static std::optional<Component> componentAt(Operation *op) {
  if (auto designate = dyn_cast<hlfir::DesignateOp>(op)) {
    auto record = dyn_cast<fir::RecordType>(hlfir::getFortranElementType(designate.getMemref().getType()));
    return record && designate.getComponent() ? std::optional(Component{record, *designate.getComponent()})
                                              : std::nullopt;
  }
  auto part = dyn_cast<fir::CoordinateOp>(op);
  auto fields = part ? part.getFieldIndices() : std::nullopt;
  auto record = part ? dyn_cast<fir::RecordType>(fir::unwrapPassByRefType(part.getRef().getType())) : fir::RecordType();
  // A component of a component takes another operation, after one that names the component itself.
  if (!record || !fields || fields->size() != 1 || (*fields)[0] == fir::CoordinateOp::kDynamicIndex)
    return std::nullopt;
  return Component{record, record.getTypeList()[(*fields)[0]].first};
}

static std::string nameOf(const Component &component) {
  // _QMmodFprocTtypeK4: the name of the type follows the last T.
  StringRef type = component.record.getName().rsplit('T').second;
  type = type.take_until([](char c) { return llvm::isUpper(c); });
  // Those of PRIVATE components have _QMmodTtype. in front.
  return (type + "." + component.name.substr(component.name.rfind('.') + 1)).str();
}

std::string cufort::cufx::componentName(Value memory) {
  Operation *op = memory.getDefiningOp();
  std::optional<Component> component = op ? componentAt(op) : std::nullopt;
  return component ? nameOf(*component) : std::string();
}

/// The operation that names the component through whose descriptor `memory` is reached; null if there is none.
/// `isBehindDescriptor` says that `memory` stands for what a descriptor describes.
static Operation *describingComponent(Value memory, bool isBehindDescriptor) {
  while (Operation *op = memory ? memory.getDefiningOp() : nullptr) {
    if (auto load = dyn_cast<fir::LoadOp>(op))
      isBehindDescriptor |= isa<fir::BaseBoxType>(load.getType());
    if (componentAt(op))
      return isBehindDescriptor ? op : nullptr;
    memory = stepBack(memory);
  }
  return nullptr;
}

/// True if `memory` is an allocatable or pointer component with the device attribute, what it holds, or a part of that.
static bool isInDeviceComponent(Value memory) {
  Operation *component = describingComponent(memory, fir::isBoxAddress(memory.getType()));
  if (!component)
    return false;
  auto names = component->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(deviceComponentsAttribute);
  auto name = StringAttr::get(component->getContext(), nameOf(*componentAt(component)));
  return names && llvm::is_contained(names.getValue(), name);
}

bool cufort::cufx::isSharedWithHost(Value memory) {
  if (isHiddenFromHost(memory) || !isDeviceAddressable(memory))
    return false;
  return !describingComponent(memory, fir::isBoxAddress(memory.getType()));
}

bool cufort::cufx::mayHaveOtherNames(Value memory) {
  auto isShareable = [](std::optional<fir::FortranVariableFlagsEnum> flags) {
    using Flags = fir::FortranVariableFlagsEnum;
    return flags && fir::bitEnumContainsAny(*flags, Flags::target | Flags::pointer);
  };
  while (Operation *op = memory ? memory.getDefiningOp() : nullptr) {
    // A part of a target says nothing of that.
    auto variable = dyn_cast<fir::FortranVariableOpInterface>(op);
    if (variable && (!isa<hlfir::DesignateOp>(op) || isShareable(variable.getFortranAttrs())))
      return isShareable(variable.getFortranAttrs());
    // FIR tells nothing of a component but its type.
    auto load = dyn_cast<fir::LoadOp>(op);
    auto descriptor = load ? dyn_cast<fir::BaseBoxType>(load.getType()) : fir::BaseBoxType();
    if (descriptor && isa<fir::PointerType>(descriptor.getEleTy()))
      return true;
    memory = stepBack(memory);
  }
  return true;
}

Value cufort::cufx::memoryOf(Value memory) {
  while (memory.getDefiningOp()) {
    Value previous = stepBack(memory);
    if (!previous)
      break;
    memory = previous;
  }
  return memory;
}

bool cufort::cufx::isDeviceOnly(Value memory) {
  auto attribute = dataAttribute(memory);
  return attribute && (*attribute == cuf::DataAttribute::Device || *attribute == cuf::DataAttribute::Constant) &&
         !isHostTemporary(memory);
}

bool cufort::cufx::isHiddenFromHost(Value memory) { return isDeviceOnly(memory) || isInDeviceComponent(memory); }

bool cufort::cufx::isLocal(Value memory) {
  while (Operation *op = memory ? memory.getDefiningOp() : nullptr) {
    if (isa<fir::AllocaOp>(op))
      return true;
    // What a local descriptor describes lies elsewhere.
    if (isa<fir::LoadOp>(op))
      return false;
    memory = stepBack(memory);
  }
  return false;
}

StringRef cufort::cufx::variableName(Value memory) {
  while (memory) {
    Operation *op = memory.getDefiningOp();
    if (!op)
      return {};
    StringRef unique = declaredName(op);
    if (!unique.empty()) {
      size_t at = unique.rfind('E');
      return at == StringRef::npos ? unique : unique.substr(at + 1);
    }
    memory = stepBack(memory);
  }
  return {};
}
