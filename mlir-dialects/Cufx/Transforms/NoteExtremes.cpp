// MAX and MIN of real numbers are comparisons and selections, as MERGE and IF are, and then have the same form.
//
// In:  %c = arith.cmpf ogt, %a, %b          Out:  %c = arith.cmpf ogt, %a, %b fastmath<nsz>
//      %m = arith.select %c, %a, %b               %m = arith.select %c, %a, %b
//
// Which zero MAX is of two with different signs, and what it is of something that is no number, is not said by Fortran
// (2018, 16.9.125): GPU code may have one instruction for it. Only here, while what a program writes as MERGE loads its
// operands twice, can the two be told apart.

#include "mlir-dialects/Cufx/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cufort::cufx {
#define GEN_PASS_DEF_NOTEEXTREMES
#include "mlir-dialects/Cufx/Transforms/Passes.h.inc"
} // namespace cufort::cufx

using namespace mlir;

namespace {

bool isExtreme(arith::SelectOp select, arith::CmpFOp compare) {
  arith::CmpFPredicate predicate = compare.getPredicate();
  return (predicate == arith::CmpFPredicate::OGT || predicate == arith::CmpFPredicate::OLT) &&
         compare.getLhs() == select.getTrueValue() && compare.getRhs() == select.getFalseValue();
}

struct NoteExtremesPass : cufort::cufx::impl::NoteExtremesBase<NoteExtremesPass> {
  void runOnOperation() override {
    getOperation().walk([](arith::SelectOp select) {
      auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
      if (compare && isExtreme(select, compare))
        compare.setFastmath(compare.getFastmath() | arith::FastMathFlags::nsz);
    });
  }
};

} // namespace
