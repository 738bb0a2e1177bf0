// Thread number t of T on an axis does iterations [t * q + min(t, r), ...) of count = T * q + r: as many as the others,
// or one more, and those of its neighbours follow. So a call that stands for `span` threads from t on does [begin(t),
// begin(t + span)). Where iterations can see which thread does them, thread t does every T-th one from t on, as on a
// GPU.

#include "codegen/DeviceLink/LoopShares.h"
#include "codegen/Conversion/CufxToEmulated/CufxToEmulated.h"
#include "codegen/DeviceLink/EmulatedIdentity.h"
#include "codegen/DeviceLink/PartialResults.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

/// What a call stands for.
struct Share {
  enum Kind { Begin, Stride, End } kind;
  unsigned axis;

  static std::optional<Share> of(const Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction())
      return std::nullopt;
    StringRef name = call->getCalledFunction()->getName();
    for (auto [kind, prefix] :
         {std::pair(Begin, shareBeginPrefix), std::pair(Stride, shareStridePrefix), std::pair(End, shareEndPrefix)})
      if (StringRef axis = name; axis.consume_front(prefix))
        return Share{kind, unsigned(axis.front() - 'x')};
    return std::nullopt;
  }
};

bool saysWhoThreadIs(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  if (!call || !call->getCalledFunction())
    return false;
  StringRef name = call->getCalledFunction()->getName();
  return name.consume_front(extentFunctionPrefix) && !name.starts_with("block_dim") && !name.starts_with("grid_dim");
}

/// True if `value` makes nothing but the places that shares are computed from.
bool onlyMakesPlaces(const Value &value) {
  return all_of(value.users(), [](const User *user) {
    auto *instruction = cast<Instruction>(user);
    if (Share::of(*instruction))
      return true;
    bool isArithmetic = isa<CastInst>(instruction) || instruction->getOpcode() == Instruction::Add ||
                        instruction->getOpcode() == Instruction::Mul;
    return isArithmetic && onlyMakesPlaces(*instruction);
  });
}

SmallVector<CallInst *> sharesIn(Function &function) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(function))
    if (Share::of(instruction))
      calls.push_back(cast<CallInst>(&instruction));
  return calls;
}

} // namespace

bool cufort::codegen::onlySharesLoops(Function &kernel) {
  return !sharesIn(kernel).empty() && all_of(instructions(kernel), [](Instruction &instruction) {
    return !saysWhoThreadIs(instruction) || onlyMakesPlaces(instruction);
  });
}

/// What the call at `builder` stands for in the share of iterations that follow each other.
static Value *neighbours(IRBuilder<> &builder, CallInst &call, Share share, Function &body, unsigned firstIdentity) {
  if (share.kind == Share::Stride)
    return ConstantInt::get(call.getType(), 1);
  Value *place = call.getArgOperand(0), *threads = call.getArgOperand(1), *count = call.getArgOperand(2);
  if (share.kind == Share::End)
    place = builder.CreateAdd(place, body.getArg(firstIdentity + IdentitySpan + share.axis));
  Value *each = builder.CreateUDiv(count, threads), *more = builder.CreateURem(count, threads);
  return builder.CreateAdd(builder.CreateMul(place, each), builder.CreateBinaryIntrinsic(Intrinsic::umin, place, more));
}

void cufort::codegen::computeShares(Function &body, unsigned firstIdentity, bool inStrides) {
  for (CallInst *call : sharesIn(body)) {
    IRBuilder<> builder(call);
    Share share = *Share::of(*call);
    // The arguments are the place, the number of threads and the number of iterations.
    Value *value = inStrides ? call->getArgOperand(share.kind) : neighbours(builder, *call, share, body, firstIdentity);
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

//===-- Order ----------------------------------------------------------------------------------------------------===//

namespace {

bool mayBeStep(const Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return false;
  unsigned code = instruction->getOpcode();
  return isa<PHINode, SelectInst>(instruction) || code == Instruction::FAdd || code == Instruction::FSub ||
         code == Instruction::FMul;
}

/// What `from` is computed from by steps, and `from` itself if it is so, too.
SmallSetVector<Value *, 16> sourcesOf(Value *from) {
  SmallSetVector<Value *, 16> sources;
  auto addOperands = [&](Value *value) {
    for (Value *operand : cast<Instruction>(value)->operands())
      if (mayBeStep(operand))
        sources.insert(operand);
  };
  addOperands(from);
  for (size_t next = 0; next < sources.size(); ++next)
    addOperands(sources[next]);
  return sources;
}

/// The value that the grid reduction `call` gets the address of; null if it is not known.
Value *reducedValue(CallInst &call) {
  Value *result = nullptr;
  for (User *user : call.getArgOperand(0)->users())
    if (auto *store = dyn_cast<StoreInst>(user)) {
      if (result || store->getPointerOperand() != call.getArgOperand(0))
        return nullptr;
      result = store->getValueOperand();
    }
  return result;
}

} // namespace

void cufort::codegen::allowReductionsInAnyOrder(Function &body) {
  for (CallInst *call : reductionsIn(body)) {
    Value *total = reducedValue(*call);
    if (!total || !mayBeStep(total))
      continue;
    // Sums that an iteration computes for itself are computed from each other, but not from the total.
    for (Value *step : sourcesOf(total))
      if (isa<BinaryOperator>(step) && sourcesOf(step).contains(total))
        cast<Instruction>(step)->setHasAllowReassoc(true);
  }
}
