// The operations of the host's side, and the loops of a CUF kernel, are printed so that they can be read again.
// RUN: %cufort-opt %s | %cufort-opt | FileCheck %s

func.func private @k()

// CHECK-LABEL: func.func @launch
// CHECK-SAME: (%[[G:.*]]: i64, %[[B:.*]]: i64, %[[V:.*]]: i64, %[[X:.*]]: !fir.ref<f32>, %[[N:.*]]: i32)
func.func @launch(%g: i64, %b: i64, %v: i64, %x: !fir.ref<f32>, %n: i32) {
  // CHECK: cufx.launch @k grid(%[[G]], %[[G]], %[[G]]) block(%[[B]], %[[B]], %[[B]]){{$}}
  cufx.launch @k grid(%g, %g, %g) block(%b, %b, %b)
  // CHECK: cufx.launch @k grid(%[[G]], %[[G]], %[[G]]) block(%[[B]], %[[B]], %[[B]]) shared(%[[V]]){{$}}
  cufx.launch @k grid(%g, %g, %g) block(%b, %b, %b) shared(%v)
  // CHECK: cufx.launch @k grid(%[[G]], %[[G]], %[[G]]) block(%[[B]], %[[B]], %[[B]]) stream(%[[V]]){{$}}
  cufx.launch @k grid(%g, %g, %g) block(%b, %b, %b) stream(%v)
  // CHECK: cufx.launch @k grid(%[[G]], %[[G]], %[[G]]) block(%[[B]], %[[B]], %[[B]]) args(%[[X]], %[[N]] : !fir.ref<f32>, i32){{$}}
  cufx.launch @k grid(%g, %g, %g) block(%b, %b, %b) args(%x, %n : !fir.ref<f32>, i32)
  // CHECK: cufx.launch @k
  // CHECK-SAME: shared(%[[G]]) stream(%[[V]]) cluster [2, 1, 1] cooperative args(%[[N]] : i32)
  cufx.launch @k grid(%g, %g, %g) block(%b, %b, %b) shared(%g) stream(%v) cluster [2, 1, 1] cooperative args(%n : i32)
  return
}

// CHECK-LABEL: func.func @nest
func.func @nest(%lb: index, %ub: index, %step: index, %e: i64, %stream: i64, %s: !fir.ref<f32>, %m: !fir.ref<i32>,
                %t: !fir.ref<i32>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: axes [-1, 2, 1, 0]
  // CHECK-SAME: stream(%{{.*}}) reduce [0, 2](%{{.*}}, %{{.*}} : !fir.ref<f32>, !fir.ref<i32>)
  // CHECK-SAME: private(%{{.*}} : !fir.ref<i32>) {
  cufx.kernel_loops from(%lb, %lb, %lb, %lb) to(%ub, %ub, %ub, %ub) step(%step, %step, %step, %step)
      axes [-1, 2, 1, 0] grid(%e, %e, %e) block(%e, %e, %e) stream(%stream)
      reduce [0, 2](%s, %m : !fir.ref<f32>, !fir.ref<i32>) private(%t : !fir.ref<i32>) {
  // CHECK: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index):
  ^bb0(%l: index, %k: index, %j: index, %i: index):
    %v = fir.convert %i : (index) -> i32
    fir.store %v to %t : !fir.ref<i32>
    // Two ways out, as CYCLE makes them.
    %more = arith.cmpi slt, %i, %j : index
    // CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
    cf.cond_br %more, ^bb1, ^bb2
  ^bb1:
    // CHECK: cufx.loops_end
    cufx.loops_end
  ^bb2:
    // CHECK: cufx.loops_end
    cufx.loops_end
  }
  return
}

// CHECK-LABEL: func.func @reduction
// CHECK-SAME: (%[[N:.*]]: i64, %[[STREAM:.*]]: i64, %[[HOST:.*]]: !fir.ref<i8>, %[[V:.*]]: f64)
func.func @reduction(%n: i64, %stream: i64, %host: !fir.ref<i8>, %v: f64) {
  // CHECK: %[[A:.*]] = cufx.reduction_scratch blocks %[[N]] count 1 -> !fir.ref<i8>
  %a = cufx.reduction_scratch blocks %n count 1 -> !fir.ref<i8>
  // CHECK: %[[B:.*]] = cufx.reduction_scratch blocks %[[N]] count 2 stream(%[[STREAM]]) -> !fir.ref<i8>
  %b = cufx.reduction_scratch blocks %n count 2 stream(%stream) -> !fir.ref<i8>
  // CHECK: cufx.grid_reduce max %[[V]] into %[[B]]{{\[}}1] : f64, !fir.ref<i8>
  cufx.grid_reduce max %v into %b[1] : f64, !fir.ref<i8>
  // CHECK: cufx.reduction_fetch %[[A]] to %[[HOST]] count 1 : !fir.ref<i8>, !fir.ref<i8>
  cufx.reduction_fetch %a to %host count 1 : !fir.ref<i8>, !fir.ref<i8>
  // CHECK: cufx.reduction_fetch %[[B]] to %[[HOST]] count 2 stream(%[[STREAM]]) : !fir.ref<i8>, !fir.ref<i8>
  cufx.reduction_fetch %b to %host count 2 stream(%stream) : !fir.ref<i8>, !fir.ref<i8>
  return
}

// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[A:.*]]: !fir.box<!fir.array<?x?xf32>>, %[[B:.*]]: !fir.box<!fir.array<?x?xf32>>, %[[C:.*]]: !fir.box<!fir.array<?x?xf32>>)
func.func @products(%a: !fir.box<!fir.array<?x?xf32>>, %b: !fir.box<!fir.array<?x?xf32>>, %c: !fir.box<!fir.array<?x?xf32>>) {
  // CHECK: cufx.matrix_product %[[A]], %[[B]] to %[[C]] : !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>
  cufx.matrix_product %a, %b to %c : !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>
  // CHECK: cufx.matrix_product %[[A]] transposed, %[[B]] transposed to %[[C]]
  cufx.matrix_product %a transposed, %b transposed to %c : !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>
  return
}

// CHECK-LABEL: func.func @streams
// CHECK-SAME: (%[[A:.*]]: !fir.ref<f32>, %[[B:.*]]: !fir.ref<f64>)
func.func @streams(%a: !fir.ref<f32>, %b: !fir.ref<f64>) {
  // CHECK: %[[BEFORE:.*]] = cufx.use_stream_of %[[A]] or %[[B]] : !fir.ref<f32>, !fir.ref<f64>
  %before = cufx.use_stream_of %a or %b : !fir.ref<f32>, !fir.ref<f64>
  // CHECK: cufx.use_stream_of %[[A]] : !fir.ref<f32>
  %same = cufx.use_stream_of %a : !fir.ref<f32>
  // CHECK: cufx.use_stream %[[BEFORE]]
  cufx.use_stream %before
  return
}

// CHECK-LABEL: func.func @waits
// CHECK-SAME: (%[[A:.*]]: !fir.ref<f32>)
func.func @waits(%a: !fir.ref<f32>) {
  // CHECK: cufx.wait_for_managed %[[A]] : !fir.ref<f32>
  cufx.wait_for_managed %a : !fir.ref<f32>
  // CHECK: cufx.wait_for_managed{{$}}
  cufx.wait_for_managed
  return
}

// CHECK-LABEL: func.func @main_variable
func.func @main_variable() -> !fir.ref<f32> {
  // CHECK: cufx.each_device "_QFEx" : !fir.ref<f32>
  %x = cufx.each_device "_QFEx" : !fir.ref<f32>
  return %x : !fir.ref<f32>
}
