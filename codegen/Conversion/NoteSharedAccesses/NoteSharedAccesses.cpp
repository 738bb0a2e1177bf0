// Every access to memory that is not the thread's own is noted: whether it is to shared memory shows at run time, since
// a dummy argument may be either. Reads are noted before they happen. Writes are noted afterwards, when what has been
// written can be compared with what was written before.

#include "codegen/Conversion/NoteSharedAccesses/NoteSharedAccesses.h"
#include "codegen/Conversion/CufxToLLVM/Helpers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "runtime/ABI/EmulatedABI.h"

using namespace mlir;
using namespace cufort::codegen;

namespace {

/// True if `address` is certainly in the stack of the thread.
bool isLocal(Value address) {
  while (Operation *definition = address.getDefiningOp()) {
    if (isa<LLVM::AllocaOp>(definition))
      return true;
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(definition))
      return false;
    address = definition->getOperand(0);
  }
  return false;
}

/// Routines of the device library that get arrays by descriptors, without _FortranA, and the argument that they read.
struct ArrayRoutine {
  StringRef prefix;
  unsigned read;
};
constexpr ArrayRoutine arrayRoutines[] = {{"AllDim", 1},
                                          {"AnyDim", 1},
                                          {"Assign", 1},
                                          {"CopyInAssign", 1},
                                          {"CountDim", 1},
                                          {"Findloc", 1},
                                          {"IAllDim", 1},
                                          {"IAll", 0},
                                          {"IAnyDim", 1},
                                          {"IAny", 0},
                                          {"IParityDim", 1},
                                          {"IParity", 0},
                                          {"Maxloc", 1},
                                          {"MaxvalDim", 1},
                                          {"Minloc", 1},
                                          {"MinvalDim", 1},
                                          {"Norm2Dim", 1},
                                          {"Norm2", 0},
                                          {"Pack", 1},
                                          {"ParityDim", 1},
                                          {"Parity", 0},
                                          {"ProductDim", 1},
                                          {"PushArrayConstructorValue", 1},
                                          {"Reshape", 1},
                                          {"Spread", 1},
                                          {"SumDim", 1},
                                          {"Transfer", 1},
                                          {"Unpack", 1}};

class AccessNotes {
public:
  explicit AccessNotes(ModuleOp module) : builder(module.getContext()), layout(module) {}

  void note(Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      note(op, load.getAddr(), sizeOf(load.getType()), CufortEmuRead);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      note(op, store.getAddr(), sizeOf(store.getValue().getType()), CufortEmuWrite);
    else if (auto update = dyn_cast<LLVM::AtomicRMWOp>(op))
      note(op, update.getPtr(), sizeOf(update.getVal().getType()), CufortEmuAtomic);
    else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
      note(op, exchange.getPtr(), sizeOf(exchange.getVal().getType()), CufortEmuAtomic);
    else if (auto copy = dyn_cast<LLVM::MemcpyOp>(op))
      noteCopy(op, copy.getSrc(), copy.getDst(), copy.getLen());
    else if (auto move = dyn_cast<LLVM::MemmoveOp>(op))
      noteCopy(op, move.getSrc(), move.getDst(), move.getLen());
    else if (auto call = dyn_cast<LLVM::CallOp>(op))
      noteCall(call);
  }

private:
  int64_t sizeOf(Type type) { return int64_t(layout.getTypeSize(type).getFixedValue()); }

  void note(Operation *op, Value address, int64_t bytes, CufortEmuAccess access) {
    if (isLocal(address))
      return;
    place(op, access);
    note(op, address, LLVM::ConstantOp::create(builder, op->getLoc(), builder.getI64IntegerAttr(bytes)), access);
  }

  void noteCopy(Operation *op, Value from, Value to, Value bytes) {
    for (auto [address, access] : {std::pair(from, CufortEmuRead), std::pair(to, CufortEmuWrite)}) {
      if (isLocal(address))
        continue;
      place(op, access);
      Value length = bytes.getType().isInteger(64)
                         ? bytes
                         : LLVM::ZExtOp::create(builder, op->getLoc(), builder.getI64Type(), bytes).getResult();
      note(op, address, length, access);
    }
  }

  /// The device library copies for wmma and for asynchronous copies. It notes itself which elements of a matrix the
  /// lanes of a warp load and store.
  void noteCall(LLVM::CallOp call) {
    StringRef callee = call.getCallee().value_or("");
    unsigned bytes = 0;
    if (callee.consume_front("_FortranA"))
      return noteArrays(call, callee);
    builder.setInsertionPoint(call);
    if (callee == "__cufx_matrix_load" || callee == "__cufx_matrix_store") {
      createExternalCall(builder, call, (callee + "_noted").str(), Type(), call.getArgOperands());
      call.erase();
    } else if (callee.consume_front("cufort_async_copy_") && !callee.getAsInteger(10, bytes)) {
      Value length = LLVM::ConstantOp::create(builder, call.getLoc(), builder.getI64IntegerAttr(bytes));
      noteCopy(call, call.getArgOperands()[1], call.getArgOperands()[0], length);
    }
  }

  void noteArrays(LLVM::CallOp call, StringRef routine) {
    const auto *found =
        llvm::find_if(arrayRoutines, [&](const ArrayRoutine &entry) { return routine.starts_with(entry.prefix); });
    if (found == std::end(arrayRoutines))
      return;
    noteArray(call, call.getArgOperands()[found->read], CufortEmuRead);
    // All others make arrays of their own.
    if (routine == "Assign")
      noteArray(call, call.getArgOperands()[0], CufortEmuWrite);
  }

  void noteArray(Operation *op, Value descriptor, CufortEmuAccess access) {
    place(op, access);
    createExternalCall(builder, op, "cufort_note_array", Type(),
                       {descriptor, createI32(builder, op->getLoc(), access), createSourcePosition(builder, op)});
  }

  void place(Operation *op, CufortEmuAccess access) {
    access == CufortEmuWrite ? builder.setInsertionPointAfter(op) : builder.setInsertionPoint(op);
  }

  void note(Operation *op, Value address, Value bytes, CufortEmuAccess access) {
    auto generic = LLVM::LLVMPointerType::get(builder.getContext());
    if (address.getType() != generic)
      address = LLVM::AddrSpaceCastOp::create(builder, op->getLoc(), generic, address);
    Value kind = createI32(builder, op->getLoc(), access);
    createExternalCall(builder, op, "cufortEmuSharedAccess", Type(),
                       {address, bytes, kind, createSourcePosition(builder, op)});
  }

  OpBuilder builder;
  DataLayout layout;
};

struct NoteSharedAccesses : PassWrapper<NoteSharedAccesses, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NoteSharedAccesses)

  StringRef getArgument() const override { return "cufx-note-shared-accesses"; }
  StringRef getDescription() const override {
    return "tell the emulated device of accesses that may be to shared memory";
  }

  void runOnOperation() override {
    SmallVector<Operation *> operations;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      function.walk([&](Operation *op) { operations.push_back(op); });
    AccessNotes notes(getOperation());
    for (Operation *op : operations)
      notes.note(op);
  }
};

} // namespace

std::unique_ptr<Pass> cufort::codegen::createNoteSharedAccesses() { return std::make_unique<NoteSharedAccesses>(); }
