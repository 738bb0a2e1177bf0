// What host code may not do with device procedures and device data, and Flang's semantics does not check.
//
// Assignments between host and device are cuf.data_transfer, launches cuf.kernel_launch. Everything else that reaches
// device memory here would be done by the host's processor, which faults at the address of a GPU.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_CHECKHOSTCODE
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// True for what the labels of specific procedures of module cudadevice add to the name of the operation: the type of
/// an argument, or a word for one more.
bool isOfSpecific(StringRef word) {
  bool isType = word.size() >= 2 && StringRef("ilrc").contains(word[0]) && llvm::isDigit(word[1]);
  return isType || llvm::is_contained({"w", "group", "mask"}, word);
}

/// The name that module cudadevice has for `operation`: that of a label without its prefix.
std::string intrinsicName(StringRef operation) {
  while (isOfSpecific(operation.rsplit('_').second))
    operation = operation.rsplit('_').first;
  bool hasUnderscores =
      operation.starts_with("shfl") || llvm::is_contained({"ldca", "ldcg", "ldcs", "ldlu", "ldcv", "stwb", "stcg",
                                                           "stcs", "stwt", "nanosleep", "float2half_rn", "half2float"},
                                                          operation);
  return (hasUnderscores ? "__" : "") + operation.str();
}

/// The name that the user calls the procedure with the symbol `symbol` by. Procedures of our modules have labels made
/// of a prefix and the name.
std::string procedureName(StringRef symbol) {
  auto parts = fir::NameUniquer::deconstruct(symbol);
  StringRef name = parts.second.name.empty() ? symbol : StringRef(parts.second.name);
  if (name.consume_front("__cufx_"))
    return intrinsicName(name);
  if (!name.consume_front("__nv_"))
    name.consume_front("cufort_");
  return name.str();
}

bool isPointerLike(Type type) { return fir::isa_ref_type(type) || isa<fir::BaseBoxType>(type); }

/// True if `memory` is a variable or a section of one. A component has an attribute of its own, and what a variable
/// holds as an address (c_ptr) has none that is known.
bool isVariable(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (auto designate = dyn_cast<hlfir::DesignateOp>(op)) {
      if (designate.getComponent())
        return false;
      memory = designate.getMemref();
    } else if (auto load = dyn_cast<fir::LoadOp>(op)) {
      if (!isa<fir::BaseBoxType>(load.getType()))
        return false;
      memory = load.getMemref();
    } else if (isa<fir::ConvertOp, fir::ReboxOp, fir::EmboxOp, fir::BoxAddrOp>(op)) {
      memory = op->getOperand(0);
    } else {
      return isa<hlfir::DeclareOp>(op);
    }
  }
  return false;
}

/// True if the variable behind `memory` is a pointer.
bool isPointer(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<hlfir::DeclareOp>(op))
      return cast<fir::FortranVariableOpInterface>(op).isPointer();
    if (op->getNumOperands() == 0)
      return false;
    memory = op->getOperand(0);
  }
  return false;
}

/// What the user calls `memory`, without subscripts: `a%b%c`.
std::string dataName(Value memory) {
  std::string components;
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<hlfir::DeclareOp>(op) || op->getNumOperands() == 0)
      break;
    // Names of PRIVATE components have that of their type in front.
    if (auto part = dyn_cast<hlfir::DesignateOp>(op); part && part.getComponent()) {
      StringRef name = *part.getComponent();
      components = "%" + name.substr(name.rfind('.') + 1).str() + components;
    }
    memory = op->getOperand(0);
  }
  return variableName(memory).str() + components;
}

/// The type of the elements of an argument `value`; null if it is an address as such, or not known.
Type elementType(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<fir::ConvertOp, fir::ReboxOp>(op))
      break;
    value = op->getOperand(0);
  }
  Type element = hlfir::getFortranElementType(value.getType());
  return isa<NoneType, fir::RecordType>(element) ? Type() : element;
}

/// True if argument `other` of a routine of cudafor has another type than its first one.
bool haveOtherTypes(fir::CallOp call, unsigned other) {
  Type first = elementType(call.getArgs()[0]), second = elementType(call.getArgs()[other]);
  return first && second && first != second;
}

