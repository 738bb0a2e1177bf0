// How OutlineKernelLoops makes a kernel of a nest of loops, and its launch: OutlineKernelLoops.cpp has what the host
// does, OutlinedKernels.cpp the kernels.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"
#include "flang/Optimizer/Dialect/FIROpsSupport.h"
#include "mlir-dialects/Cufx/IR/CufxDialect.h"
#include "mlir-dialects/Cufx/Transforms/GridAxes.h"
#include "mlir-dialects/Cufx/Transforms/KernelCaptures.h"
#include "mlir-dialects/Cufx/Transforms/KernelStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cufort::cufx {

/// What a thread does: one iteration, or all those that it comes to by strides.
enum class KernelForm { Once, Strided };

/// What one loop of the nest counts: the loop variable itself if the sign of its step is known, and iterations
/// otherwise, in 32 bits without a sign or as an index.
struct LoopCounter {
  mlir::Value first, increment, limit;
  mlir::arith::CmpIPredicate goesOn; ///< counter goesOn limit
  mlir::Value trips;                 ///< how often the thread runs the loop; null if that is not worth knowing
};

class KernelOutliner {
public:
  KernelOutliner(KernelLoopsOp loops, unsigned number)
      : loops(loops), loc(loops.getLoc()), number(number), host(loops), captures(loops), grid(loops.getGrid()),
        block(loops.getBlock()), gridAxes(gridAxesOf(loops)) {}

