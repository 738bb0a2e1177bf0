// In:  load switch.table[i]     Out: i == 0 ? 1 : i == 1 ? 5 : 7

#include "codegen/DeviceLink/SmallTables.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static constexpr uint64_t mostEntries = 8;

namespace {

/// A read of a table.
struct TableRead {
  GlobalVariable *variable;
  const ConstantDataArray *table;
  Value *number; ///< of the entry, from 0
};

std::optional<TableRead> readOf(LoadInst &load) {
  auto *step = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
  if (!step)
    return std::nullopt;
  auto *variable = dyn_cast<GlobalVariable>(step->getPointerOperand()->stripPointerCasts());
  bool isTable = variable && variable->isConstant() && variable->hasInitializer() &&
                 variable->getName().starts_with("switch.table.");
  auto *table = isTable ? dyn_cast<ConstantDataArray>(variable->getInitializer()) : nullptr;
  if (!table || table->getNumElements() > mostEntries || table->getElementType() != load.getType())
    return std::nullopt;
  // From an entry to the next, or into the table.
  bool isFlat = step->getNumIndices() == 1 && step->getSourceElementType() == load.getType();
  bool isInto = step->getNumIndices() == 2 && step->getSourceElementType() == table->getType() &&
                match(step->getOperand(1), PatternMatch::m_Zero());
  if (!isFlat && !isInto)
    return std::nullopt;
  return TableRead{variable, table, step->getOperand(step->getNumOperands() - 1)};
}

/// True if all entries of `table` are numbers of 32 bits, with more bits.
bool isWide(const ConstantDataArray &table) {
  if (!table.getElementType()->isIntegerTy(64))
    return false;
  for (unsigned i = 0; i < table.getNumElements(); ++i)
    if (!isInt<32>(static_cast<int64_t>(table.getElementAsInteger(i))))
      return false;
  return true;
}

Value *createChoice(IRBuilder<> &builder, const TableRead &read) {
  bool narrows = isWide(*read.table);
  auto entry = [&](unsigned i) -> Constant * {
    return narrows ? builder.getInt32(static_cast<uint32_t>(read.table->getElementAsInteger(i)))
                   : read.table->getElementAsConstant(i);
  };
  unsigned last = read.table->getNumElements() - 1;
  Value *chosen = entry(last);
  for (unsigned i = last; i-- > 0;) {
    if (entry(i) == chosen)
      continue;
    Value *isHere = builder.CreateICmpEQ(read.number, ConstantInt::get(read.number->getType(), i));
    chosen = builder.CreateSelect(isHere, entry(i), chosen);
  }
  return narrows ? builder.CreateSExt(chosen, read.table->getElementType()) : chosen;
}

} // namespace

PreservedAnalyses cufort::codegen::SmallTables::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<LoadInst *> loads;
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction); load && readOf(*load))
      loads.push_back(load);
  for (LoadInst *load : loads) {
    IRBuilder<> builder(load);
    TableRead read = *readOf(*load);
    load->replaceAllUsesWith(createChoice(builder, read));
    RecursivelyDeleteTriviallyDeadInstructions(load);
    if (read.variable->use_empty() && read.variable->hasLocalLinkage())
      read.variable->eraseFromParent();
  }
  if (loads.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
