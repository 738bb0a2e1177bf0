// Captures of a CUF kernel. A host scalar in the loops is a copy in each thread (CUDA Fortran guide 2.11.2).

#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/Support/FIRContext.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostStringCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cufort::cufx;

/// True for operations without storage or effects: the kernel can have its own.
static bool canBeRemade(Operation *op) {
  return op &&
         (op->hasTrait<OpTrait::ConstantLike>() ||
          isa<fir::ShapeOp, fir::ShapeShiftOp, fir::ShiftOp, fir::SliceOp, fir::UndefOp, fir::ZeroOp, fir::AbsentOp,
              fir::DeclareOp, fir::ConvertOp, fir::EmboxCharOp, fir::FieldIndexOp, fir::DummyScopeOp>(op));
}

/// The memory mode of the program (hostDataAttribute); empty if device code cannot use host data.
static StringRef hostDataMode(KernelLoopsOp loops) {
  auto mode = loops->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(hostDataAttribute);
  return mode ? mode.getValue() : StringRef();
}

/// True for the address of a variable that exists in device code too: device data, or a constant. Unified data is the
/// host's alone.
static bool isGlobalOfDevice(fir::AddrOfOp address) {
  auto module = address->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<fir::GlobalOp>(address.getSymbol());
  if (!global || fir::isBoxAddress(address.getType()))
    return false;
  if (global.getConstant())
    return true;
  auto attribute = global.getDataAttr();
  return attribute && *attribute != cuf::DataAttribute::Pinned && *attribute != cuf::DataAttribute::Unified;
}

fir::AddrOfOp cufort::cufx::globalOfDevice(Value reference) {
  if (auto declare = reference.getDefiningOp<fir::DeclareOp>())
    reference = declare.getMemref();
  auto address = reference.getDefiningOp<fir::AddrOfOp>();
  return address && isGlobalOfDevice(address) ? address : fir::AddrOfOp();
}

/// The most bytes of an object that a launch copies: arguments of kernels have room for 4 KB.
constexpr uint64_t mostCopiedBytes = 1024;

/// About how many bytes `type` has; none if that is not known here.
static std::optional<uint64_t> bytesOf(Type type, ModuleOp module) {
  constexpr uint64_t descriptorBytes = 64, dimensionBytes = 24;
  if (auto box = dyn_cast<fir::BaseBoxType>(type))
    return descriptorBytes + dimensionBytes * fir::getBoxRank(box);
  if (auto array = dyn_cast<fir::SequenceType>(type)) {
    auto element = bytesOf(array.getEleTy(), module);
    bool isKnown = element && !array.hasDynamicExtents() && !array.hasUnknownShape();
    return isKnown ? std::optional(*element * array.getConstantArraySize()) : std::nullopt;
  }
  if (auto record = dyn_cast<fir::RecordType>(type)) {
    std::optional<uint64_t> sum = 0;
    for (auto &[name, component] : record.getTypeList())
      if (auto bytes = bytesOf(component, module); bytes && sum)
        *sum += *bytes;
      else
        sum.reset();
    return sum;
  }
  auto loc = UnknownLoc::get(module.getContext());
  auto size = fir::getTypeSizeAndAlignment(loc, type, DataLayout(module), fir::getKindMapping(module));
  return size ? std::optional(size->first) : std::nullopt;
}

/// True for scalars, and for arrays and objects that are not large.
static bool isCopyable(Type type, KernelLoopsOp loops) {
  return bytesOf(type, loops->getParentOfType<ModuleOp>()).value_or(mostCopiedBytes + 1) <= mostCopiedBytes;
}

/// True if the loops do no more than read what `reference` addresses, or what the descriptor describes that is there.
bool KernelCaptures::isOnlyReadInLoops(Value reference) {
  if (!fir::isBoxAddress(reference.getType()))
    return isOnlyRead(reference, &loops.getBody());
  return llvm::all_of(reference.getUsers(), [&](Operation *user) {
    return !loops.getBody().isAncestor(user->getParentRegion()) ||
           (isa<fir::LoadOp>(user) && isOnlyRead(user->getResult(0), &loops.getBody()));
  });
}

/// True if the kernel uses the address of `value`, and what is there need not travel.
bool KernelCaptures::isReached(Value value) {
  if (!isDeviceAddressable(value))
    return false;
  Type type = fir::unwrapRefType(value.getType());
  if (auto box = dyn_cast<fir::BaseBoxType>(type))
    type = fir::unwrapRefType(box.getEleTy());
  bool isCopied = mayBeOfHost(value) && hostDataMode(loops) != "unified" && isCopyable(type, loops);
  return !isCopied || !isOnlyReadInLoops(value);
}

