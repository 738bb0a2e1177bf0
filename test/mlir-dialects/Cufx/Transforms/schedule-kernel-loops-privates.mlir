// Scalars that an iteration stores before it loads them are private to a thread.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s

// The loop variable, and t = x; b = t + t.
// CHECK-LABEL: func.func @temporary
// CHECK-SAME: (%{{.*}}: index, %[[I:.*]]: !fir.ref<i32>, %[[T:.*]]: !fir.ref<f32>, %[[B:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @temporary(%n: index, %i: !fir.ref<i32>, %t: !fir.ref<f32>, %b: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-NOT: reduce
  // CHECK-SAME: private(%[[I]], %[[T]], %[[B]] : !fir.ref<i32>, !fir.ref<f32>, !fir.ref<f32>) {
  cuf.kernel<<<*, *>>> (%index : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.convert %index : (index) -> i32
    fir.store %0 to %i : !fir.ref<i32>
    fir.store %x to %t : !fir.ref<f32>
    %1 = fir.load %t : !fir.ref<f32>
    %2 = arith.addf %1, %1 : f32
    fir.store %2 to %b : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// t = x; t = t + x is no reduction: the sum starts anew in every iteration.
// CHECK-LABEL: func.func @sum_of_an_iteration
// CHECK-SAME: (%{{.*}}: index, %[[T:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @sum_of_an_iteration(%n: index, %t: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-NOT: reduce
  // CHECK-SAME: private(%[[T]] : !fir.ref<f32>) {
  cuf.kernel<<<*, *>>> (%index : index) = (%n : index) to (%n : index) step (%n : index) {
    fir.store %x to %t : !fir.ref<f32>
    fir.do_loop %j = %n to %n step %n {
      %1 = fir.load %t : !fir.ref<f32>
      %2 = arith.addf %1, %x : f32
      fir.store %2 to %t : !fir.ref<f32>
    }
    "fir.end"() : () -> ()
  }
  return
}

// A value from before the loops may be needed: stored under a condition, or loaded first.
// CHECK-LABEL: func.func @stored_sometimes
func.func @stored_sometimes(%n: index, %t: !fir.ref<f32>, %u: !fir.ref<f32>, %x: f32, %p: i1) {
  // CHECK: cufx.kernel_loops
  // CHECK-NOT: private
  // CHECK: fir.if
  cuf.kernel<<<*, *>>> (%index : index) = (%n : index) to (%n : index) step (%n : index) {
    fir.if %p {
      fir.store %x to %t : !fir.ref<f32>
    }
    %0 = fir.load %u : !fir.ref<f32>
    %1 = arith.cmpf ogt, %0, %x : f32
    fir.if %1 {
      fir.store %x to %u : !fir.ref<f32>
    }
    "fir.end"() : () -> ()
  }
  return
}

// An array is never private, and a scalar that the clause names is a reduction whatever the loops do.
// CHECK-LABEL: func.func @array_and_clause
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<!fir.array<4xf32>>, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @array_and_clause(%n: index, %a: !fir.ref<!fir.array<4xf32>>, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>) {
  cuf.kernel<<<*, *>>> reduce(%s : !fir.ref<f32> : [#fir.reduce_attr<add>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) {
    fir.store %x to %s : !fir.ref<f32>
    %0 = fir.coordinate_of %a, %index : (!fir.ref<!fir.array<4xf32>>, index) -> !fir.ref<f32>
    fir.store %x to %0 : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}
