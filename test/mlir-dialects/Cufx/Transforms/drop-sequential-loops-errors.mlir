// A region of several blocks that does not begin with the loops.
// RUN: %cufort-opt --cufx-drop-sequential-loops -verify-diagnostics %s

func.func @no_loop(%c1: index, %n: index, %i: !fir.ref<i32>) {
  // expected-error@+1 {{branches in the loops of this CUF kernel are not supported}}
  cuf.kernel<<<*, *>>> (%arg0 : index) = (%c1 : index) to (%n : index)  step (%c1 : index) {
    %0 = fir.convert %arg0 : (index) -> i32
    fir.store %0 to %i : !fir.ref<i32>
    cf.br ^bb1
  ^bb1:
    "fir.end"() : () -> ()
  }
  return
}
