// Scalars that the loops of a CUF kernel use otherwise are no reductions: each thread has a copy.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s --implicit-check-not=reduce

func.func private @use(!fir.ref<f32>)

// b(i) = s
// CHECK-LABEL: func.func @only_read
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32, %{{.*}}: !fir.ref<f32>)
func.func @only_read(%n: index, %s: !fir.ref<f32>, %x: f32, %to: !fir.ref<f32>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    fir.store %0 to %to : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// s = x - s
// CHECK-LABEL: func.func @subtracted_from_something
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @subtracted_from_something(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.subf %x, %0 : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// s = s + x; s = s * x
// CHECK-LABEL: func.func @two_operations
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @two_operations(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    %2 = fir.load %s : !fir.ref<f32>
    %3 = arith.mulf %2, %x : f32
    fir.store %3 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// s = s * x + x
// CHECK-LABEL: func.func @two_operations_in_one_statement
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @two_operations_in_one_statement(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.mulf %0, %x : f32
    %2 = arith.addf %1, %x : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// b(i) = s; s = s + x
// CHECK-LABEL: func.func @value_used_elsewhere
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32, %{{.*}}: !fir.ref<f32>)
func.func @value_used_elsewhere(%n: index, %s: !fir.ref<f32>, %x: f32, %to: !fir.ref<f32>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    fir.store %0 to %to : !fir.ref<f32>
    %1 = fir.load %s : !fir.ref<f32>
    %2 = arith.addf %1, %x : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// s = s + s * x
// CHECK-LABEL: func.func @used_in_what_is_added
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @used_in_what_is_added(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.mulf %0, %x : f32
    %2 = arith.addf %0, %1 : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// if (x > s) s = x
// CHECK-LABEL: func.func @condition_on_the_value
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @condition_on_the_value(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf ogt, %x, %0 : f32
    fir.if %1 {
      fir.store %x to %s : !fir.ref<f32>
    }
    "fir.end"() : () -> ()
  }
  return
}

// call use(s); s = s + x
// CHECK-LABEL: func.func @address_passed_on
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32)
func.func @address_passed_on(%n: index, %s: !fir.ref<f32>, %x: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    fir.call @use(%s) : (!fir.ref<f32>) -> ()
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// l = l .neqv. x
// CHECK-LABEL: func.func @not_equivalent
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<!fir.logical<4>>, %{{.*}}: !fir.logical<4>)
func.func @not_equivalent(%n: index, %s: !fir.ref<!fir.logical<4>>, %x: !fir.logical<4>) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<!fir.logical<4>>
    %1 = fir.convert %0 : (!fir.logical<4>) -> i1
    %2 = fir.convert %x : (!fir.logical<4>) -> i1
    %3 = arith.xori %1, %2 : i1
    %4 = fir.convert %3 : (i1) -> !fir.logical<4>
    fir.store %4 to %s : !fir.ref<!fir.logical<4>>
    "fir.end"() : () -> ()
  }
  return
}

// n = n + y with a real y: every step is rounded to an integer.
// CHECK-LABEL: func.func @converted
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<i32>, %{{.*}}: i32, %{{.*}}: f32)
func.func @converted(%n: index, %s: !fir.ref<i32>, %x: i32, %y: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = fir.convert %0 : (i32) -> f32
    %2 = arith.addf %1, %y : f32
    %3 = fir.convert %2 : (f32) -> i32
    fir.store %3 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}

// s = merge(s, x, s > y)
// CHECK-LABEL: func.func @select_of_something_else
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<f32>, %{{.*}}: f32, %{{.*}}: f32)
func.func @select_of_something_else(%n: index, %s: !fir.ref<f32>, %x: f32, %y: f32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.cmpf ogt, %0, %y : f32
    %2 = arith.select %1, %0, %x : f32
    fir.store %2 to %s : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}

// s = merge(s, x, s == x)
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: !fir.ref<i32>, %{{.*}}: i32)
func.func @equal(%n: index, %s: !fir.ref<i32>, %x: i32) {
  // CHECK: cufx.kernel_loops
  // CHECK-SAME: block({{.*}}) {
  cuf.kernel<<<*, *>>> (%i : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %s : !fir.ref<i32>
    %1 = arith.cmpi eq, %0, %x : i32
    %2 = arith.select %1, %0, %x : i32
    fir.store %2 to %s : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}
