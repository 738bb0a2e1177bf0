// The program promises no more than that each element is atomic, and so does the instruction:
//
//   atomicrmw fadd %p, %a                 if (%p is a multiple of 8)
//   atomicrmw fadd %p + 4, %b     =>        atom.global.add.v2.f32 {%x, %y}, [%p], {%a, %b}
//                                         else both as before
//
// LLVM has no operation for it on real(4), and makes a loop of the one for two real(2).

#include "codegen/DeviceLink/VectorAtomics.h"
#include "codegen/DeviceLink/AddressSpaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace cufort::codegen;

namespace {

constexpr unsigned firstWithVectors = 90, firstWithHalves = 70;

/// Of a module: the pass has used instructions on vectors of real(4).
constexpr StringLiteral usedFlag = "cufx-vector-atomics";

/// Additions to neighbouring elements, in their order.
using Run = SmallVector<AtomicRMWInst *, 4>;

class Joiner {
public:
  Joiner(Function &function, unsigned arch) : function(function), layout(function.getDataLayout()), arch(arch) {}

  bool join() {
    SmallVector<Run> runs;
    for (BasicBlock &block : function)
      collect(block, runs);
    for (Run &run : runs)
      replace(run);
    return !runs.empty();
  }

private:
  bool canJoin(const AtomicRMWInst &update) {
    bool hasInstruction = update.getType()->isFloatTy() ? arch >= firstWithVectors
                                                        : update.getType()->isHalfTy() && arch >= firstWithHalves;
    return hasInstruction && update.getOperation() == AtomicRMWInst::FAdd && !update.isVolatile() &&
           update.getOrdering() == AtomicOrdering::Monotonic &&
           update.getSyncScopeID() == update.getContext().getOrInsertSyncScopeID("device") &&
           spaceOfAddress(update.getPointerOperand()) == globalSpace;
  }