  /// Replaces the loops by a launch; fails, with an error, if they use what kernels cannot.
  llvm::LogicalResult run();

private:
  mlir::Value constant(mlir::OpBuilder &builder, int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  unsigned loopCount() { return loops.getAxes().size(); }
  llvm::SmallVector<unsigned> loopsWhere(bool hasAxis);
  llvm::SmallVector<unsigned> mappedLoops() { return loopsWhere(/*hasAxis=*/true); }
  unsigned axisOf(unsigned loop) { return loops.getAxes()[loop]; }
  /// True if the grid's axis for the loop over `axis` is another one, or none.
  bool isMoved(unsigned axis) { return gridAxes[axis] != static_cast<int>(axis); }
  bool isChosen(unsigned loop);
  bool isNarrow(unsigned loop);
  bool isNeverNegative(unsigned loop);
  llvm::SmallVector<mlir::Value> boundsInKernel(bool isCovered);
  unsigned countLoadedElements();
  bool hasInnerLoops();
  bool reduces() { return !loops.getReductions().empty(); }
  unsigned scratchIndex() { return captures.arguments().size(); }
  bool hasRounds(unsigned loop) { return mostRounds > 1 && axisOf(loop) == (loopCount() > 1 ? 1u : 0u); }

  // Host side
  mlir::Value iterations(mlir::OpBuilder &builder, unsigned loop);
  mlir::Value blocksFor(mlir::OpBuilder &builder, mlir::Value count, mlir::Value threads);
  mlir::Value neededBlocks(unsigned loop);
  mlir::Value atLeastOne(mlir::Value value);
  void computeGrid();
  void computeReductionGrid();
  mlir::Type byteReference();
  llvm::SmallVector<mlir::Value> reductionArguments(mlir::Value memory);
  bool alwaysStrides();
  void launchOverGrid();
  mlir::Value coversLoops();
  mlir::Value roundsNow(mlir::OpBuilder &builder);
  void launchInParts();
  void addPart(mlir::OpBuilder &builder, unsigned loop, mlir::Value first, mlir::Value count,
               llvm::SmallVectorImpl<mlir::Value> &arguments);
  void createLaunch(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> arguments);
  void launchReduction();
  void finishOnHost();
  void combineOnHost(mlir::Value results);

  // Kernel
  void createKernel(KernelForm form);
  mlir::func::FuncOp createFunction(KernelForm form);
  void initialiseReductions(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  mlir::Value variableInKernel(mlir::OpBuilder &builder, mlir::Value variable);
  bool isUnrolled(unsigned loop) { return unrollsInnermost && loop + 1 == loopCount(); }
  mlir::Value tripsOf(mlir::OpBuilder &builder, const LoopCounter &counter, unsigned loop);
  mlir::Block *createLoop(mlir::Block *entry, mlir::Block *exit, unsigned loop, const LoopCounter &counter,
                          mlir::IRMapping &mapping, mlir::Value &variable, mlir::Block *&latch);
  mlir::Block *createLoops(mlir::Block *entry, mlir::Block *exit, llvm::ArrayRef<unsigned> nest,
                           mlir::IRMapping &mapping, llvm::MutableArrayRef<mlir::Value> variables);
  mlir::Block *createOnce(mlir::Block *entry, mlir::Block *exit, mlir::IRMapping &mapping,
                          llvm::MutableArrayRef<mlir::Value> variables);
  mlir::Value extent(mlir::OpBuilder &builder, Extent what, unsigned axis);
  mlir::Value narrowPosition(mlir::OpBuilder &builder, unsigned axis);
  mlir::Value positionInRound(mlir::OpBuilder &builder, unsigned axis, mlir::Value round);
  std::pair<mlir::Value, mlir::Value> partOf(unsigned loop);
  mlir::Value bothOf(mlir::OpBuilder &builder, mlir::Value left, mlir::Value right);
  mlir::Value isInside(mlir::OpBuilder &builder, unsigned loop, mlir::Value place);
  void createRounds(mlir::Block *entry, mlir::Block *exit, mlir::IRMapping &mapping);
  unsigned loopWithRounds();
  void createTile(mlir::Block *tile, mlir::Block *whole, mlir::Block *part, mlir::Block *exit, mlir::IRMapping &mapping,
                  llvm::MutableArrayRef<mlir::Value> variables);
  void createWhole(mlir::Block *whole, mlir::Block *exit, llvm::MutableArrayRef<mlir::IRMapping> mappings,
                   llvm::ArrayRef<mlir::Value> variables);
  void mapVariables(mlir::OpBuilder &builder, mlir::IRMapping &mapping, unsigned round,
                    llvm::ArrayRef<mlir::Value> variables);
  void createPart(mlir::Block *part, mlir::Block *exit, mlir::IRMapping &mapping,
                  llvm::MutableArrayRef<mlir::Value> variables);
  mlir::Value variableFrom(mlir::OpBuilder &builder, unsigned loop, mlir::Value first, mlir::Value place,
                           mlir::IRMapping &mapping);
  void cloneBody(mlir::Block *innermost, mlir::Block *latch, mlir::IRMapping mapping,
                 llvm::ArrayRef<mlir::Value> variables, mlir::Block *exit);
  void finishReductions(mlir::OpBuilder &builder, mlir::IRMapping &mapping);
  mlir::Value position(mlir::OpBuilder &builder, int64_t axis, mlir::Value &stride);
  bool countsNarrow(unsigned loop);
  LoopCounter narrowCounter(mlir::OpBuilder &builder, const LoopCounter &counter);
  LoopCounter counterOf(mlir::OpBuilder &builder, unsigned loop, mlir::IRMapping &mapping);
  void forEachNarrowUse(mlir::BlockArgument argument, unsigned loop, llvm::function_ref<void(fir::ConvertOp)> use);
  mlir::Value narrowed(mlir::OpBuilder &builder, mlir::Value variable, unsigned loop, mlir::Type type);

  KernelLoopsOp loops;
  mlir::Location loc;
  unsigned number;
  mlir::OpBuilder host;
  KernelCaptures captures;
  KernelStrides strides;
  llvm::SmallVector<mlir::Value> grid, block; ///< extents for the axes of loops, where they are known
  std::array<int, 3> gridAxes;                ///< see gridAxesOf
  mlir::Value scratch;
  llvm::SmallVector<mlir::Value> variables; ///< of reductions in device memory, which are kernel arguments
  mlir::func::FuncOp kernel;
  mlir::Block *innermostLatch = nullptr;
  /// Threads of a reduction have many iterations each, and LLVM unrolls their loop if it knows how many. That pays
  /// where one load at a time does not keep the memory busy; with more loads, it costs registers and so blocks.
  bool unrollsInnermost = false;
  bool bodyHasLoops = false; ///< of a number of rounds that is not constant
  /// Iterations that a thread may have in a kernel without loops.
  unsigned mostRounds = 1;
};

} // namespace cufort::cufx
