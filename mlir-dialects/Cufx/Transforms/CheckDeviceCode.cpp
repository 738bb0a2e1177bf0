// Statements, intrinsics and arithmetic that devices do not have.
//
// Flang lowers statements and intrinsics to calls of its run-time library, of which device code has a small part. Calls
// that are left when output has been raised are reported here, at the statement; the device link knows no places.

#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Support/InternalNames.h"
#include "mlir-dialects/Cufx/IR/ComputeCapabilities.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/IR/RuntimeRoutines.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostAllocatables.h"
#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir-dialects/Cufx/Transforms/TypeBoundCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_CHECKDEVICECODE
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;
using namespace cufort::cufx;

namespace {

struct HostRoutine {
  StringRef prefix;  ///< of the name behind _FortranA
  StringRef fortran; ///< what the user has written
  bool isIntrinsic;
};

/// The first entry that fits counts.
constexpr HostRoutine hostRoutines[] = {
    {"ioBeginOpen", "OPEN", false},
    {"ioBeginClose", "CLOSE", false},
    {"ioBeginInquire", "INQUIRE", false},
    {"ioBeginFlush", "FLUSH", false},
    {"ioBeginEndfile", "ENDFILE", false},
    {"ioBeginRewind", "REWIND", false},
    {"ioBeginBackspace", "BACKSPACE", false},
    {"ioBeginWait", "WAIT", false},
    {"ioBeginExternalListInput", "READ", false},
    {"ioBeginExternalFormattedInput", "READ", false},
    {"ioBeginUnformattedInput", "READ", false},
    {"ioBeginInternalListInput", "READ", false},
    {"ioBeginInternalFormattedInput", "READ", false},
    {"ioBeginInternalArray", "READ and WRITE of strings", false},
    {"ioBeginInternal", "WRITE to a string", false},
    {"ioBeginExternalFormattedOutput", "output with a format", false},
    {"ioBeginUnformattedOutput", "unformatted output", false},
    {"PauseStatement", "PAUSE", false},
    {"AllocatableInitDerived", "ALLOCATE of an object with CLASS", false},
    {"PointerNullifyDerived", "ALLOCATE of an object with CLASS", false},
    {"RandomNumber", "random_number", true},
    {"Reduce", "reduce", true},
    {"RandomSeed", "random_seed", true},
    {"RandomInit", "random_init", true},
    {"SystemClock", "system_clock", true},
    {"CpuTime", "cpu_time", true},
    {"DateAndTime", "date_and_time", true},
    {"GetCommandArgument", "get_command_argument", true},
    {"GetCommand", "get_command", true},
    {"ArgumentCount", "command_argument_count", true},
    {"GetEnvVariable", "get_environment_variable", true},
    {"ExecuteCommandLine", "execute_command_line", true},
    {"Exit", "exit", true},
    {"Abort", "abort", true},
    {"GetCwd", "getcwd", true},
    {"GetPID", "getpid", true},
    {"Sleep", "sleep", true},
    {"FDate", "fdate", true},
    {"GetLog", "getlog", true},
};

/// What the device library has, without _FortranA.
constexpr StringRef deviceRoutines[] = {
    "Adjustl",
    "Adjustr",
    "AllDim",
    "AllocatableApplyMold",
    "AllocatableInitCharacterForAllocate",
    "AllocatableSetBounds",
    "AnyDim",
    "Assign",
    "AssignExplicitLengthCharacter",
    "AssignTemporary",
    "BesselJnX0_4",
    "BesselJnX0_8",
    "BesselJn_4",
    "BesselJn_8",
    "BesselYnX0_4",
    "BesselYnX0_8",
    "BesselYn_4",
    "BesselYn_8",
    "CharacterCompareScalar1",
    "ClassIs",
    "CopyInAssign",
    "CopyOutAssign",
    "CountDim",
    "CreateDescriptorStack",
    "CreateValueStack",
    "Cshift",
    "DescriptorAt",
    "DestroyDescriptorStack",
    "DestroyValueStack",
    "Eoshift",
    "EoshiftVector",
    "ErfcScaled4",
    "ErfcScaled8",
    "Exponent4_4",
    "Exponent4_8",
    "Exponent8_4",
    "Exponent8_8",
    "ExtendsTypeOf",
    "Findloc",
    "FindlocDim",
    "Fraction4",
    "Fraction8",
    "IAll1",
    "IAll2",
    "IAll4",
    "IAll8",
    "IAllDim",
    "IAny1",
    "IAny2",
    "IAny4",
    "IAny8",
    "IAnyDim",
    "IParity1",
    "IParity2",
    "IParity4",
    "IParity8",
    "IParityDim",
    "Index",
    "Index1",
    "InitArrayConstructorVector",
    "IsContiguous",
    "LboundDim",
    "LenTrim1",
    "MaxlocCharacter",
    "MaxlocDim",
    "MaxlocInteger1",
    "MaxlocInteger2",
    "MaxlocInteger4",
    "MaxlocInteger8",
    "MaxlocReal4",
    "MaxlocReal8",
    "MaxvalCharacter",
    "MaxvalDim",
    "MinlocCharacter",
    "MinlocDim",
    "MinlocInteger1",
    "MinlocInteger2",
    "MinlocInteger4",
    "MinlocInteger8",
    "MinlocReal4",
    "MinlocReal8",
    "MinvalCharacter",
    "MinvalDim",
    "ModReal4",
    "ModReal8",
    "ModuloReal4",
    "ModuloReal8",
    "MoveAlloc",
    "Norm2Dim",
    "Norm2_4",
    "Norm2_8",
    "Pack",
    "Parity",
    "ParityDim",
    "PointerApplyMold",
    "PointerIsAssociated",
    "PointerIsAssociatedWith",
    "PointerNullifyCharacter",
    "PointerSetBounds",
    "ProductDim",
    "PushArrayConstructorSimpleScalar",
    "PushArrayConstructorValue",
    "PushDescriptor",
    "PushValue",
    "RRSpacing4",
    "RRSpacing8",
    "Repeat",
    "Reshape",
    "SameTypeAs",
    "Scale4",
    "Scale8",
    "Scan",
    "Scan1",
    "SelectedIntKind",
    "SelectedRealKind",
    "SetExponent4",
    "SetExponent8",
    "Size",
    "SizeDim",
    "Spacing2By4",
    "Spacing4",
    "Spacing8",
    "Spread",
    "SumDim",
    "Transfer",
    "TransferSize",
    "Trim",
    "Ubound",
    "Unpack",
    "ValueAt",
    "Verify",
    "Verify1",
};

const HostRoutine *findHostRoutine(StringRef callee) {
  if (!callee.consume_front("_FortranA"))
    return nullptr;
  const auto *routine = llvm::find_if(hostRoutines, [&](const HostRoutine &r) { return callee.starts_with(r.prefix); });
  return routine == std::end(hostRoutines) ? nullptr : routine;
}

/// True if there is a procedure `name` for the device; of procedures for both sides it has a copy by now.
bool isOnDevice(ModuleOp module, StringRef name) {
  auto procedure = module.lookupSymbol<func::FuncOp>(name);
  return (procedure && isDeviceProcedure(procedure)) || module.lookupSymbol((name + deviceCopySuffix).str());
}

/// The name of the procedure of a module or of this source that `call` calls, if it belongs to the host alone; else it
/// is empty. In output lists and selectors Flang accepts such calls.
std::string hostProcedure(fir::CallOp call) {
  auto module = call->getParentOfType<ModuleOp>();
  StringRef callee = calleeName(call);
  auto [kind, parts] = fir::NameUniquer::deconstruct(callee);
  bool isKnown = !parts.modules.empty() || definedCallee(call);
  return kind == fir::NameUniquer::NameKind::PROCEDURE && isKnown && !isOnDevice(module, callee) ? parts.name : "";
}

/// cudaMalloc and cudaFree have memory of the device's heap, which the host does not know.
LogicalResult checkHeapRoutine(fir::CallOp call) {
  StringRef callee = calleeName(call);
  StringRef routine = callee == "cufort_cudaMallocArray" ? "cudaMalloc"
                      : callee == "cufort_cudaFreeArray" ? "cudaFree"
                                                         : "";
  if (routine.empty() || !isAllocatedByHost(call, call.getArgs()[0]))
    return success();
  return call.emitError() << "'" << routine << "' in device code is for arrays of a thread, and the host allocates '"
                          << variableName(call.getArgs()[0]) << "': use a local array or type(c_devptr), or call '"
                          << routine << "' in host code";
}

/// Of several calls in one expression Flang looks at the first that it finds wrong, which may be one that is not.
LogicalResult checkRuntimeRoutine(fir::CallOp call) {
  StringRef callee = calleeName(call), routine = callee;
  bool isOfRuntime = routine.consume_front("cufort_") && routine.starts_with("cuda");
  if (!isOfRuntime || isRuntimeRoutineOfDevice(callee))
    return checkHeapRoutine(call);
  (void)(routine.consume_back("Array") || routine.consume_back("Address"));
  return call.emitError() << "'" << routine.lower()
                          << "' may not be called in device code; the CUDA runtime belongs to host code: call it "
                             "there, before or after the kernel";
}

LogicalResult checkCall(fir::CallOp call) {
  if (failed(checkRuntimeRoutine(call)))
    return failure();
  StringRef callee = calleeName(call);
  if (std::string name = hostProcedure(call); !name.empty())
    return call.emitError() << "'" << name
                            << "' may not be called in device code: it is a procedure of the host; give it "
                            << "the device attribute";
  const HostRoutine *routine = findHostRoutine(callee);
  if (!routine && callee.consume_front("_FortranA") && !callee.starts_with("io") && !definedCallee(call) &&
      !llvm::is_contained(deviceRoutines, callee))
    return call.emitError() << "this needs the routine '" << callee
                            << "' of Fortran's runtime library, which device code does not have";
  if (!routine)
    return success();
  if (routine->isIntrinsic)
    return call.emitError() << "the intrinsic '" << routine->fortran << "' is not available in device code";
  return call.emitError() << routine->fortran << " is not possible in device code";
}

/// True if the host has filled the descriptor `object` and has put the address of its own table for the type into it.
bool hasTypeOfHost(Value object) {
  if (!isa<fir::ClassType>(object.getType()))
    return false;
  Value memory = memoryOf(object);
  auto argument = dyn_cast<BlockArgument>(memory);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  bool isFromHost = argument ? func && isKernel(func) : isa_and_nonnull<fir::AddrOfOp>(memory.getDefiningOp());
  return isFromHost && isa<fir::ClassType>(fir::unwrapRefType(memory.getType()));
}

/// Descriptors say in numbers which intrinsic type an object of CLASS(*) has: these are the same on both sides.
bool asksForRecords(fir::SelectTypeOp select) {
  return llvm::any_of(select.getCases(), [](Attribute guard) {
    auto exact = dyn_cast<fir::ExactTypeAttr>(guard);
    return isa<fir::SubclassAttr>(guard) || (exact && isa<fir::RecordType>(exact.getType()));
  });
}

LogicalResult reportTypeOfHost(Operation *op, Value object) {
  bool isOfAnyType = fir::isUnlimitedPolymorphicType(object.getType());
  return op->emitError() << "the type that '" << variableName(object)
                         << "' has when the program runs is not known on the device, since the object comes from the "
                            "host: "
                         << (isOfAnyType ? "with CLASS(*), it can only be asked for intrinsic types, by SELECT TYPE in "
                                           "this source"
                                         : "declare it with TYPE instead of CLASS");
}

/// `objects` are what SELECT TYPE or a procedure may ask for its type.
LogicalResult checkTypesKnown(Operation *op, ValueRange objects) {
  for (Value object : objects)
    if (hasTypeOfHost(object))
      return reportTypeOfHost(op, object);
  return success();
}

/// What calls and SELECT TYPE ask of the type of a dummy argument with CLASS(*), here and in what gets it from here.
class TypeQuestions {
public:
  /// True unless it is known that `call` asks no more of its argument `number` than which intrinsic type it has.
  bool mayAskForRecord(fir::CallOp call, unsigned number) {
    func::FuncOp callee = definedCallee(call);
    if (!callee || callee.isDeclaration() || number >= callee.getNumArguments())
      return true;
    Value dummy = callee.getArgument(number);
    if (!fir::isUnlimitedPolymorphicType(dummy.getType()))
      return true;
    return visited.insert(dummy).second && mayAskForRecord(callee, dummy);
  }

private:
  bool mayAskForRecord(func::FuncOp func, Value dummy) {
    WalkResult result = func.walk([&](Operation *op) {
      auto select = dyn_cast<fir::SelectTypeOp>(op);
      if (select && memoryOf(select.getSelector()) == dummy && asksForRecords(select))
        return WalkResult::interrupt();
      auto call = dyn_cast<fir::CallOp>(op);
      if (!call)
        return WalkResult::advance();
      if (calleeName(call) == "cufortResetObject" && memoryOf(beforeConversion(call.getArgs()[0])) == dummy)
        return WalkResult::interrupt();
      for (auto [number, argument] : llvm::enumerate(call.getArgs()))
        if (isa<fir::ClassType>(argument.getType()) && memoryOf(argument) == dummy && mayAskForRecord(call, number))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  llvm::DenseSet<Value> visited;
};

LogicalResult checkTypesOfArguments(fir::CallOp call) {
  for (auto [number, object] : llvm::enumerate(call.getArgs())) {
    if (!hasTypeOfHost(object))
      continue;
    bool isOfAnyType = fir::isUnlimitedPolymorphicType(object.getType());
    if (!isOfAnyType || TypeQuestions().mayAskForRecord(call, number))
      return reportTypeOfHost(call, object);
  }
  return success();
}

/// Types that extend this one have procedures on the same side, or the program is wrong.
LogicalResult checkDispatch(fir::DispatchOp dispatch) {
  auto module = dispatch->getParentOfType<ModuleOp>();
  fir::RecordType type = declaredType(dispatch);
  fir::DTEntryOp binding = type ? findBinding(module, type, dispatch.getMethod()) : fir::DTEntryOp();
  if (binding && (binding.getDeferred() || isOnDevice(module, binding.getProc().getRootReference().getValue())))
    return checkTypesKnown(dispatch, dispatch.getObject());
  return dispatch.emitError() << "the type-bound procedure '" << dispatch.getMethod()
                              << "' is a procedure of the host; give it the device attribute";
}

/// True if a descriptor leads to `memory`: nothing is known of where that is.
bool isBehindDescriptor(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<fir::LoadOp>(op))
      return true;
    if (!isa<fir::DeclareOp, fir::ArrayCoorOp, fir::CoordinateOp, fir::ConvertOp, fir::BoxAddrOp, fir::EmboxOp,
             fir::ReboxOp>(op))
      return false;
    memory = op->getOperand(0);
  }
  return isa<fir::BaseBoxType>(memory.getType());
}

/// Threads of a CUF kernel have copies of host variables.
LogicalResult checkAtomicInLoops(Operation *op, Value memory) {
  StringRef variable = variableName(memory);
  bool mayBeOnDevice = dataAttribute(memory) || isBehindDescriptor(memory) ||
                       op->getParentOfType<ModuleOp>()->hasAttr(hostDataAttribute);
  if (mayBeOnDevice || variable.empty())
    return success();
  return op->emitError() << "atomic operations need a variable in device or managed memory, and '" << variable
                         << "' is a host variable, of which each thread has a copy";
}

/// A GPU cannot update local memory atomically, and there is nobody else who would see it.
LogicalResult checkAtomic(Operation *op, Value memory) {
  if (op->getParentOfType<cuf::KernelOp>())
    return checkAtomicInLoops(op, memory);
  if (!isLocal(memory))
    return success();
  if (variableName(memory).empty())
    return op->emitError("atomic operations need a variable in device or shared memory, not an expression");
  return op->emitError() << "atomic operations need a variable in device or shared memory, and '"
                         << variableName(memory) << "' belongs to one thread";
}

bool isHalfArithmetic(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op) &&
         llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isF16(); });
}

