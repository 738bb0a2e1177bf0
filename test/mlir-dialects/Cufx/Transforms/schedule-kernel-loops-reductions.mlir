// Scalars that the loops of a CUF kernel combine with each iteration's value become reductions.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s
// Kinds: 0 add, 1 mul, 2 max, 3 min, 4 iand, 5 ior, 6 ieor, 7 land, 8 lor.

// CHECK-LABEL: func.func @sum
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @sum(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @sum_from_the_right
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f64>, %{{.*}}: f64)
func.func @sum_from_the_right(%n: index, %s: !fir.ref<f64>, %x: f64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f64>
    %1 = arith.addf %x, %0 : f64
    fir.store %1 to %s : !fir.ref<f64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_sum
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i64>, %{{.*}}: i64)
func.func @integer_sum(%n: index, %s: !fir.ref<i64>, %x: i64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<i64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i64>
    %1 = arith.addi %0, %x : i64
    fir.store %1 to %s : !fir.ref<i64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @complex_sum
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<complex<f32>>, %{{.*}}: complex<f32>)
func.func @complex_sum(%n: index, %s: !fir.ref<complex<f32>>, %x: complex<f32>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<complex<f32>>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<complex<f32>>
    %1 = fir.addc %0, %x : complex<f32>
    fir.store %1 to %s : !fir.ref<complex<f32>>
    "fir.end"() : () -> ()
  }
  return
}

// What is subtracted is summed up.
// CHECK-LABEL: func.func @difference
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @difference(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.subf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_difference
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @integer_difference(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.subi %0, %x : i32
    fir.store %1 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @complex_difference
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<complex<f64>>, %{{.*}}: complex<f64>)
func.func @complex_difference(%n: index, %s: !fir.ref<complex<f64>>, %x: complex<f64>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<complex<f64>>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<complex<f64>>
    %1 = fir.subc %0, %x : complex<f64>
    fir.store %1 to %s : !fir.ref<complex<f64>>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @product
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f64>, %{{.*}}: f64)
func.func @product(%n: index, %s: !fir.ref<f64>, %x: f64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [1](%[[S]] : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f64>
    %1 = arith.mulf %0, %x : f64
    fir.store %1 to %s : !fir.ref<f64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @integer_product
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @integer_product(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [1](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.muli %x, %0 : i32
    fir.store %1 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @complex_product
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<complex<f32>>, %{{.*}}: complex<f32>)
func.func @complex_product(%n: index, %s: !fir.ref<complex<f32>>, %x: complex<f32>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [1](%[[S]] : !fir.ref<complex<f32>>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<complex<f32>>
    %1 = fir.mulc %0, %x : complex<f32>
    fir.store %1 to %s : !fir.ref<complex<f32>>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @bits_of_all
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @bits_of_all(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [4](%[[S]] : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.andi %0, %x : i32
    fir.store %1 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @bits_of_any
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i16>, %{{.*}}: i16)
func.func @bits_of_any(%n: index, %s: !fir.ref<i16>, %x: i16) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [5](%[[S]] : !fir.ref<i16>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i16>
    %1 = arith.ori %0, %x : i16
    fir.store %1 to %s : !fir.ref<i16>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @parity
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<i64>, %{{.*}}: i64)
func.func @parity(%n: index, %s: !fir.ref<i64>, %x: i64) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [6](%[[S]] : !fir.ref<i64>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i64>
    %1 = arith.xori %0, %x : i64
    fir.store %1 to %s : !fir.ref<i64>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @all_true
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<!fir.logical<4>>, %{{.*}}: !fir.logical<4>)
func.func @all_true(%n: index, %s: !fir.ref<!fir.logical<4>>, %x: !fir.logical<4>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [7](%[[S]] : !fir.ref<!fir.logical<4>>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<!fir.logical<4>>
    %1 = fir.convert %0 : (!fir.logical<4>) -> i1
    %2 = fir.convert %x : (!fir.logical<4>) -> i1
    %3 = arith.andi %1, %2 : i1
    %4 = fir.convert %3 : (i1) -> !fir.logical<4>
    fir.store %4 to %s : !fir.ref<!fir.logical<4>>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @any_true
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<!fir.logical<4>>, %{{.*}}: !fir.logical<4>)
func.func @any_true(%n: index, %s: !fir.ref<!fir.logical<4>>, %x: !fir.logical<4>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [8](%[[S]] : !fir.ref<!fir.logical<4>>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<!fir.logical<4>>
    %1 = fir.convert %0 : (!fir.logical<4>) -> i1
    %2 = fir.convert %x : (!fir.logical<4>) -> i1
    %3 = arith.ori %1, %2 : i1
    %4 = fir.convert %3 : (i1) -> !fir.logical<4>
    fir.store %4 to %s : !fir.ref<!fir.logical<4>>
    "fir.end"() : () -> ()
  }
  return
}

// s = x + (s + x - x): one reduction.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @chain(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    %2 = arith.subf %1, %x : f32
    %3 = arith.addf %x, %2 : f32
    fir.store %3 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @two_statements
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @two_statements(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    %2 = fir.load %s : !fir.ref<f32>
    %3 = arith.subf %2, %x : f32
    fir.store %3 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @under_a_condition
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32, %{{.*}}: i1)
func.func @under_a_condition(%n: index, %s: !fir.ref<f32>, %x: f32, %p: i1) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    fir.if %p {
      %0 = fir.load %s : !fir.ref<f32>
      %1 = arith.addf %0, %x : f32
      fir.store %1 to %s : !fir.ref<f32>
    }
    "fir.end"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @in_a_loop_of_the_thread
// CHECK-SAME: (%{{.*}}: index, %[[S:.*]]: !fir.ref<f32>, %{{.*}}: f32)
func.func @in_a_loop_of_the_thread(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: reduce [0](%[[S]] : !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    fir.do_loop %j = %n to %n step %n {
      %0 = fir.load %s : !fir.ref<f32>
      %1 = arith.addf %0, %x : f32
      fir.store %1 to %s : !fir.ref<f32>
    }
    "fir.end"() : () -> ()
  }
  return
}
