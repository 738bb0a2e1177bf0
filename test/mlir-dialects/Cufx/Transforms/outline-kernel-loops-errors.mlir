// Loops that use what a kernel cannot have are refused.
// RUN: %cufort-opt --cufx-outline-kernel-loops -verify-diagnostics -split-input-file %s

// Host memory behind a host pointer.
func.func @host_memory(%n: index, %e: i64) {
  %h = fir.allocmem !fir.array<4xf32>
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%i: index):
    // expected-error@+1 {{host data cannot be used in a CUF kernel; give it the device or managed attribute}}
    %1 = fir.coordinate_of %h, %i : (!fir.heap<!fir.array<4xf32>>, index) -> !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @character_length(%n: index, %e: i64, %c: !fir.boxchar<1>) {
  // expected-error@+1 {{a CUF kernel cannot use a value of type '!fir.boxchar<1>' from outside its loops}}
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%i: index):
    %1 = fir.boxchar_len %c : (!fir.boxchar<1>) -> index
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}