/// What not all GPUs have.
struct Requirement {
  StringRef what;        ///< the beginning of a message
  unsigned architecture; ///< the first that has it: compute capability times ten
  /// Whether all GPUs that code is made for must have it. Otherwise one is enough: the others end the kernel there.
  bool everywhere = false;
};

Requirement matrixRequirement(MatrixShape shape) {
  if (shape == MatrixShape::M8N8K4)
    return {"submatrices of real(8) need", firstWithDoubleMatrices, true};
  return {"submatrices of real(2) need", firstWithHalfMatrices, true};
}

std::optional<Requirement> requirementOf(Operation *op) {
  if (auto load = dyn_cast<MatrixLoadOp>(op))
    return matrixRequirement(load.getShape());
  if (auto product = dyn_cast<MatrixMultiplyOp>(op))
    return matrixRequirement(product.getShape());
  if (isHalfArithmetic(op))
    return Requirement{"arithmetic of real(2) needs", firstWithHalf, true};
  if (auto func = dyn_cast<func::FuncOp>(op); func && func->hasAttr("cuf.cluster_dims"))
    return Requirement{"thread block clusters need", firstWithClusters};
  if (auto func = dyn_cast<func::FuncOp>(op); func && procAttribute(func) == cuf::ProcAttribute::GridGlobal)
    return Requirement{"kernels with the attribute grid_global need", firstWithGrids};
  if (auto match = dyn_cast<MatchOp>(op))
    return Requirement{match.getKind() == MatchKind::All ? "match_all_sync needs" : "match_any_sync needs",
                       firstWithMatches, true};
  if (isa<NanosleepOp>(op))
    return Requirement{"__nanosleep needs", firstWithNanosleep, true};
  if (isa<ClusterBarrierOp>(op))
    return Requirement{"the barrier of a cluster needs", firstWithClusters};
  if (isa<MapSharedOp>(op))
    return Requirement{"shared memory of other blocks needs", firstWithClusters};
  auto call = dyn_cast<fir::CallOp>(op);
  StringRef routine = call ? calleeName(call) : "";
  if (routine.starts_with("cufortBulk") || routine == "cufortAsyncBarrierArriveExpect")
    return Requirement{"bulk copies need", firstWithBulkCopies};
  if (routine.starts_with("cufortAsyncBarrier"))
    return Requirement{"asynchronous barriers need", firstWithAsyncBarriers};
  return std::nullopt;
}

