// Maximum and minimum reductions of a CUF kernel are found in every form that they have in FIR.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s
// Kinds: 2 max, 3 min.

// CHECK-LABEL: func.func @maxnumf
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @maxnumf(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.maxnumf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @maximumf
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @maximumf(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.maximumf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @minnumf
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @minnumf(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.minnumf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @minimumf
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @minimumf(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.minimumf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @maxsi
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @maxsi(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.maxsi %0, %x : i32
    fir.store %1 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @minsi
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @minsi(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.minsi %x, %0 : i32
    fir.store %1 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// max: the greater one is chosen, whichever side the comparison has it on.
// CHECK-LABEL: func.func @s_greater_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @s_greater_takes_s(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf ogt, %0, %x : f32
    %2 = arith.select %1, %0, %x : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @x_greater_takes_x
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f64>, %{{.*}}: f64)
func.func @x_greater_takes_x(%n: index, %s: !fir.ref<f64>, %x: f64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f64>
    %1 = arith.cmpf uge, %x, %0 : f64
    %2 = arith.select %1, %x, %0 : f64
    fir.store %2 to %s : !fir.ref<f64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @s_less_takes_x
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @s_less_takes_x(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf olt, %0, %x : f32
    %2 = arith.select %1, %x, %0 : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// min: the lesser one.
// CHECK-LABEL: func.func @s_less_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @s_less_takes_s(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf ole, %0, %x : f32
    %2 = arith.select %1, %0, %x : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @x_less_takes_x
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f64>, %{{.*}}: f64)
func.func @x_less_takes_x(%n: index, %s: !fir.ref<f64>, %x: f64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f64>
    %1 = arith.cmpf ult, %x, %0 : f64
    %2 = arith.select %1, %x, %0 : f64
    fir.store %2 to %s : !fir.ref<f64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @s_greater_takes_x
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @s_greater_takes_x(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf oge, %0, %x : f32
    %2 = arith.select %1, %x, %0 : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_s_greater_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @integer_s_greater_takes_s(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.cmpi sgt, %0, %x : i32
    %2 = arith.select %1, %0, %x : i32
    fir.store %2 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_x_less_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i64>, %{{.*}}: i64)
func.func @integer_x_less_takes_s(%n: index, %s: !fir.ref<i64>, %x: i64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [2](%[[S]] : !fir.ref<i64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i64>
    %1 = arith.cmpi sle, %x, %0 : i64
    %2 = arith.select %1, %0, %x : i64
    fir.store %2 to %s : !fir.ref<i64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_s_less_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @integer_s_less_takes_s(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.cmpi slt, %0, %x : i32
    %2 = arith.select %1, %0, %x : i32
    fir.store %2 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_x_greater_takes_s
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i64>, %{{.*}}: i64)
func.func @integer_x_greater_takes_s(%n: index, %s: !fir.ref<i64>, %x: i64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [3](%[[S]] : !fir.ref<i64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i64>
    %1 = arith.cmpi sge, %x, %0 : i64
    %2 = arith.select %1, %0, %x : i64
    fir.store %2 to %s : !fir.ref<i64>
    "fir.end"() : () -> ()
  }
  return
}
