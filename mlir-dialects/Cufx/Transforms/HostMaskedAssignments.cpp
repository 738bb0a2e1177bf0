// In: hlfir.where, hlfir.forall and, for vector subscripts on the left side, hlfir.region_assign of host code that name
// device data.
//
//   hlfir.forall ... { hlfir.region_assign { ... hlfir.yield %value } to { ... hlfir.yield %element_of_device_array } }
//
// Out: the same on host copies. What they assign to is transferred back behind the statement.
//
//   cuf.data_transfer %array to %copy {device_host}
//   hlfir.forall ... { hlfir.region_assign { ... hlfir.yield %value } to { ... hlfir.yield %element_of_copy } }
//   cuf.data_transfer %copy to %array {host_device}
//
// A construct with several assignments may read in one what another has written: if it could name the memory in two
// ways, through a pointer and its target, it is left alone.

#include "mlir-dialects/Cufx/Transforms/HostMaskedAssignments.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "flang/Optimizer/HLFIR/HLFIROps.h"
#include "mlir-dialects/Cufx/Transforms/DeviceContext.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/HostCopies.h"
#include "mlir-dialects/Cufx/Transforms/SameInStatement.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// Device data that a statement names: a variable, or what the descriptor of one describes.
struct NamedData {
  SmallVector<OpOperand *> uses;
  Value value;      ///< as it can be named before the statement; null until then
  Value copy;       ///< on the host
  Value heapMemory; ///< of the copy; null if it is on the stack
  bool isWritten = false;
};

/// An assignment by itself is one of these if its left side has a vector subscript, or if a procedure does it, which
/// gets its arguments as they are.
bool isOrdered(Operation *op) {
  auto assign = dyn_cast<hlfir::RegionAssignOp>(op);
  return isa<hlfir::WhereOp, hlfir::ForallOp>(op) || (assign && assign.getUserDefinedAssignment().empty());
}

/// What can be copied to the host and back as bytes.
bool isCopyable(Type type) {
  Type element = hlfir::getFortranElementType(type);
  auto record = dyn_cast<fir::RecordType>(element);
  return fir::isa_trivial(element) || isa<fir::CharacterType>(element) || (record && !holdsDescriptors(record));
}

bool isOfAssumedSize(Value array) {
  auto declare = variableOf(array).getDefiningOp<hlfir::DeclareOp>();
  auto shape = declare && declare.getShape() ? declare.getShape().getDefiningOp() : nullptr;
  return shape && llvm::any_of(shape->getOperands(), [](Value extent) {
           return isa_and_present<fir::AssumedSizeExtentOp>(extent.getDefiningOp());
         });
}

class MaskedAssignment {
public:
  explicit MaskedAssignment(Operation *statement)
      : builder(statement, fir::getKindMapping(statement->getParentOfType<ModuleOp>())), statement(statement),
        loc(statement->getLoc()) {}

  /// Finds the device data that the statement names; false if it cannot be copied.
  bool collect() {
    WalkResult result = statement->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (!note(operand))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return !result.wasInterrupted() && !isAmbiguous();
  }

  void copy() {
    for (NamedData &data : named)
      copyBefore(data);
    for (NamedData &data : named)
      transferBack(data);
  }

private:
  bool isInside(Value value) { return statement->isAncestor(value.getParentRegion()->getParentOp()); }

  static bool isData(Value value) {
    Type type = value.getType();
    return (fir::isa_ref_type(type) || isa<fir::BaseBoxType, fir::BoxCharType>(type)) && !fir::isBoxAddress(type);
  }

  /// The data that `value` is a part of, named as far outside of the statement as possible.
  Value wholeOf(Value value) {
    while (isInside(value)) {
      Operation *op = value.getDefiningOp();
      if (!op || isa<fir::LoadOp>(op))
        return value;
      if (!isa<hlfir::DesignateOp, fir::ConvertOp, fir::ReboxOp, fir::EmboxOp, fir::BoxAddrOp, fir::EmboxCharOp,
               fir::UnboxCharOp>(op))
        return {};
      value = op->getOperand(0);
    }
    return value;
  }

