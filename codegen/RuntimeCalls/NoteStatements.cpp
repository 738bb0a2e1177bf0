#include "codegen/RuntimeCalls/NoteStatements.h"
#include "codegen/RuntimeCalls/RuntimeCall.h"
#include "flang/Optimizer/Builder/BoxValue.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "mlir-dialects/Cufx/Transforms/Calls.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/DeviceTemporaries.h"
#include "runtime/ABI/RuntimeABI.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cufort;

namespace {

/// The variables that an operation writes and reads; null values if it has none.
struct Variables {
  Value target, source;
};

/// True for calls that go to module cudafor or what is behind it.
bool isCudaForCall(fir::CallOp call) {
  StringRef name = cufx::calleeName(call);
  return name.starts_with("cufort_cuda") || name.starts_with("_QMcufort_cudafor");
}

/// What the routines of module cudafor that work on memory have as their first arguments: what is written, and what is
/// read by those that copy.
Variables variablesOfCall(fir::CallOp call) {
  auto arguments = call.getArgs();
  auto argument = [&](unsigned index) {
    bool isMemory = arguments.size() > index && isa<fir::BaseBoxType>(arguments[index].getType());
    return isMemory ? cufx::beforeConversion(arguments[index]) : Value();
  };
  bool copies = cufx::calleeName(call).contains_insensitive("cudamemcpy");
  return {argument(0), copies ? argument(1) : Value()};
}

std::optional<Variables> variablesOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Variables>>(op)
      .Case([](cuf::DataTransferOp transfer) {
        return Variables{transfer.getDst(), transfer.getSrc()};
      })
      .Case([](cuf::AllocateOp allocate) {
        return Variables{allocate.getBox(), allocate.getSource()};
      })
      .Case([](cuf::DeallocateOp deallocate) {
        return Variables{deallocate.getBox(), {}};
      })
      .Case([](fir::CallOp call) { return isCudaForCall(call) ? std::optional(variablesOfCall(call)) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

/// True if `transfer` reads the value of an expression, in host memory, or what is taken as one. What Flang makes for
/// one has no name, or one that has a period in it.
bool readsTemporary(cuf::DataTransferOp transfer) {
  StringRef name = cufx::variableName(transfer.getSrc());
  return transfer.getTransferKind() == cuf::DataTransferKind::HostDevice &&
         (name.empty() || name.contains('.') || transfer->hasAttr(cufx::asValueAttribute));
}

struct NoteStatements : PassWrapper<NoteStatements, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NoteStatements)
  StringRef getArgument() const override { return "cufx-note-statements"; }

  void runOnOperation() override {
    for (auto procedure : getOperation().getOps<func::FuncOp>()) {
      // Procedures of our own modules stand for their callers.
      if (procedure.getSymName().starts_with("_QMcufort_"))
        continue;
      procedure.walk([&](Operation *op) {
        if (std::optional<Variables> variables = variablesOf(op))
          noteBefore(op, *variables);
      });
    }
  }

private:
  void noteBefore(Operation *op, Variables variables) {
    fir::FirOpBuilder builder(op, fir::getKindMapping(getOperation()));
    Location loc = op->getLoc();
    func::FuncOp function = fir::runtime::getRuntimeFunc<FirmkKey(cufortNoteStatement)>(loc, builder);
    codegen::callRuntime(builder, loc, function,
                         {name(builder, loc, variables.target), name(builder, loc, variables.source)});
    auto transfer = dyn_cast<cuf::DataTransferOp>(op);
    if (transfer && readsTemporary(transfer))
      codegen::callRuntime(builder, loc, fir::runtime::getRuntimeFunc<FirmkKey(cufortNoteTemporary)>(loc, builder), {});
  }

  /// The address of the name of the variable behind `memory`, or null.
  Value name(fir::FirOpBuilder &builder, Location loc, Value memory) {
    StringRef text = memory ? cufx::variableName(memory) : StringRef();
    auto pointer = fir::LLVMPointerType::get(builder.getI8Type());
    if (text.empty())
      return fir::ZeroOp::create(builder, loc, pointer);
    return builder.createConvert(
        loc, pointer, fir::getBase(fir::factory::createStringLiteral(builder, loc, (text + StringRef("\0", 1)).str())));
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createNoteStatements() { return std::make_unique<NoteStatements>(); }
