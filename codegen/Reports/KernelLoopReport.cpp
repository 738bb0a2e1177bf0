#include "codegen/Reports/KernelLoopReport.h"
#include "codegen/Support/SourceName.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/BlockShapes.h"
#include "mlir-dialects/Cufx/Transforms/DeviceMemory.h"
#include "mlir-dialects/Cufx/Transforms/GridAxes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace cufort;

namespace {

/// What stands before each line that belongs to the one above it.
constexpr llvm::StringLiteral indent = "         ";

unsigned lineOf(Location location) {
  FileLineColLoc place;
  location->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place ? place.getLine() : 0;
}

/// The variable that has the value of loop `loop` in the body; empty for loops that the compiler made.
StringRef loopVariable(cufx::KernelLoopsOp loops, unsigned loop) {
  SmallVector<Value> copies{loops.getBody().front().getArgument(loop)};
  while (!copies.empty())
    for (Operation *user : copies.pop_back_val().getUsers()) {
      if (auto store = dyn_cast<fir::StoreOp>(user))
        return cufx::variableName(store.getMemref());
      if (isa<fir::ConvertOp>(user))
        copies.push_back(user->getResult(0));
    }
  return {};
}

/// An extent of grid or block: `*` for what the compiler chooses, a number, a variable, or dots for an expression.
std::string extentText(Value extent) {
  while (auto convert = extent.getDefiningOp<fir::ConvertOp>())
    extent = convert.getValue();
  if (auto value = fir::getIntIfConstant(extent))
    return *value ? std::to_string(*value) : "*";
  auto load = extent.getDefiningOp<fir::LoadOp>();
  StringRef name = load ? cufx::variableName(load.getMemref()) : StringRef();
  return name.empty() ? "..." : name.str();
}

/// `(x)`, `(x,y)` or `(x,y,z)`: as many as there are loops on axes, or more where an extent says so.
std::string extentsText(OperandRange extents, unsigned loops) {
  SmallVector<std::string> texts;
  for (Value extent : extents)
    texts.push_back(extentText(extent));
  while (texts.size() > loops && texts.back() == "1")
    texts.pop_back();
  return "(" + llvm::join(texts, ",") + ")";
}

StringRef operatorText(cufx::ReductionKind kind) {
  switch (kind) {
  case cufx::ReductionKind::Add:
    return "+";
  case cufx::ReductionKind::Mul:
    return "*";
  case cufx::ReductionKind::LAnd:
    return ".and.";
  case cufx::ReductionKind::LOr:
    return ".or.";
  case cufx::ReductionKind::LEqv:
    return ".eqv.";
  case cufx::ReductionKind::LNeqv:
    return ".neqv.";
  default:
    return stringifyReductionKind(kind);
  }
}

class LoopReport {
public:
  LoopReport(cufx::KernelLoopsOp loops, llvm::raw_ostream &out) : loops(loops), out(out) {
    for (unsigned loop = 0; loop < loops.getAxes().size(); ++loop)
      variables.push_back(loopVariable(loops, loop));
  }

  void print() {
    bool isDirective = llvm::any_of(variables, [](StringRef name) { return !name.empty(); });
    unsigned depth = variables.size(), mapped = std::min(depth, 3u);
    out << llvm::format("%7u, CUDA kernel generated", lineOf(loops.getLoc()));
    if (isDirective)
      out << '\n' << indent << "!$cuf kernel do" << (depth > 1 ? "(" + std::to_string(depth) + ")" : "");
    else
      out << " for an expression of device arrays\n" << indent << "Grid and block";
    bool isFitted = loops->hasAttr(cufx::fittedBlockAttribute);
    out << " <<< " << extentsText(loops.getGrid(), mapped) << ", "
        << (isFitted ? "(*,*)" : extentsText(loops.getBlock(), mapped)) << " >>>\n";
    printLoops();
    if (isDirective)
      printScalars();
  }

private:
  void printLoops() {
    std::array<int, 3> gridAxes = cufx::gridAxesOf(loops);
    for (auto [name, axis] : llvm::zip(variables, loops.getAxes())) {
      out << indent << "Loop" << (name.empty() ? "" : " over ") << name;
      if (axis < 0) {
        out << " run by each thread\n";
        continue;
      }
      out << " parallelized: ";
      if (int ofGrid = gridAxes[axis]; ofGrid >= 0)
        out << "blockidx%"
            << "xyz"[ofGrid] << ", ";
      out << "threadidx%"
          << "xyz"[axis] << '\n';
    }
  }

  void printScalars() {
    for (auto [variable, kind] : llvm::zip(loops.getReductions(), loops.getReductionKinds()))
      out << indent << "Generating reduction(" << operatorText(static_cast<cufx::ReductionKind>(kind)) << ':'
          << cufx::variableName(variable) << ")\n";
    std::string names;
    for (Value variable : loops.getPrivates()) {
      StringRef name = cufx::variableName(variable);
      if (!name.empty() && !llvm::is_contained(variables, name))
        names += (names.empty() ? "" : ", ") + name.str();
    }
    if (!names.empty())
      out << indent << "Private to each thread: " << names << '\n';
  }

  cufx::KernelLoopsOp loops;
  llvm::raw_ostream &out;
  SmallVector<StringRef> variables;
};

} // namespace

void cufort::codegen::reportKernelLoops(ModuleOp module, llvm::raw_ostream &out) {
  for (auto procedure : module.getOps<func::FuncOp>()) {
    bool isNamed = false;
    procedure.walk([&](cufx::KernelLoopsOp loops) {
      StringRef symbol = procedure.getSymName();
      if (!std::exchange(isNamed, true))
        out << (symbol == "_QQmain" ? "main program" : sourceName(symbol)) << ":\n";
      LoopReport(loops, out).print();
    });
  }
}
