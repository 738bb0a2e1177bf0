// Host statements that read device data transfer what they read; what is host data stays as it is.
// RUN: %cufort-opt --cufx-repair-host-statements %s | FileCheck %s

// CHECK-LABEL: func.func @element_of_a_device_array
// CHECK-SAME: (%[[D:.*]]: !fir.ref<!fir.array<10xf32>>)
func.func @element_of_a_device_array(%d: !fir.ref<!fir.array<10xf32>>) -> f32 {
  // CHECK: %[[TMP:.*]] = fir.alloca f32
  // CHECK: %[[VAR:.*]]:2 = hlfir.declare %[[D]]
  // CHECK: %[[E:.*]] = hlfir.designate %[[VAR]]#0
  // CHECK-NEXT: cuf.data_transfer %[[E]] to %[[TMP]] {transfer_kind = #cuf.cuda_transfer<device_host>} : !fir.ref<f32>, !fir.ref<f32>
  // CHECK-NEXT: fir.load %[[TMP]] : !fir.ref<f32>
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %0 = fir.shape %c10 : (index) -> !fir.shape<1>
  %1:2 = hlfir.declare %d(%0) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %2 = hlfir.designate %1#0 (%c3) : (!fir.ref<!fir.array<10xf32>>, index) -> !fir.ref<f32>
  %3 = fir.load %2 : !fir.ref<f32>
  return %3 : f32
}

// CHECK-LABEL: func.func @constant_scalar
func.func @constant_scalar(%c: !fir.ref<i64>) -> i64 {
  // CHECK: cuf.data_transfer %{{.*}} to %[[TMP:.*]] {transfer_kind = #cuf.cuda_transfer<device_host>} : !fir.ref<i64>, !fir.ref<i64>
  // CHECK: fir.load %[[TMP]]
  %1:2 = hlfir.declare %c {data_attr = #cuf.cuda<constant>, uniq_name = "_QMmEc"} : (!fir.ref<i64>) -> (!fir.ref<i64>, !fir.ref<i64>)
  %2 = fir.load %1#0 : !fir.ref<i64>
  return %2 : i64
}

// The element through a descriptor, which is host data itself.
// CHECK-LABEL: func.func @element_of_an_allocatable
func.func @element_of_an_allocatable(%box: !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>) -> i32 {
  // CHECK: %[[VAR:.*]]:2 = hlfir.declare
  // CHECK: %[[BOX:.*]] = fir.load %[[VAR]]#0
  // CHECK-NEXT: %[[E:.*]] = hlfir.designate %[[BOX]]
  // CHECK-NEXT: cuf.data_transfer %[[E]] to
  %c3 = arith.constant 3 : index
  %0:2 = hlfir.declare %box {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>) -> (!fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>)
  %1 = fir.load %0#0 : !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>
  %2 = hlfir.designate %1 (%c3) : (!fir.box<!fir.heap<!fir.array<?xi32>>>, index) -> !fir.ref<i32>
  %3 = fir.load %2 : !fir.ref<i32>
  return %3 : i32
}

// CHECK-LABEL: func.func @host_and_managed_data
func.func @host_and_managed_data(%h: !fir.ref<f32>, %m: !fir.ref<f32>) -> (f32, f32) {
  // CHECK-NOT: cuf.data_transfer
  // CHECK: return
  %0:2 = hlfir.declare %h {uniq_name = "_QFEh"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %1 = fir.load %0#0 : !fir.ref<f32>
  %2:2 = hlfir.declare %m {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEm"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %3 = fir.load %2#0 : !fir.ref<f32>
  return %1, %3 : f32, f32
}

// A copy that Flang made on the host is declared under the attribute of the variable that it copies.
// CHECK-LABEL: func.func @copy_on_the_host
func.func @copy_on_the_host() -> f32 {
  // CHECK-NOT: cuf.data_transfer
  // CHECK: return
  %c2 = arith.constant 2 : index
  %0 = fir.shape %c2 : (index) -> !fir.shape<1>
  %1 = fir.allocmem !fir.array<2xf32> {bindc_name = ".tmp"}
  %2:2 = hlfir.declare %1(%0) {uniq_name = ".tmp"} : (!fir.heap<!fir.array<2xf32>>, !fir.shape<1>) -> (!fir.heap<!fir.array<2xf32>>, !fir.heap<!fir.array<2xf32>>)
  %3:2 = hlfir.declare %2#0(%0) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.heap<!fir.array<2xf32>>, !fir.shape<1>) -> (!fir.heap<!fir.array<2xf32>>, !fir.heap<!fir.array<2xf32>>)
  %4 = hlfir.designate %3#0 (%c2) : (!fir.heap<!fir.array<2xf32>>, index) -> !fir.ref<f32>
  %5 = fir.load %4 : !fir.ref<f32>
  return %5 : f32
}

// Device code reads device data.
// CHECK-LABEL: func.func @kernel
func.func @kernel(%d: !fir.ref<f32>) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // CHECK-NOT: cuf.data_transfer
  // CHECK: return
  %0:2 = hlfir.declare %d {data_attr = #cuf.cuda<device>, uniq_name = "_QFkEd"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %1 = fir.load %0#0 : !fir.ref<f32>
  return %1 : f32
}

// CHECK-LABEL: func.func @cuf_kernel
func.func @cuf_kernel(%d: !fir.ref<f32>) {
  // CHECK-NOT: cuf.data_transfer
  // CHECK: return
  %c1 = arith.constant 1 : index
  %0:2 = hlfir.declare %d {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  cuf.kernel<<<*, *>>> (%i : index) = (%c1 : index) to (%c1 : index) step (%c1 : index) {
    %1 = fir.load %0#0 : !fir.ref<f32>
    fir.store %1 to %0#0 : !fir.ref<f32>
    "fir.end"() : () -> ()
  }
  return
}
