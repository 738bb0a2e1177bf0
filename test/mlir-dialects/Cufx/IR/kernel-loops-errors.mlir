// Loops of a CUF kernel whose parts do not fit together are refused, with the reason.
// RUN: %cufort-opt -verify-diagnostics -split-input-file %s

func.func @no_loop(%e: i64) {
  // expected-error@+1 {{op needs a lower bound, an upper bound, a step and an axis for each of at least one loop}}
  cufx.kernel_loops from() to() step() axes [] grid(%e, %e, %e) block(%e, %e, %e) {
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @two_loops_one_step(%i: index, %e: i64) {
  // expected-error@+1 {{op needs a lower bound, an upper bound, a step and an axis for each of at least one loop}}
  cufx.kernel_loops from(%i, %i) to(%i, %i) step(%i) axes [1, 0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%a: index, %b: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @loop_without_axis(%i: index, %e: i64) {
  // expected-error@+1 {{op needs a lower bound, an upper bound, a step and an axis for each of at least one loop}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%a: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @two_grid_extents(%i: index, %e: i64) {
  // expected-error@+1 {{op has three grid and three block extents}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [0] grid(%e, %e) block(%e, %e, %e) {
  ^bb0(%a: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @four_block_extents(%i: index, %e: i64) {
  // expected-error@+1 {{op has three grid and three block extents}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [0] grid(%e, %e, %e) block(%e, %e, %e, %e) {
  ^bb0(%a: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @reduction_without_kind(%i: index, %e: i64, %s: !fir.ref<f32>) {
  // expected-error@+1 {{op needs one kind for each reduction}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [0] grid(%e, %e, %e) block(%e, %e, %e)
      reduce [](%s : !fir.ref<f32>) {
  ^bb0(%a: index):
    cufx.loops_end
  }
  return
}

// -----

func.func @axis_out_of_range(%i: index, %e: i64) {
  // expected-error@+1 {{op axis must be -1 (in the thread), 0 (x), 1 (y) or 2 (z), not 3}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [3] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%a: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @axis_used_twice(%i: index, %e: i64) {
  // expected-error@+1 {{op maps two loops onto axis 1}}
  cufx.kernel_loops from(%i, %i) to(%i, %i) step(%i, %i) axes [1, 1] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%a: index, %b: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @body_without_loop_variable(%i: index, %e: i64) {
  // expected-error@+1 {{op body has one argument of type index for each loop}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

func.func @loop_variable_of_another_type(%i: index, %e: i64) {
  // expected-error@+1 {{op body has one argument of type index for each loop}}
  cufx.kernel_loops from(%i) to(%i) step(%i) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%a: i32):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}