KernelCaptures::KernelCaptures(KernelLoopsOp loops)
    : loops(loops), hostBuilder(loops, fir::getKindMapping(loops->getParentOfType<ModuleOp>())) {}

void KernelCaptures::pass(Value captured, Value host, Passing passing, bool hasOtherNames) {
  hostArguments.push_back(host);
  parameters.push_back({captured, passing, hasOtherNames});
}

void KernelCaptures::passAddress(Value address, bool hasOtherNames) {
  done.insert(address);
  pass(address, address, Passing::Address, hasOtherNames);
}

unsigned KernelCaptures::passNumber(Value number) {
  pass(number, number, Passing::AsIs);
  return parameters.size() - 1;
}

std::optional<unsigned> KernelCaptures::parameterWith(Value value) const {
  const auto *found = llvm::find_if(parameters, [&](const Parameter &each) { return each.captured == value; });
  return found == parameters.end() ? std::nullopt : std::optional<unsigned>(found - parameters.begin());
}

LogicalResult KernelCaptures::analyse(ValueRange bounds) {
  for (Value value : loops.getReductions()) {
    done.insert(value);
    storageOnly.push_back(value);
  }
  for (Value value : loops.getPrivates()) {
    done.insert(value);
    storageOnly.push_back(value);
  }
  SetVector<Value> used;
  getUsedValuesDefinedAbove(loops.getBody(), used);
  used.insert(bounds.begin(), bounds.end());
  for (Value value : used)
    if (failed(capture(value)))
      return failure();
  return success();
}

LogicalResult KernelCaptures::capture(Value value) {
  if (!done.insert(value))
    return success();
  Type type = value.getType();
  Operation *definition = value.getDefiningOp();
  if (auto address = dyn_cast_or_null<fir::AddrOfOp>(definition); address && isGlobalOfDevice(address)) {
    remade.insert(definition);
    return success();
  }
  if (captureBehindDescriptor(value))
    return success();
  if (isa<fir::ReferenceType, fir::HeapType, fir::PointerType>(type))
    return captureReference(value);
  if (canBeRemade(definition)) {
    for (Value operand : definition->getOperands())
      if (failed(capture(operand)))
        return failure();
    remade.insert(definition);
    return success();
  }
  if (type.isIndex()) {
    pass(value, fir::ConvertOp::create(hostBuilder, loops.getLoc(), hostBuilder.getI64Type(), value), Passing::FromI64);
    return success();
  }
  if (fir::isa_trivial(type) || isa<fir::BaseBoxType, fir::LLVMPointerType>(type)) {
    pass(value, value, Passing::AsIs, isa<fir::BaseBoxType>(type) && mayHaveOtherNames(value));
    return success();
  }
  return loops.emitError() << "a CUF kernel cannot use a value of type " << type << " from outside its loops";
}

/// Host variables that the loops reach through a descriptor: polymorphic or assumed-shape scalars of derived type, and
/// allocatable or pointer scalars. The descriptor's address means nothing to the device; what is there, travels.
bool KernelCaptures::captureBehindDescriptor(Value value) {
  bool isReference = fir::isa_ref_type(value.getType());
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(value.getType()));
  if (!box || isReached(value))
    return false;
  Type element = fir::unwrapRefType(box.getEleTy());
  Location loc = loops.getLoc();
  auto addressOf = [&](Value descriptor) {
    return fir::BoxAddrOp::create(hostBuilder, loc, fir::ReferenceType::get(element), descriptor);
  };
  if (!isReference && isa<fir::RecordType>(element)) {
    pass(value, addressOf(value), Passing::BoxedRecord);
    return true;
  }
  if (!isReference && fir::isa_trivial(element) && isReadFromComponent(value)) {
    Value address = orAnything(addressOf(value));
    pass(value, fir::LoadOp::create(hostBuilder, loc, address), Passing::BoxedScalar);
    return true;
  }
  auto character = dyn_cast<fir::CharacterType>(element);
  bool isInMemory = isa<fir::RecordType>(element) || (character && character.hasConstantLen());
  if (isReference && (fir::isa_trivial(element) || isInMemory)) {
    Value address = orAnything(addressOf(fir::LoadOp::create(hostBuilder, loc, value)));
    pass(value, isInMemory ? address : fir::LoadOp::create(hostBuilder, loc, address), Passing::BoxedScalar);
    return true;
  }
  return false;
}