/// Copies by module cudafor, whose interfaces take all types. Their counts are of elements, and the bits are copied.
LogicalResult checkCopy(fir::CallOp call, StringRef callee) {
  unsigned source = StringSwitch<unsigned>(callee)
                        .Cases({"cufort_cudaMemcpy", "cufort_cudaMemcpyAsync", "cufort_cudaMemcpyAsyncDirected"}, 1)
                        .Cases({"cufort_cudaMemcpy2D", "cufort_cudaMemcpy2DAsync"}, 2)
                        .Cases({"cufort_cudaMemcpy2DAsyncDirected", "cufort_cudaMemcpyPeer"}, 2)
                        .Case("cufort_cudaMemcpyPeerAsync", 2)
                        .Default(0);
  if (!source || !haveOtherTypes(call, source))
    return success();
  return call.emitError("both arrays of a copy must have the same type and kind; an assignment converts");
}

/// Fills by module cudafor: the value is written as it is, and is a byte at addresses only.
LogicalResult checkFill(fir::CallOp call, StringRef callee) {
  unsigned value = StringSwitch<unsigned>(callee)
                       .Cases({"cufort_cudaMemset", "cufort_cudaMemsetAsync"}, 1)
                       .Case("cufort_cudaMemset2D", 2)
                       .Default(0);
  if (!value || !haveOtherTypes(call, value))
    return success();
  return call.emitError("the value that memory is filled with must have the type and kind of the array");
}

/// True if `value` is a variable of the host that nobody but this procedure can have in managed memory, or a section of
/// one.
bool isPlainHostVariable(Value value) {
  if (!elementType(value) || !isVariable(value) || dataAttribute(value) || isa<BlockArgument>(memoryOf(value)))
    return false;
  bool isAllocated = value.getDefiningOp()->getParentOfType<ModuleOp>()->hasAttr(hostDataAttribute);
  return !isAllocated && !isPointer(value);
}

/// Routines of module cudafor that tell something of memory of the device.
LogicalResult checkMemoryOfDevice(fir::CallOp call, StringRef callee) {
  auto [routine, argument] = StringSwitch<std::pair<StringRef, unsigned>>(callee)
                                 .Case("cudaforSetVariableDefaultStream", {"cudaforSetDefaultStream", 0})
                                 .Case("cufort_cudaMemAdvise", {"cudaMemAdvise", 0})
                                 .Case("cufort_cudaMemPrefetchAsync", {"cudaMemPrefetchAsync", 0})
                                 .Case("cufort_cudaStreamAttachMemAsync", {"cudaStreamAttachMemAsync", 1})
                                 .Default({});
  if (routine.empty() || !isPlainHostVariable(call.getArgs()[argument]))
    return success();
  return call.emitError() << "'" << routine << "' cannot have '" << variableName(call.getArgs()[argument])
                          << "', which is host data, as an argument: give it the "
                          << (routine == "cudaforSetDefaultStream" ? "device or managed" : "managed") << " attribute";
}

/// True for what device code calls without a module, so that host code can call it as an external procedure.
bool isBarrier(StringRef callee) {
  return callee.consume_front("_QP") &&
         (callee == "syncthreads" || callee == "syncwarp" || callee.starts_with("threadfence"));
}

/// What to add to a message about host code in a procedure for host and device; empty if `op` is not in one.
std::string ifOfBothSides(Operation *op, SymbolTable &symbols) {
  auto func = op->getParentOfType<func::FuncOp>();
  if (!func || !symbols.lookup((func.getSymName() + deviceCopySuffix).str()))
    return "";
  return ", and '" + procedureName(func.getSymName()) + "' is a procedure for the host, too";
}

/// The statement whose text `callee` prints; empty if it prints none.
StringRef textStatement(StringRef callee) {
  return StringSwitch<StringRef>(callee)
      .Case("_FortranAStopStatementText", "STOP")
      .Case("_FortranAPauseStatementText", "PAUSE")
      .Default({});
}

