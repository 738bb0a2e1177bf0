// A cufx.kernel_loops without reductions is printed so that it can be read again.
// RUN: %cufort-opt %s | %cufort-opt | FileCheck %s

// CHECK-LABEL: func.func @one_loop
// CHECK-SAME: (%[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index, %[[E:.*]]: i64)
func.func @one_loop(%lb: index, %ub: index, %step: index, %e: i64) {
  // CHECK: cufx.kernel_loops from(%[[LB]]) to(%[[UB]]) step(%[[STEP]]) axes [0]
  // CHECK-SAME: grid(%[[E]], %[[E]], %[[E]]) block(%[[E]], %[[E]], %[[E]]) {
  // CHECK: ^bb0(%{{.*}}: index):
  // CHECK: cufx.loops_end
  cufx.kernel_loops from(%lb) to(%ub) step(%step) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%i: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}