/// True for the descriptor of an allocatable or pointer component of a host variable, if the loops only read what it
/// describes, and that in memory of the host.
bool KernelCaptures::isReadFromComponent(Value descriptor) {
  auto load = descriptor.getDefiningOp<fir::LoadOp>();
  return load && isInComponent(load.getMemref()) && hostDataMode(loops).empty() &&
         isOnlyRead(descriptor, &loops.getBody());
}

/// True if the loops read or write what the descriptor at `reference` describes, not its length and bounds alone.
bool KernelCaptures::useMemoryBehind(Value reference) {
  auto isInquiry = [](Operation *user) { return isa<fir::BoxEleSizeOp, fir::BoxDimsOp>(user); };
  return llvm::any_of(reference.getUsers(), [&](Operation *user) {
    if (!loops.getBody().isAncestor(user->getParentRegion()))
      return false;
    return !isa<fir::LoadOp>(user) || !llvm::all_of(user->getUsers(), isInquiry);
  });
}

/// `address`, or that of anything of its type if there is nothing: then the loops do not use it.
Value KernelCaptures::orAnything(Value address) {
  Location loc = loops.getLoc();
  auto function = loops->getParentOfType<func::FuncOp>();
  OpBuilder atStart = OpBuilder::atBlockBegin(&function.front());
  Value anything = fir::AllocaOp::create(atStart, loc, fir::unwrapRefType(address.getType()));
  Value isThere = hostBuilder.genIsNotNullAddr(loc, address);
  return arith::SelectOp::create(hostBuilder, loc, isThere, address, anything);
}

/// Strings of the host that the loops only read, with a length that is known when the program runs: the threads share a
/// copy.
bool KernelCaptures::captureString(Value reference) {
  bool isRead = hostDataMode(loops) != "unified" && !isDeviceAddressable(reference) && isOnlyReadInLoops(reference);
  if (!isRead)
    return false;
  if (fir::isBoxAddress(reference.getType())) {
    pass(reference, copyDescribedStringForLoops(loops, reference), Passing::IntoStorage);
    return true;
  }
  Value length = lengthOfString(reference);
  if (!length)
    return false;
  pass(reference, copyStringForLoops(loops, reference, length), Passing::Address);
  return true;
}

/// True for the address of a string, and of the descriptor of one.
static bool isString(Value reference) {
  Type type = fir::unwrapRefType(reference.getType());
  auto box = dyn_cast<fir::BaseBoxType>(type);
  return isa<fir::CharacterType>(box ? fir::unwrapRefType(box.getEleTy()) : type);
}

LogicalResult KernelCaptures::captureReference(Value reference) {
  Type element = fir::dyn_cast_ptrEleTy(reference.getType());
  Location loc = loops.getLoc();
  if (auto box = dyn_cast<fir::BaseBoxType>(element)) {
    // Of strings whose length may change there can be no copy for each thread.
    bool hasAddress = isDeviceAddressable(reference) || !hostDataMode(loops).empty();
    if (isString(reference) && !hasAddress && useMemoryBehind(reference))
      return captureString(reference) ? success() : rejectHostData(reference);
    pass(reference, fir::LoadOp::create(hostBuilder, loc, reference), Passing::IntoStorage,
         mayHaveOtherNames(reference));
    return success();
  }
  if (isString(reference) && captureString(reference))
    return success();
  Operation *definition = reference.getDefiningOp();
  if (auto declare = dyn_cast_or_null<fir::DeclareOp>(definition);
      declare && (isReached(reference) || !fir::isa_trivial(element))) {
    // The declare adds nothing in the kernel: its memory is what the loops address. It is the declare that knows
    // the attribute of a dummy argument.
    Value memory = declare.getMemref();
    auto address = memory.getDefiningOp<fir::AddrOfOp>();
    bool isPassed = isReached(reference) && !(address && isGlobalOfDevice(address));
    if (isPassed && done.insert(memory))
      pass(memory, memory, Passing::Address, mayHaveOtherNames(reference));
    else if (failed(capture(memory)))
      return failure();
    remade.insert(definition);
    return success();
  }
  if (isReached(reference)) {
    pass(reference, reference, Passing::Address, mayHaveOtherNames(reference));
    return success();
  }
  auto character = dyn_cast<fir::CharacterType>(element);
  bool isArrayInObject = isa<fir::SequenceType>(element) && mayBeOfHost(reference);
  if (isa<fir::RecordType>(element) || isArrayInObject || (character && character.hasConstantLen())) {
    bool isShared = hostDataMode(loops) == "unified" && !isOnlyRead(reference, &loops.getBody());
    pass(reference, reference, isShared ? Passing::Address : Passing::Record);
    return success();
  }
  if (fir::isa_trivial(element)) {
    pass(reference, fir::LoadOp::create(hostBuilder, loc, reference), Passing::IntoStorage);
    return success();
  }
  // An element or a section of something: an address that was computed from device data.
  bool isComputed = definition && isa<fir::BoxAddrOp, fir::ArrayCoorOp, fir::CoordinateOp>(definition);
  if (isComputed || !hostDataMode(loops).empty()) {
    pass(reference, reference, Passing::Address, mayHaveOtherNames(reference));
    return success();
  }
  return rejectHostData(reference);
}

