// A reduce clause with an operation that the type of the variable does not have is refused.
// RUN: %cufort-opt --cufx-schedule-kernel-loops -verify-diagnostics %s

func.func @equivalence(%n: index, %ref: !fir.ref<i32>) {
  %same = fir.declare %ref {uniq_name = "_QFEsame"} : (!fir.ref<i32>) -> !fir.ref<i32>
  // expected-error@+1 {{the operation of reduction variable 'same' is not one that a CUF kernel can do}}
  cuf.kernel<<<*, *>>> reduce(%same : !fir.ref<i32> : [#fir.reduce_attr<eqv>]) (%index : index) =
      (%n : index) to (%n : index) step (%n : index) {
    "fir.end"() : () -> ()
  }
  // expected-error@+1 {{the operation of reduction variable 'same' is not one that a CUF kernel can do}}
  cuf.kernel<<<*, *>>> reduce(%same : !fir.ref<i32> : [#fir.reduce_attr<neqv>]) (%index : index) =
      (%n : index) to (%n : index) step (%n : index) {
    "fir.end"() : () -> ()
  }
  return
}
