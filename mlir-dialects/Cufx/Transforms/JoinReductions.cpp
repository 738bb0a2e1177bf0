// In: reductions of device arrays to numbers, in a block of host code.
//
//   %a = hlfir.sum %expression                    total = sum(heat*volume)
//   hlfir.assign %a to %total                     hottest = maxval(temperature)
//   %b = hlfir.maxval %array
//   hlfir.assign %b to %hottest
//
// Out: one kernel, behind which the values are used.
//
//   %a, %b = one kernel if %extents_are_the_same and not %variables_have_streams, else two
//   hlfir.assign %a to %total
//   hlfir.assign %b to %hottest

#include "mlir-dialects/Cufx/Transforms/JoinReductions.h"
#include "flang/Optimizer/Builder/HLFIRTools.h"
#include "flang/Optimizer/Dialect/Support/KindMapping.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/ElementsRead.h"
#include "mlir-dialects/Cufx/Transforms/NeighbourStatements.h"
#include "mlir-dialects/Cufx/Transforms/ReductionKernels.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cufort::cufx;

namespace {

/// More make a kernel that needs many registers.
constexpr size_t mostTogether = 4;

struct Member {
  Operation *op;
  Reduction reduction;
};

/// Reductions that one kernel can do at the place of the last one.
class Group {
public:
  Group(Operation *op, const Reduction &reduction) : members{{op, reduction}} {}

  size_t size() const { return members.size(); }
  Operation *first() const { return members.front().op; }

  /// Takes `op`, which is behind the others, unless something forbids it.
  bool take(Operation *op, const Reduction &reduction);

  void build();

private:
  bool needsValue(Operation *op) const;
  bool isWrittenFor(Operation *op, const Reduction &reduction) const;

  SmallVector<Member> members;
  llvm::SetVector<Operation *> later; ///< what stands between the members and moves behind the last one
  SmallVector<Value> written;         ///< scalars that these assign to
};

int rankOf(const Reduction &reduction) { return hlfir::Entity{reduction.array}.getRank(); }

/// The scalar of the host that `op` assigns a number to; null if it does something else.
Value assignedScalar(Operation *op) {
  auto assign = dyn_cast<hlfir::AssignOp>(op);
  if (!assign || !fir::isa_trivial(assign.getRhs().getType()) ||
      !fir::isa_trivial(fir::unwrapRefType(assign.getLhs().getType())))
    return {};
  Value scalar = assign.getLhs();
  return isDeviceAddressable(scalar) || isHiddenFromHost(scalar) ? Value() : scalar;
}

} // namespace

/// True if `op` uses the value of a member, or something made of it.
bool Group::needsValue(Operation *op) const {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::any_of(used, [&](Value value) {
    Operation *definition = value.getDefiningOp();
    return definition && (later.contains(definition) ||
                          llvm::any_of(members, [&](const Member &member) { return member.op == definition; }));
  });
}

/// True if what is written may be read for `op`, which would come before that.
bool Group::isWrittenFor(Operation *op, const Reduction &reduction) const {
  return llvm::any_of(written, [&](Value scalar) {
    for (Operation *before = first(); before != op; before = before->getNextNode())
      if (auto load = dyn_cast<fir::LoadOp>(before);
          load && !later.contains(before) && mayOverlap(scalar, load.getMemref()))
        return true;
    return llvm::any_of(reduction.operands(), [&](Value operand) { return mayRead(operand, scalar); });
  });
}

bool Group::take(Operation *op, const Reduction &reduction) {
  if (size() == mostTogether || op->getBlock() != first()->getBlock() ||
      rankOf(reduction) != rankOf(members.front().reduction))
    return false;
  Group extended = *this;
  for (Operation *between = members.back().op->getNextNode(); between != op; between = between->getNextNode()) {
    bool isMade = extended.needsValue(between);
    if (isa<hlfir::DestroyOp>(between) || (isMade && between->getNumRegions() == 0 && isMemoryEffectFree(between))) {
      extended.later.insert(between);
    } else if (Value scalar = isMade ? assignedScalar(between) : Value()) {
      extended.later.insert(between);
      extended.written.push_back(scalar);
    } else if (isMade || !isEvaluation(*between)) {
      return false;
    }
  }
  if (extended.needsValue(op) || extended.isWrittenFor(op, reduction))
    return false;
  extended.members.push_back({op, reduction});
  *this = std::move(extended);
  return true;
}

void Group::build() {
  Operation *last = members.back().op;
  fir::FirOpBuilder builder(last, fir::getKindMapping(last->getParentOfType<ModuleOp>()));
  auto arrays = std::make_shared<ArraysInKernel>();
  SmallVector<std::unique_ptr<ReductionKernel>> kernels;
  for (const Member &member : members)
    kernels.push_back(std::make_unique<ReductionKernel>(builder, member.op, member.reduction, arrays));
  SmallVector<Value> values = ReductionKernel::buildTogether(kernels);
  Operation *end = last;
  for (Operation *op : later) {
    op->moveAfter(end);
    end = op;
  }
  for (auto [member, value] : llvm::zip(members, values)) {
    member.op->getResult(0).replaceAllUsesWith(value);
    member.op->erase();
  }
  for (const Member &member : members)
    eraseExpressions(member.reduction.operands());
}

SmallVector<Operation *> cufort::cufx::joinReductions(ArrayRef<Operation *> reductions) {
  std::vector<Group> groups;
  SmallVector<Operation *> others;
  for (Operation *op : reductions) {
    Reduction reduction = matchReduction(op);
    if (!canReduceByKernel(reduction))
      others.push_back(op);
    else if (groups.empty() || !groups.back().take(op, reduction))
      groups.emplace_back(op, reduction);
  }
  for (Group &group : groups)
    if (group.size() > 1)
      group.build();
    else
      others.push_back(group.first());
  return others;
}