/// Reports the variable behind `reference` where the loops use it first.
LogicalResult KernelCaptures::rejectHostData(Value reference) {
  StringRef name = variableName(reference);
  Operation *place = loops;
  loops.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (memoryOf(operand) == memoryOf(reference)) {
        name = variableName(operand);
        place = op;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  InFlightDiagnostic error = place->emitError()
                             << "host data" << (name.empty() ? "" : " '") << name << (name.empty() ? "" : "'")
                             << " cannot be used in a CUF kernel; give it the device or managed attribute";
  if (isString(reference))
    error << ", or assign it to a string of constant length, of which each thread has a copy";
  return error;
}

/// Threads share the parameter: only one that is never written can stand for the variable.
Value KernelCaptures::privateCopy(OpBuilder &builder, Location loc, const Parameter &parameter, Value record) {
  if (isOnlyRead(parameter.captured, &loops.getBody()))
    return record;
  Value storage = fir::AllocaOp::create(builder, loc, fir::unwrapRefType(record.getType()));
  fir::StoreOp::create(builder, loc, fir::LoadOp::create(builder, loc, record), storage);
  return storage;
}

Value KernelCaptures::materialise(OpBuilder &builder, Location loc, const Parameter &parameter, Value value) {
  Type type = parameter.captured.getType();
  auto intoStorage = [&](Value stored) -> Value {
    Value storage = fir::AllocaOp::create(builder, loc, stored.getType());
    fir::StoreOp::create(builder, loc, stored, storage);
    return storage;
  };
  switch (parameter.passing) {
  case Passing::AsIs:
  case Passing::Address:
    return value;
  case Passing::FromI64:
    return fir::ConvertOp::create(builder, loc, builder.getIndexType(), value);
  case Passing::IntoStorage:
    return intoStorage(value);
  case Passing::Record:
    return privateCopy(builder, loc, parameter, value);
  case Passing::BoxedRecord:
    return fir::EmboxOp::create(builder, loc, type, privateCopy(builder, loc, parameter, value));
  case Passing::BoxedScalar: {
    auto box = cast<fir::BaseBoxType>(fir::unwrapRefType(type));
    if (fir::isa_ref_type(value.getType()))
      value = fir::LoadOp::create(builder, loc, value);
    Value storage = fir::AllocaOp::create(builder, loc, value.getType());
    fir::StoreOp::create(builder, loc, value, storage)->setAttr(anyNameAttribute, builder.getUnitAttr());
    Value address = fir::ConvertOp::create(builder, loc, box.getEleTy(), storage);
    Value descriptor = fir::EmboxOp::create(builder, loc, box, address);
    return fir::isa_ref_type(type) ? intoStorage(descriptor) : descriptor;
  }
  }
  llvm_unreachable("every Passing has a case");
}

void KernelCaptures::materialise(OpBuilder &builder, Location loc, ValueRange values, IRMapping &mapping) {
  for (auto [parameter, value] : llvm::zip(parameters, values)) {
    mapping.map(parameter.captured, materialise(builder, loc, parameter, value));
  }
  for (Value reference : storageOnly)
    mapping.map(reference, fir::AllocaOp::create(builder, loc, fir::unwrapRefType(reference.getType())).getResult());
  for (Operation *op : remade) {
    if (auto declare = dyn_cast<fir::DeclareOp>(op))
      mapping.map(declare.getResult(), mapping.lookup(declare.getMemref()));
    else
      builder.clone(*op, mapping);
  }
}
