// In:  for (j = place in y; j < rows; j += threads in y)
//        for (i = place in x; i < n; i += threads in x)
//          body
//
// Out:
//
//   kernel$row, if the grid has n threads in x at least:
//     for (j = place in y; j < rows && place in x < n; j += threads in y)
//       body, with i = place in x
//   kernel, as it was
//
// So addresses go from row to row in steps, where the inner loop would compute them for each row, to go one round.

#include "codegen/DeviceLink/RowVersions.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace cufort::codegen;

/// Before optimisation, which leaves about a quarter of them.
static constexpr unsigned mostInstructions = 4000;
/// Of an iteration, in global memory. Threads that stay in their columns come to all rows of several arrays within a
/// short time; where most of them are written, memory is busier if rows are done one after the other.
static constexpr unsigned mostStores = 3;
/// Marks a copy; its value is the name of the kernel.
static constexpr StringLiteral rowOfAttribute = "cufx-row-version-of";
/// Says what its grid must cover: the axis, and the parts of a ParameterSum.
static constexpr StringLiteral coversAttribute = "cufx-row-version-covers";

namespace {

constexpr Intrinsic::ID blockExtents[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_ntid_z};
constexpr Intrinsic::ID gridExtents[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
constexpr Intrinsic::ID blockPlaces[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
constexpr Intrinsic::ID places[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_tid_z};

/// True if `value`, extended or not, is a read of `which`.
bool isRead(Value *value, Intrinsic::ID which) {
  match(value, m_ZExtOrSExt(m_Value(value)));
  auto *read = dyn_cast<CallInst>(value);
  return read && read->getIntrinsicID() == which;
}

bool isProduct(Value *value, Intrinsic::ID first, Intrinsic::ID second) {
  Value *left, *right;
  return match(value, m_Mul(m_Value(left), m_Value(right))) &&
         ((isRead(left, first) && isRead(right, second)) || (isRead(left, second) && isRead(right, first)));
}

/// The place of the thread in the grid, on `axis`.
bool isPlace(Value *value, unsigned axis) {
  Value *left, *right;
  if (!match(value, m_Add(m_Value(left), m_Value(right))))
    return false;
  auto isSum = [&](Value *block, Value *thread) {
    return isProduct(block, blockPlaces[axis], blockExtents[axis]) && isRead(thread, places[axis]);
  };
  return isSum(left, right) || isSum(right, left);
}

/// A number that a launch knows: the 32 bits of a parameter, with a sign, less those of another one, and a constant.
struct ParameterSum {
  int64_t added = -1, subtracted = -1; ///< the numbers of parameters, or -1
  int64_t constant = 0;

  /// Adds `value`, or subtracts it; false if it is not made of such.
  bool add(Value *value, bool isAdded = true) {
    Value *left, *right, *number;
    if (auto *known = dyn_cast<ConstantInt>(value)) {
      constant += isAdded ? known->getSExtValue() : -known->getSExtValue();
      return isInt<32>(known->getSExtValue());
    }
    if (match(value, m_Add(m_Value(left), m_Value(right))))
      return add(left, isAdded) && add(right, isAdded);
    if (match(value, m_Sub(m_Value(left), m_Value(right))))
      return add(left, isAdded) && add(right, !isAdded);
    if (!match(value, m_SExt(m_Value(number))) || !number->getType()->isIntegerTy(32))
      return false;
    match(number, m_Trunc(m_Value(number)));
    auto *parameter = dyn_cast<Argument>(number);
    int64_t &place = isAdded ? added : subtracted;
    if (!parameter || place >= 0)
      return false;
    place = parameter->getArgNo();
    return true;
  }
};

/// A loop over the places from that of the thread on, in steps of as many threads as the grid has on an axis. Loops
/// that count their rounds are others: they are short, and have several rounds at once.
struct GridLoop {
  Loop *loop;
  unsigned axis;
  PHINode *place;
  Value *start, *end;
  std::optional<ParameterSum> places; ///< how many there are for all threads
};

/// The axis with `threads` threads that `place` is the place of the thread on, if it is one.
std::optional<unsigned> axisOf(Value *place, Value *threads) {
  for (unsigned axis : {0u, 1u, 2u})
    if (isPlace(place, axis) && isProduct(threads, blockExtents[axis], gridExtents[axis]))
      return axis;
  return std::nullopt;
}

std::optional<GridLoop> findGridLoop(Loop &loop) {
  BasicBlock *before = loop.getLoopPredecessor(), *latch = loop.getLoopLatch(), *header = loop.getHeader();
  auto *branch = dyn_cast<BranchInst>(header->getTerminator());
  auto *place = dyn_cast<PHINode>(&header->front());
  if (!before || !latch || !branch || branch->isUnconditional() || !place || !place->getType()->isIntegerTy(64) ||
      std::next(place->getIterator()) != header->getFirstNonPHIIt() || !loop.contains(branch->getSuccessor(0)) ||
      loop.contains(branch->getSuccessor(1)))
    return std::nullopt;
  Value *end, *step;
  if (!match(branch->getCondition(), m_SpecificICmp(ICmpInst::ICMP_SLT, m_Specific(place), m_Value(end))) ||
      !match(place->getIncomingValueForBlock(latch), m_c_Add(m_Specific(place), m_Value(step))) ||
      !loop.isLoopInvariant(end))
    return std::nullopt;
  Value *start = place->getIncomingValueForBlock(before);
  std::optional<unsigned> axis = axisOf(start, step);
  if (!axis)
    return std::nullopt;
  ParameterSum sum;
  bool isKnown = sum.add(end);
  return GridLoop{&loop, *axis, place, start, end, isKnown ? std::optional(sum) : std::nullopt};
}

/// True if `outer` does nothing but `inner`.
bool hasNothingElse(const Loop &outer, const Loop &inner) {
  return all_of(outer.blocks(), [&](const BasicBlock *block) {
    return inner.contains(block) || none_of(*block, [](const Instruction &instruction) {
             return instruction.mayHaveSideEffects() || instruction.mayReadFromMemory();
           });
  });
}

bool hasFewStores(const Loop &loop) {
  unsigned stores = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        stores += !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
  return stores <= mostStores;
}

/// A loop over axis 0, which a grid may cover, in another one.
struct Row {
  GridLoop inner, outer;
};

std::optional<Row> findRow(LoopInfo &loops) {
  for (Loop *loop : loops.getLoopsInPreorder()) {
    std::optional<GridLoop> outer = findGridLoop(*loop);
    if (!outer || loop->getSubLoops().size() != 1)
      continue;
    std::optional<GridLoop> inner = findGridLoop(*loop->getSubLoops().front());
    if (!inner || inner->axis != 0)
      continue;
    auto *branch = cast<BranchInst>(inner->loop->getHeader()->getTerminator());
    if (inner->places && branch->getSuccessor(1)->phis().empty() && hasNothingElse(*loop, *inner->loop) &&
        hasFewStores(*inner->loop))
      return Row{*inner, *outer};
  }
  return std::nullopt;
}

/// Has the thread go one round of the inner loop in each of the outer one, and none of those if it has no place.
void takeOneRound(const Row &row) {
  BasicBlock *header = row.inner.loop->getHeader(), *latch = row.inner.loop->getLoopLatch();
  BasicBlock *exit = cast<BranchInst>(header->getTerminator())->getSuccessor(1);
  BasicBlock *entry = &header->getParent()->getEntryBlock();
  auto *last = cast<BranchInst>(latch->getTerminator());
  last->replaceSuccessorWith(header, exit);
  row.inner.place->removeIncomingValue(latch);
  IRBuilder<> builder(entry->getTerminator());
  Value *hasPlace = builder.CreateICmpSLT(row.inner.start, row.inner.end);
  auto *branch = cast<BranchInst>(row.outer.loop->getHeader()->getTerminator());
  builder.SetInsertPoint(branch);
  branch->setCondition(builder.CreateLogicalAnd(hasPlace, branch->getCondition()));
  cast<BranchInst>(header->getTerminator())->setCondition(builder.getTrue());
}

/// True if `value` is computed in the entry block, or is no instruction.
bool isInEntry(const Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  return !instruction || instruction->getParent()->isEntryBlock();
}

bool createCopy(Function &kernel) {
  DominatorTree tree(kernel);
  LoopInfo loops(tree);
  std::optional<Row> found = findRow(loops);
  if (!found || !isInEntry(found->inner.start) || !isInEntry(found->inner.end))
    return false;
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$row", map);
  copy->addFnAttr(rowOfAttribute, kernel.getName());
  DominatorTree treeOfCopy(*copy);
  LoopInfo loopsOfCopy(treeOfCopy);
  std::optional<Row> row = findRow(loopsOfCopy);
  const ParameterSum &places = *row->inner.places;
  copy->addFnAttr(coversAttribute,
                  formatv("{0},{1},{2},{3}", row->inner.axis, places.added, places.subtracted, places.constant).str());
  takeOneRound(*row);
  return true;
}

} // namespace

PreservedAnalyses RowVersions::run(Module &module, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &kernel : make_early_inc_range(module))
    if (kernel.getCallingConv() == CallingConv::PTX_Kernel && !kernel.isDeclaration() &&
        kernel.getInstructionCount() <= mostInstructions && !kernel.hasFnAttribute(rowOfAttribute))
      changed |= createCopy(kernel);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// What the attribute of `copy` says.
static GridPlaces placesOf(const Function &copy) {
  SmallVector<StringRef, 4> items;
  copy.getFnAttribute(coversAttribute).getValueAsString().split(items, ',');
  int64_t numbers[4] = {};
  for (auto [item, number] : zip(items, numbers))
    item.getAsInteger(10, number);
  auto parameter = [&](int64_t number) { return number < 0 ? nullptr : copy.getArg(static_cast<unsigned>(number)); };
  return {static_cast<unsigned>(numbers[0]), parameter(numbers[1]), parameter(numbers[2]),
          static_cast<int32_t>(numbers[3])};
}

bool cufort::codegen::hasRowVersion(const Function &kernel) {
  return kernel.hasFnAttribute(rowOfAttribute) || kernel.getParent()->getFunction((kernel.getName() + "$row").str());
}

StringMap<KernelVersion> cufort::codegen::rowVersions(Module &module) {
  StringMap<KernelVersion> versions;
  for (Function &copy : module) {
    StringRef kernel = copy.getFnAttribute(rowOfAttribute).getValueAsString();
    if (kernel.empty() || copy.getName() != (kernel + "$row").str())
      continue;
    LaunchCondition condition;
    condition.requireThreads(placesOf(copy));
    versions[kernel] = {kernel.str(), &copy, condition};
  }
  return versions;
}