/// Calls of device procedures, and of the I/O library with device addresses.
LogicalResult checkCall(fir::CallOp call, SymbolTable &symbols) {
  StringRef callee = calleeName(call);
  if (callee.empty())
    return success();
  auto func = symbols.lookup<func::FuncOp>(callee);
  std::string alsoOnDevice = ifOfBothSides(call, symbols);
  // The run-time library has random numbers for the host, too; what declared them in this source first, does not count.
  bool isOnHost = !alsoOnDevice.empty() && callee.starts_with("cufort_curand");
  bool isOfDevice =
      func && (procAttribute(func) == cuf::ProcAttribute::Device || (func.isDeclaration() && isBarrier(callee)));
  if (isOfDevice && !isOnHost) {
    std::string name = procedureName(callee);
    bool isOfThisSource = !func.isDeclaration();
    return call.emitError() << "'" << name << "' is a device procedure; host code cannot call it" << alsoOnDevice
                            << (isOfThisSource
                                    ? "; give '" + name + "' ATTRIBUTES(HOST, DEVICE), or call it in a kernel"
                                    : "");
  }
  if (StringRef statement = textStatement(callee); !statement.empty() && isHiddenFromHost(call.getArgs()[0]))
    return call.emitError() << "device data ('" << dataName(call.getArgs()[0]) << "') cannot be the text of "
                            << statement << "; use a host copy";
  if (!callee.starts_with("_FortranAio"))
    return success(succeeded(checkCopy(call, callee)) && succeeded(checkFill(call, callee)) &&
                   succeeded(checkMemoryOfDevice(call, callee)));
  for (Value argument : call.getArgs())
    if (isPointerLike(argument.getType()) && isHiddenFromHost(argument))
      return call.emitError() << "device data ('" << dataName(argument)
                              << "') cannot be in an input or output statement of the host; use a host copy";
  return success();
}

/// Constant data belongs to modules, and no kernel may write it.
LogicalResult checkLaunch(cuf::KernelLaunchOp launch) {
  for (Value argument : launch.getArgs())
    if (isPointerLike(argument.getType()) && dataAttribute(argument) == cuf::DataAttribute::Constant)
      return launch.emitError() << "constant data ('" << variableName(argument)
                                << "') cannot be an argument of a kernel: kernels use it by name";
  return success();
}

/// The predefined variables of device code.
LogicalResult checkLoad(fir::LoadOp load, SymbolTable &symbols) {
  StringRef name = variableName(load.getMemref());
  if (!name.consume_front("__builtin_") || !llvm::is_contained({"threadidx", "blockidx", "blockdim", "griddim"}, name))
    return success();
  return load.emitError() << "host code has no '" << name << "'" << ifOfBothSides(load, symbols);
}

/// WHERE, FORALL and assignments with vector subscripts whose device data has not been copied assign where it is.
LogicalResult checkMaskedAssignment(hlfir::YieldOp yield) {
  auto assign = yield->getParentOfType<hlfir::RegionAssignOp>();
  bool isMasked = yield->getParentOfType<hlfir::WhereOp>() || yield->getParentOfType<hlfir::ForallOp>();
  // A procedure that does an assignment gets its arguments as they are.
  bool isSubscripted = assign && assign.getUserDefinedAssignment().empty();
  if ((!isMasked && !isSubscripted) || !isHiddenFromHost(yield.getEntity()))
    return success();
  return (assign ? assign.getOperation() : yield.getOperation())->emitError()
         << "device data ('" << variableName(yield.getEntity()) << "') cannot be in this "
         << (isMasked ? "WHERE or FORALL" : "assignment with a vector subscript")
         << " of the host; use a kernel or a host copy";
}

/// The association of a pointer: a store of a descriptor.
LogicalResult checkPointer(fir::StoreOp store) {
  StringRef pointer = variableName(store.getMemref()), target = variableName(store.getValue());
  auto box = dyn_cast<fir::BaseBoxType>(store.getValue().getType());
  // The result of a function has no attribute where it is called.
  bool isResult = target.starts_with(".");
  if (!box || !box.isPointer() || !isVariable(store.getMemref()) || !isVariable(store.getValue()) || isResult)
    return success();
  auto pointerAttribute = dataAttribute(store.getMemref());
  auto targetAttribute = dataAttribute(store.getValue());
  bool toDevice = pointerAttribute && *pointerAttribute == cuf::DataAttribute::Device;
  bool onHost = !targetAttribute || *targetAttribute == cuf::DataAttribute::Pinned;
  bool onDevice = targetAttribute && *targetAttribute == cuf::DataAttribute::Device;
  if (toDevice && onHost)
    return store.emitError() << "the device pointer '" << pointer << "' cannot point to '" << target
                             << "', which is host data";
  if (pointerAttribute == cuf::DataAttribute::Managed && onDevice)
    return store.emitError() << "the managed pointer '" << pointer << "' cannot point to '" << target
                             << "', which is device data: the host cannot read it";
  if (!pointerAttribute && onDevice)
    return store.emitError() << "the pointer '" << pointer << "' cannot point to '" << target
                             << "', which is device data, without the device attribute";
  return success();
}

