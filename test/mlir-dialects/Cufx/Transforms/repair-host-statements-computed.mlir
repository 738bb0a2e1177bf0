// Values that Flang transfers although they are computed on the host: none of them passes verification before.
// RUN: %cufort-opt --cufx-repair-host-statements -mlir-very-unsafe-disable-verifier-on-parsing %s | FileCheck %s

// s = d(1) + d(2): the sum is on the host already.
// CHECK-LABEL: func.func @to_the_host
// CHECK-SAME: (%[[S:.*]]: !fir.ref<f32>, %[[V:.*]]: f32)
func.func @to_the_host(%s: !fir.ref<f32>, %v: f32) {
  // CHECK: %[[SUM:.*]] = arith.addf %[[V]], %[[V]]
  // CHECK-NEXT: hlfir.assign %[[SUM]] to %[[S]] : f32, !fir.ref<f32>
  // CHECK-NOT: cuf.data_transfer
  // CHECK: return
  %0 = arith.addf %v, %v : f32
  "cuf.data_transfer"(%0, %s) {transfer_kind = #cuf.cuda_transfer<device_host>} : (f32, !fir.ref<f32>) -> ()
  return
}

// d = i with a real d: the value is converted before it travels.
// CHECK-LABEL: func.func @of_another_type
// CHECK-SAME: (%[[D:.*]]: !fir.ref<f32>, %[[I:.*]]: i32)
func.func @of_another_type(%d: !fir.ref<f32>, %i: i32) {
  // CHECK: %[[TMP:.*]] = fir.alloca f32
  // CHECK: %[[X:.*]] = fir.convert %[[I]] : (i32) -> f32
  // CHECK: fir.store %[[X]] to %[[TMP]]
  // CHECK: cuf.data_transfer %[[TMP]] to %[[D]] {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.ref<f32>, !fir.ref<f32>
  "cuf.data_transfer"(%i, %d) {transfer_kind = #cuf.cuda_transfer<host_device>} : (i32, !fir.ref<f32>) -> ()
  return
}

// l = .true.: one bit here, a word in memory.
// CHECK-LABEL: func.func @logical_constant
// CHECK-SAME: (%[[L:.*]]: !fir.ref<!fir.logical<4>>)
func.func @logical_constant(%l: !fir.ref<!fir.logical<4>>) {
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: cuf.data_transfer %[[ONE]] to %[[L]] {transfer_kind = #cuf.cuda_transfer<host_device>} : i32, !fir.ref<!fir.logical<4>>
  %true = arith.constant true
  "cuf.data_transfer"(%true, %l) {transfer_kind = #cuf.cuda_transfer<host_device>} : (i1, !fir.ref<!fir.logical<4>>) -> ()
  return
}

// A value of the right type is transferred as it is.
// CHECK-LABEL: func.func @of_the_same_type
// CHECK-SAME: (%[[D:.*]]: !fir.ref<f32>)
func.func @of_the_same_type(%d: !fir.ref<f32>) {
  // CHECK: %[[X:.*]] = arith.constant 2.5
  // CHECK-NEXT: cuf.data_transfer %[[X]] to %[[D]]
  %x = arith.constant 2.5 : f32
  "cuf.data_transfer"(%x, %d) {transfer_kind = #cuf.cuda_transfer<host_device>} : (f32, !fir.ref<f32>) -> ()
  return
}

// d = transpose(h) and the like: an array expression is evaluated into a host temporary.
// CHECK-LABEL: func.func @array_expression
// CHECK-SAME: (%[[D:.*]]: !fir.ref<!fir.array<2x2xf32>>, %[[E:.*]]: !hlfir.expr<2x2xf32>)
func.func @array_expression(%d: !fir.ref<!fir.array<2x2xf32>>, %e: !hlfir.expr<2x2xf32>) {
  // CHECK: %[[TMP:.*]]:3 = hlfir.associate %[[E]]
  // CHECK: cuf.data_transfer %[[TMP]]#0 to %[[D]]
  // CHECK: hlfir.end_associate %[[TMP]]#1, %[[TMP]]#2
  "cuf.data_transfer"(%e, %d) {transfer_kind = #cuf.cuda_transfer<host_device>} : (!hlfir.expr<2x2xf32>, !fir.ref<!fir.array<2x2xf32>>) -> ()
  return
}