/// Reports what the GPUs lack that code is made for; `lowest` and `highest` are 0 if there are none. The same option
/// mends all places that need the same, so only the first is reported: `said` has what was.
LogicalResult checkRequirement(Operation *op, unsigned lowest, unsigned highest, llvm::StringSet<> &said) {
  std::optional<Requirement> requirement = requirementOf(op);
  if (!requirement)
    return success();
  unsigned needed = requirement->architecture;
  unsigned present = requirement->everywhere ? lowest : highest;
  if (!present || present >= needed)
    return success();
  if (!said.insert(requirement->what).second)
    return failure();
  return op->emitError() << requirement->what << " compute capability " << needed / 10 << "." << needed % 10
                         << ", and the GPU with the " << (requirement->everywhere ? "lowest" : "highest") << " has "
                         << present / 10 << "." << present % 10 << ": compile with -gpu=cc" << needed;
}

struct CheckDeviceCodePass : cufort::cufx::impl::CheckDeviceCodeBase<CheckDeviceCodePass> {
  using CheckDeviceCodeBase::CheckDeviceCodeBase;

  void runOnOperation() override {
    llvm::StringSet<> said;
    // What a kernel needs as a whole makes its statements nothing new.
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(checkRequirement(func, minArchitecture, maxArchitecture, said)))
        return signalPassFailure();
    // Several operations of one statement have its location, and one error is enough.
    std::optional<Location> reported;
    getOperation().walk([&](Operation *op) {
      if (!isInDeviceCode(op) || op->getLoc() == reported)
        return;
      LogicalResult result = success();
      if (auto call = dyn_cast<fir::CallOp>(op))
        result = failed(checkCall(call)) ? failure() : checkTypesOfArguments(call);
      else if (auto select = dyn_cast<fir::SelectTypeOp>(op))
        result = asksForRecords(select) ? checkTypesKnown(select, select.getSelector()) : success();
      else if (auto dispatch = dyn_cast<fir::DispatchOp>(op))
        result = checkDispatch(dispatch);
      else if (auto atomic = dyn_cast<AtomicRMWOp>(op))
        result = checkAtomic(op, atomic.getMemory());
      else if (auto atomic = dyn_cast<AtomicCASOp>(op))
        result = checkAtomic(op, atomic.getMemory());
      if (succeeded(result))
        result = checkRequirement(op, minArchitecture, maxArchitecture, said);
      if (succeeded(result))
        return;
      reported = op->getLoc();
      signalPassFailure();
    });
  }
};

} // namespace