/// Statements that define a variable other than by assignment: DO, STAT=, IOSTAT=.
LogicalResult checkStore(fir::StoreOp store, llvm::StringSet<> &reported) {
  if (isa<fir::BaseBoxType>(store.getValue().getType()))
    return checkPointer(store);
  // A DO variable is stored to twice.
  StringRef variable = variableName(store.getMemref());
  if (!isDeviceOnly(store.getMemref()) || !reported.insert(variable).second)
    return success();
  return store.emitError() << "device data ('" << variable << "') cannot be defined by this statement of the host";
}

/// The variable whose copies a construct of OpenMP makes: arrays come as a descriptor in memory.
Value copiedVariable(Value value) {
  if (value.getDefiningOp<fir::AllocaOp>())
    for (Operation *user : value.getUsers())
      if (auto store = dyn_cast<fir::StoreOp>(user); store && store.getMemref() == value)
        return store.getValue();
  return value;
}

/// True for a pointer: a copy of it is a descriptor, which the host has.
bool isPointerVariable(Value variable) {
  auto box = dyn_cast<fir::BaseBoxType>(fir::unwrapRefType(variable.getType()));
  return box && isa<fir::PointerType>(box.getEleTy());
}

/// PRIVATE and REDUCTION: the copies for each thread would be in the host's memory.
LogicalResult checkCopies(omp::BlockArgOpenMPOpInterface construct) {
  for (ValueRange copied : {construct.getPrivateVars(), construct.getReductionVars()})
    for (Value value : copied) {
      Value variable = copiedVariable(value);
      if (isPointerVariable(variable) && llvm::is_contained(construct.getPrivateVars(), value))
        continue;
      if (auto attribute = dataAttribute(variable); attribute && *attribute != cuf::DataAttribute::Pinned)
        return construct.emitError() << "device data ('" << variableName(variable)
                                     << "') cannot have a copy for each thread of the host; declare it in a procedure "
                                        "that the threads call";
    }
  return success();
}

/// ATOMIC of OpenMP: its operands are where the processor changes them.
LogicalResult checkAtomic(Operation *atomic) {
  for (Value operand : atomic->getOperands())
    if (isPointerLike(operand.getType()) && isHiddenFromHost(operand))
      return atomic->emitError() << "device data ('" << dataName(operand)
                                 << "') cannot be in an ATOMIC directive of the host; use a kernel, or a host copy";
  return success();
}

struct CheckHostCodePass : cufort::cufx::impl::CheckHostCodeBase<CheckHostCodePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::StringSet<> reported;
    getOperation().walk([&](Operation *op) {
      if (isInDeviceCode(op))
        return;
      LogicalResult result = success();
      if (auto call = dyn_cast<fir::CallOp>(op))
        result = checkCall(call, symbols);
      else if (auto launch = dyn_cast<cuf::KernelLaunchOp>(op))
        result = checkLaunch(launch);
      else if (auto load = dyn_cast<fir::LoadOp>(op))
        result = checkLoad(load, symbols);
      else if (auto yield = dyn_cast<hlfir::YieldOp>(op))
        result = checkMaskedAssignment(yield);
      else if (auto store = dyn_cast<fir::StoreOp>(op))
        result = checkStore(store, reported);
      else if (auto construct = dyn_cast<omp::BlockArgOpenMPOpInterface>(op))
        result = checkCopies(construct);
      else if (isa<omp::AtomicReadOp, omp::AtomicWriteOp, omp::AtomicUpdateOp>(op))
        result = checkAtomic(op);
      if (failed(result))
        signalPassFailure();
    });
  }
};

} // namespace