  /// True if the descriptor `box` is loaded from can be named before the statement, too.
  bool isMovable(Value box) {
    Operation *op = box.getDefiningOp();
    if (!isInside(box))
      return true;
    return isa_and_present<fir::LoadOp, hlfir::DesignateOp, arith::ConstantOp>(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isMovable(operand); });
  }

  /// Notes the use `operand` if it is one of device data; false if the data cannot be copied.
  bool note(OpOperand &operand) {
    Value value = operand.get();
    if (!isData(value) || !isHiddenFromHost(value))
      return true;
    Value whole = wholeOf(value);
    if (!whole || isa<fir::CallOp>(operand.getOwner()) || !isCopyable(whole.getType()) || !isMovable(whole) ||
        isOfAssumedSize(whole))
      return false;
    auto known =
        llvm::find_if(named, [&](const NamedData &data) { return isSameInStatement(data.uses.front()->get(), whole); });
    // Of what is in the statement, only the whole is replaced.
    bool isWhole = value == whole;
    if (known == named.end()) {
      if (!isWhole)
        return false;
      named.emplace_back();
      known = std::prev(named.end());
    }
    if (isWhole)
      known->uses.push_back(&operand);
    auto yield = dyn_cast<hlfir::YieldOp>(operand.getOwner());
    auto assign = yield ? yield->getParentOfType<hlfir::RegionAssignOp>() : hlfir::RegionAssignOp();
    known->isWritten |= assign && assign.getLhsRegion().isAncestor(yield->getParentRegion());
    return true;
  }

  bool isAmbiguous() {
    unsigned assignments = 0;
    statement->walk([&](hlfir::RegionAssignOp) { ++assignments; });
    auto others = [](const NamedData &data) { return mayHaveOtherNames(data.uses.front()->get()); };
    return assignments > 1 && llvm::count_if(named, others) > 1 &&
           llvm::any_of(named, [&](const NamedData &data) { return data.isWritten && others(data); });
  }

  /// Names `value` before the statement.
  Value nameBefore(Value value) {
    if (!isInside(value))
      return value;
    IRMapping outside;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      outside.map(operand, nameBefore(operand));
    return builder.clone(*op, outside)->getResult(cast<OpResult>(value).getResultNumber());
  }

  void copyBefore(NamedData &data) {
    builder.setInsertionPoint(statement);
    data.value = nameBefore(data.uses.front()->get());
    if (hlfir::Entity{data.value}.isArray())
      std::tie(data.copy, data.heapMemory) = copyToHost(builder, loc, data.value);
    else
      data.copy = copyScalarToHost(builder, loc, data.value);
    for (OpOperand *use : data.uses)
      use->set(asType(data.copy, use->get().getType()));
  }

  /// The copy under a type of the data that it stands for.
  Value asType(Value copy, Type type) {
    if (isa<fir::BaseBoxType>(type)) {
      Value box = hlfir::genVariableBox(loc, builder, hlfir::Entity{copy});
      return builder.createConvert(loc, type, box);
    }
    if (isa<fir::BoxCharType>(type))
      return hlfir::genVariableBoxChar(loc, builder, hlfir::Entity{copy});
    Value address = hlfir::genVariableRawAddress(loc, builder, hlfir::Entity{copy});
    return builder.createConvert(loc, type, address);
  }

  void transfer(Value from, Value to, cuf::DataTransferKind kind) {
    cuf::DataTransferOp::create(builder, loc, from, to, Value(),
                                cuf::DataTransferKindAttr::get(builder.getContext(), kind));
  }

  void transferBack(NamedData &data) {
    builder.setInsertionPointAfter(statement);
    if (data.isWritten)
      transfer(data.copy, data.value, cuf::DataTransferKind::HostDevice);
    if (data.heapMemory)
      fir::FreeMemOp::create(builder, loc, data.heapMemory);
  }

  fir::FirOpBuilder builder;
  Operation *statement;
  Location loc;
  SmallVector<NamedData> named;
};

} // namespace

void cufort::cufx::copyDataOfMaskedAssignments(ModuleOp module) {
  SmallVector<Operation *> statements;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isOrdered(op))
      return WalkResult::advance();
    if (!isInDeviceCode(op))
      statements.push_back(op);
    return WalkResult::skip();
  });
  for (Operation *statement : statements) {
    MaskedAssignment assignment(statement);
    if (assignment.collect())
      assignment.copy();
  }
}
