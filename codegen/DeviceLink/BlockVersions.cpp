// In:  a kernel that is launched with blocks of 32 x 8 threads, and has loops such as do j = threadIdx%y, n, blockDim%y
// Out:
//
//   kernel$block, if blockDim is (32, 8, 1): a copy in which blockDim is constant
//   kernel, as it was
//
// So LLVM knows how many rounds there are, or what their step is: rounds become straight code, and a reduction in
// shared memory a sequence of steps. Launches are looked at while sources are compiled: what the attribute says need
// not be how all of them are.

#include "codegen/DeviceLink/BlockVersions.h"
#include "codegen/Device/DeviceLLVM.h"
#include "codegen/DeviceLink/RowVersions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace cufort::codegen;

static constexpr unsigned maxInstructions = 1000;
/// Marks a copy; its value is the name of the kernel.
static constexpr StringLiteral versionOfAttribute = "cufx-block-version-of";

namespace {

using Shape = std::array<unsigned, 3>;
constexpr Intrinsic::ID extents[] = {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_ntid_z};
constexpr Intrinsic::ID places[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                    Intrinsic::nvvm_read_ptx_sreg_tid_z};

/// The axis that `value` is a read of in `registers`, or nothing.
std::optional<unsigned> axisIn(ArrayRef<Intrinsic::ID> registers, const Value *value) {
  auto *read = dyn_cast<IntrinsicInst>(value);
  const auto *found = read ? find(registers, read->getIntrinsicID()) : registers.end();
  return found == registers.end() ? std::nullopt : std::optional<unsigned>(found - registers.begin());
}

std::optional<Shape> shapeOf(const Function &kernel) {
  SmallVector<StringRef, 3> items;
  kernel.getFnAttribute(blockShapeFunctionAttribute).getValueAsString().split(items, ',');
  Shape shape;
  if (items.size() != shape.size())
    return std::nullopt;
  for (auto [item, extent] : zip(items, shape))
    if (item.getAsInteger(10, extent) || extent == 0)
      return std::nullopt;
  return shape;
}

/// What a kernel computes of the extents of its block and the place of the thread in it alone.
class BlockValues {
public:
  explicit BlockValues(Function &kernel) {
    for (Instruction &instruction : instructions(kernel))
      if (axisIn(extents, &instruction))
        follow(instruction);
      else if (axisIn(places, &instruction))
        placesRead.insert(&instruction);
  }

  /// True if it matters for loops: a step, where one begins, a bound, or a divisor.
  bool matter(const LoopInfo &loops) const {
    return any_of(values, [&](Instruction *value) {
      return any_of(value->users(), [&](User *user) { return steers(*value, cast<Instruction>(*user), loops); });
    });
  }

private:
  bool isKnown(Value *value) const {
    auto *computed = dyn_cast<Instruction>(value);
    return isa<Constant>(value) || (computed && values.contains(computed)) || placesRead.contains(value);
  }

  void follow(Instruction &value) {
    if (!values.insert(&value))
      return;
    for (User *user : value.users()) {
      auto *next = cast<Instruction>(user);
      if ((isa<BinaryOperator, CastInst>(next)) &&
          all_of(next->operands(), [&](const Use &operand) { return isKnown(operand); }))
        follow(*next);
    }
  }

  bool steers(Instruction &value, Instruction &user, const LoopInfo &loops) const {
    if (isa<PHINode>(user))
      return loops.isLoopHeader(user.getParent());
    if (values.contains(&user))
      return false;
    return (user.isIntDivRem() && user.getOperand(1) == &value) ||
           (isa<BinaryOperator, ICmpInst>(user) && loops.getLoopFor(user.getParent()));
  }

  SmallSetVector<Instruction *, 16> values;
  SmallPtrSet<const Value *, 8> placesRead;
};

/// Lets `copy` know that its blocks have `shape`.
void setShape(Function &copy, const Shape &shape) {
  for (Instruction &instruction : make_early_inc_range(instructions(copy)))
    if (std::optional<unsigned> axis = axisIn(extents, &instruction)) {
      instruction.replaceAllUsesWith(ConstantInt::get(instruction.getType(), shape[*axis]));
      instruction.eraseFromParent();
    } else if (std::optional<unsigned> axis = axisIn(places, &instruction)) {
      cast<CallInst>(instruction).addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, shape[*axis])));
    }
}

Function *createCopy(Function &kernel, const Shape &shape) {
  ValueToValueMapTy map;
  Function *copy = cloneKernel(kernel, "$block", map);
  copy->addFnAttr(versionOfAttribute, kernel.getName());
  setShape(*copy, shape);
  return copy;
}

} // namespace

PreservedAnalyses BlockVersions::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallVector<Function *> copies;
  for (Function &kernel : make_early_inc_range(module)) {
    std::optional<Shape> shape = kernel.isDeclaration() ? std::nullopt : shapeOf(kernel);
    // The shape that the compiler chose is worth fewer versions.
    if (kernel.hasFnAttribute(usualBlockFunctionAttribute) && hasRowVersion(kernel))
      continue;
    if (shape && kernel.getInstructionCount() <= maxInstructions &&
        BlockValues(kernel).matter(functions.getResult<LoopAnalysis>(kernel)))
      copies.push_back(createCopy(kernel, *shape));
  }
  if (copies.empty())
    return PreservedAnalyses::all();
  for (Function *copy : copies) {
    FunctionPassManager again = builder.buildFunctionSimplificationPipeline(level, ThinOrFullLTOPhase::None);
    again.run(*copy, functions);
  }
  return PreservedAnalyses::none();
}

StringMap<KernelVersion> cufort::codegen::blockVersions(Module &module) {
  StringMap<KernelVersion> versions;
  for (Function &copy : module) {
    StringRef kernel = copy.getFnAttribute(versionOfAttribute).getValueAsString();
    if (kernel.empty())
      continue;
    LaunchCondition condition;
    for (auto [axis, threads] : enumerate(*shapeOf(copy)))
      condition.requireBlock(axis, threads);
    versions[kernel] = {kernel.str(), &copy, condition};
  }
  return versions;
}