  /// True if `next` adds to the element behind that of `update`.
  bool follows(const AtomicRMWInst &update, const AtomicRMWInst &next) {
    APInt from(64, 0), to(64, 0);
    const Value *base = update.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, from, true);
    const Value *other = next.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, to, true);
    return base == other && update.getType() == next.getType() &&
           to - from == layout.getTypeStoreSize(update.getType()).getFixedValue();
  }

  void collect(BasicBlock &block, SmallVector<Run> &runs) {
    Run run;
    auto end = [&] {
      // The others stay: a vector of three has no instruction.
      unsigned largest = !run.empty() && run.front()->getType()->isFloatTy() ? 4 : 2;
      for (ArrayRef<AtomicRMWInst *> rest = run; rest.size() >= 2;) {
        unsigned count = rest.size() >= largest ? largest : 2;
        if (rest.size() != 3 && resultsAreUsedBehind(rest.take_front(count)))
          runs.emplace_back(rest.take_front(count));
        rest = rest.drop_front(rest.size() == 3 ? 3 : count);
      }
      run.clear();
    };
    for (Instruction &instruction : block) {
      if (!instruction.mayReadOrWriteMemory())
        continue;
      auto *update = dyn_cast<AtomicRMWInst>(&instruction);
      bool joins = update && canJoin(*update);
      if (!joins || (!run.empty() && !follows(*run.back(), *update)))
        end();
      if (joins)
        run.push_back(update);
    }
    end();
  }

  /// The joined operation takes the place of the last.
  static bool resultsAreUsedBehind(ArrayRef<AtomicRMWInst *> run) {
    return all_of(run.drop_back(), [&](AtomicRMWInst *update) {
      return all_of(update->users(), [&](User *user) {
        auto *instruction = cast<Instruction>(user);
        return instruction->getParent() != run.back()->getParent() || isa<PHINode>(instruction) ||
               run.back()->comesBefore(instruction);
      });
    });
  }

  void replace(Run &run) {
    AtomicRMWInst *last = run.back();
    Value *address = run.front()->getPointerOperand();
    uint64_t bytes = layout.getTypeStoreSize(last->getType()).getFixedValue() * run.size();
    for (AtomicRMWInst *update : ArrayRef(run).drop_back())
      update->moveBefore(last->getIterator());
    if (getKnownAlignment(address, layout) >= bytes) {
      useResults(run, createJoined(run, *last), {});
      return;
    }
    IRBuilder<> builder(run.front());
    Value *low = builder.CreateAnd(builder.CreatePtrToInt(address, builder.getInt64Ty()), bytes - 1);
    Instruction *joined, *single;
    SplitBlockAndInsertIfThenElse(builder.CreateIsNull(low), run.front(), &joined, &single);
    SmallVector<Value *> old = createJoined(run, *joined);
    for (AtomicRMWInst *update : run)
      update->moveBefore(single->getIterator());
    useResults(run, old, {joined->getParent(), single->getParent()});
  }

  bool isUsed(const Run &run) {
    return any_of(run, [](AtomicRMWInst *update) { return !update->use_empty(); });
  }

  /// Emits the operation before `before`. Returns the old elements, if they are used.
  SmallVector<Value *> createJoined(const Run &run, Instruction &before) {
    IRBuilder<> builder(&before);
    Value *address = builder.CreateAddrSpaceCast(run.front()->getPointerOperand(), builder.getPtrTy(globalSpace));
    return run.front()->getType()->isFloatTy() ? createVector(builder, run, address)
                                               : createPair(builder, run, address);
  }

  SmallVector<Value *> createVector(IRBuilder<> &builder, const Run &run, Value *address) {
    bool used = isUsed(run);
    unsigned count = run.size();
    auto numbered = [&](unsigned first) {
      std::string text;
      for (unsigned i = 0; i < count; ++i)
        text += (i ? ", $" : "{$") + std::to_string(first + i);
      return text + "}";
    };
    std::string name = "add.v" + std::to_string(count) + ".f32 ", results, inputs;
    SmallVector<Type *> types(count, builder.getFloatTy()), parameters = {address->getType()};
    SmallVector<Value *> arguments = {address};
    for (AtomicRMWInst *update : run) {
      results += used ? "=f," : "";
      inputs += "f,";
      parameters.push_back(builder.getFloatTy());
      arguments.push_back(update->getValOperand());
    }
    std::string text = used ? "atom.relaxed.gpu.global." + name + numbered(0) + ", [$" + std::to_string(count) + "], " +
                                  numbered(count + 1) + ";"
                            : "red.relaxed.gpu.global." + name + "[$0], " + numbered(1) + ";";
    Type *result = used ? static_cast<Type *>(StructType::get(builder.getContext(), types)) : builder.getVoidTy();
    Value *old = createAsm(builder, result, parameters, arguments, text, results + "l," + inputs + "~{memory}");
    function.getParent()->setModuleFlag(Module::Max, usedFlag, 1);
    SmallVector<Value *> elements;
    for (unsigned i = 0; used && i < count; ++i)
      elements.push_back(builder.CreateExtractValue(old, i));
    return elements;
  }

  SmallVector<Value *> createPair(IRBuilder<> &builder, const Run &run, Value *address) {
    Type *pair = FixedVectorType::get(builder.getHalfTy(), 2), *i32 = builder.getInt32Ty();
    Value *halves = PoisonValue::get(pair);
    for (auto [i, update] : enumerate(run))
      halves = builder.CreateInsertElement(halves, update->getValOperand(), uint64_t(i));
    Value *bits = builder.CreateBitCast(halves, i32);
    SmallVector<Type *> parameters = {address->getType(), i32};
    if (!isUsed(run)) {
      createAsm(builder, builder.getVoidTy(), parameters, {address, bits},
                "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}");
      return {};
    }
    Value *old = createAsm(builder, i32, parameters, {address, bits},
                           "atom.relaxed.gpu.global.add.noftz.f16x2 $0, [$1], $2;", "=r,l,r,~{memory}");
    old = builder.CreateBitCast(old, pair);
    return {builder.CreateExtractElement(old, uint64_t(0)), builder.CreateExtractElement(old, uint64_t(1))};
  }

  static CallInst *createAsm(IRBuilder<> &builder, Type *result, ArrayRef<Type *> parameters,
                             ArrayRef<Value *> arguments, StringRef text, StringRef constraints) {
    auto *type = FunctionType::get(result, parameters, false);
    return builder.CreateCall(InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true), arguments);
  }

  /// Replaces the results by `old`, if the elements are used; where control comes from two `ways`, the second one has
  /// the operations, and they go otherwise.
  static void useResults(Run &run, ArrayRef<Value *> old, ArrayRef<BasicBlock *> ways) {
    for (auto [i, update] : enumerate(run)) {
      if (ways.empty()) {
        if (!old.empty())
          update->replaceAllUsesWith(old[i]);
        update->eraseFromParent();
      } else if (!update->use_empty()) {
        BasicBlock *behind = ways[0]->getSingleSuccessor();
        PHINode *either = PHINode::Create(update->getType(), 2, "", behind->begin());
        update->replaceAllUsesWith(either);
        either->addIncoming(old[i], ways[0]);
        either->addIncoming(update, ways[1]);
      }
    }
  }

  Function &function;
  const DataLayout &layout;
  unsigned arch;
};

} // namespace

PreservedAnalyses VectorAtomics::run(Function &function, FunctionAnalysisManager &) {
  return Joiner(function, arch).join() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

bool cufort::codegen::usesVectorAtomics(const Module &module) { return module.getModuleFlag(usedFlag); }
