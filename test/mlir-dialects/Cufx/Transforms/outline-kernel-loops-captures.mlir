// What the loops of a CUF kernel use from around them travels by value, by address, or is made again.
// RUN: %cufort-opt --cufx-outline-kernel-loops -split-input-file %s | FileCheck %s

// A host scalar is loaded at the launch; in the kernel it is private storage with that value.
// CHECK-LABEL: func.func @host_scalar
// CHECK: %[[X:.*]] = fir.declare
// CHECK: %[[V:.*]] = fir.load %[[X]] : !fir.ref<f32>
// CHECK: cufx.launch @_QQcufkernel_host_scalar_1 {{.*}}args({{.*}}%[[V]]{{.*}} f32
// CHECK-LABEL: func.func @_QQcufkernel_host_scalar_1
// CHECK-SAME: %[[V:[^ ]*]]: f32
// CHECK: %[[X:.*]] = fir.alloca f32
// CHECK: fir.store %[[V]] to %[[X]]
// CHECK: fir.load %[[X]]
func.func @host_scalar(%n: index, %e: i64, %ref: !fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  %x = fir.declare %ref {uniq_name = "_QFEx"} : (!fir.ref<f32>) -> !fir.ref<f32>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %0 = fir.load %x : !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// A descriptor travels by value, from the host variable that holds it.
// CHECK-LABEL: func.func @descriptor
// CHECK: %[[A:.*]] = fir.declare
// CHECK: %[[BOX:.*]] = fir.load %[[A]] : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
// CHECK: cufx.launch @_QQcufkernel_descriptor_1 {{.*}}args({{.*}}%[[BOX]]
// CHECK-LABEL: func.func @_QQcufkernel_descriptor_1
// CHECK-SAME: %[[BOX:[^ ]*]]: !fir.box<!fir.heap<!fir.array<?xf32>>>
// CHECK: %[[A:.*]] = fir.alloca !fir.box<!fir.heap<!fir.array<?xf32>>>
// CHECK: fir.store %[[BOX]] to %[[A]]
// CHECK: fir.load %[[A]]
func.func @descriptor(%n: index, %e: i64, %ref: !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>) {
  %a = fir.declare %ref {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>) -> !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %0 = fir.load %a : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// A device variable of a module exists in the kernel under its own name; so does a constant.
fir.global @_QMmEd {data_attr = #cuf.cuda<device>} : !fir.array<4xf32>
fir.global @_QMmECp constant : !fir.array<2xf32>
// CHECK-LABEL: func.func @module_variables
// CHECK: cufx.launch @_QQcufkernel_module_variables_1 {{.*}}args(%{{[^ ]*}} : i64)
// CHECK-LABEL: func.func @_QQcufkernel_module_variables_1(%{{[^ ]*}}: i64)
// CHECK-DAG: %[[D:.*]] = fir.address_of(@_QMmEd)
// CHECK-DAG: %[[P:.*]] = fir.address_of(@_QMmECp)
// CHECK: fir.coordinate_of %[[D]]
// CHECK: fir.coordinate_of %[[P]]
func.func @module_variables(%n: index, %e: i64) {
  %c4 = arith.constant 4 : index
  %s = fir.shape %c4 : (index) -> !fir.shape<1>
  %0 = fir.address_of(@_QMmEd) : !fir.ref<!fir.array<4xf32>>
  %d = fir.declare %0(%s) {data_attr = #cuf.cuda<device>, uniq_name = "_QMmEd"} : (!fir.ref<!fir.array<4xf32>>, !fir.shape<1>) -> !fir.ref<!fir.array<4xf32>>
  %p = fir.address_of(@_QMmECp) : !fir.ref<!fir.array<2xf32>>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %1 = fir.coordinate_of %d, %i : (!fir.ref<!fir.array<4xf32>>, index) -> !fir.ref<f32>
    %2 = fir.coordinate_of %p, %i : (!fir.ref<!fir.array<2xf32>>, index) -> !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// Device scalars and arrays of the procedure travel by address; the same variable once only.
// CHECK-LABEL: func.func @device_data
// CHECK: %[[D:.*]] = cuf.alloc !fir.array<4xf32>
// CHECK: cufx.launch @_QQcufkernel_device_data_1 {{.*}}args(%[[D]], %{{[^ ]*}} : !fir.ref<!fir.array<4xf32>>, i64)
// CHECK-LABEL: func.func @_QQcufkernel_device_data_1
// CHECK-SAME: (%[[D:[^ ]*]]: !fir.ref<!fir.array<4xf32>> {cuf.data_attr = #cuf.cuda<device>}, %{{[^ ]*}}: i64)
// CHECK: fir.coordinate_of %[[D]]
// CHECK: fir.coordinate_of %[[D]]
func.func @device_data(%n: index, %e: i64) {
  %c4 = arith.constant 4 : index
  %s = fir.shape %c4 : (index) -> !fir.shape<1>
  %0 = cuf.alloc !fir.array<4xf32> {bindc_name = "d", data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} -> !fir.ref<!fir.array<4xf32>>
  %d = fir.declare %0(%s) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<!fir.array<4xf32>>, !fir.shape<1>) -> !fir.ref<!fir.array<4xf32>>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %1 = fir.coordinate_of %d, %i : (!fir.ref<!fir.array<4xf32>>, index) -> !fir.ref<f32>
    %2 = fir.coordinate_of %0, %i : (!fir.ref<!fir.array<4xf32>>, index) -> !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// Constants and shapes are made again, and what they are made of is captured in turn. A number is passed.
// CHECK-LABEL: func.func @values
// CHECK: cufx.launch @_QQcufkernel_values_1 {{.*}}args(%{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : f64, !fir.box<!fir.array<?xf64>>, i64)
// CHECK-LABEL: func.func @_QQcufkernel_values_1
// CHECK-SAME: (%[[X:[^ ]*]]: f64, %{{[^ ]*}}: !fir.box<!fir.array<?xf64>> {fir.target}, %[[N64:[^ ]*]]: i64)
// CHECK-DAG: %[[N:.*]] = fir.convert %[[N64]] : (i64) -> index
// CHECK-DAG: %[[C:.*]] = arith.constant 2.5
// CHECK-DAG: fir.shape %[[N]]
// CHECK: arith.addf %[[X]], %[[C]]
func.func @values(%n: index, %e: i64, %x: f64, %box: !fir.box<!fir.array<?xf64>>)
    attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  %c = arith.constant 2.5 : f64
  %s = fir.shape %n : (index) -> !fir.shape<1>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %0 = arith.addf %x, %c : f64
    %1 = fir.rebox %box(%s) : (!fir.box<!fir.array<?xf64>>, !fir.shape<1>) -> !fir.box<!fir.array<?xf64>>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// A private scalar has storage in the kernel, and no value from the host.
// CHECK-LABEL: func.func @private
// CHECK-NOT: fir.load
// CHECK: cufx.launch @_QQcufkernel_private_1 {{.*}}args(%{{[^ ]*}} : i64)
// CHECK-LABEL: func.func @_QQcufkernel_private_1
// CHECK: %[[T:.*]] = fir.alloca f32
// CHECK: fir.store %{{.*}} to %[[T]]
func.func @private(%n: index, %e: i64, %t: !fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  %c = arith.constant 2.5 : f32
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e)
      private(%t : !fir.ref<f32>) {
  ^bb0(%i: index):
    fir.store %c to %t : !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// -----

// The descriptor of a component is loaded before the loops if it is the same in all iterations, and travels by value.
!block = !fir.type<_QMmTblock{a:!fir.box<!fir.heap<!fir.array<?xf32>>>}>
// CHECK-LABEL: func.func @component_of_an_element
// CHECK: %[[B:.*]] = fir.load %{{.*}} : !fir.ref<i64>
// CHECK: %[[E:.*]] = fir.array_coor %{{.*}} %[[B]]
// CHECK: %[[A:.*]] = fir.coordinate_of %[[E]], a
// CHECK: %[[BOX:.*]] = fir.load %[[A]] : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
// CHECK: cufx.launch @_QQcufkernel_component_of_an_element_1 {{.*}}args({{.*}}%[[BOX]]
// CHECK-LABEL: func.func @_QQcufkernel_component_of_an_element_1
// CHECK-NOT: fir.coordinate_of
// CHECK: fir.box_addr
func.func @component_of_an_element(%n: index, %e: i64, %ref: !fir.ref<!fir.array<3x!block>>, %number: !fir.ref<i64>) {
  %c3 = arith.constant 3 : index
  %shape = fir.shape %c3 : (index) -> !fir.shape<1>
  %blk = fir.declare %ref(%shape) {uniq_name = "_QFEblk"} : (!fir.ref<!fir.array<3x!block>>, !fir.shape<1>) -> !fir.ref<!fir.array<3x!block>>
  %ib = fir.declare %number {uniq_name = "_QFEib"} : (!fir.ref<i64>) -> !fir.ref<i64>
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%e, %e, %e) {
  ^bb0(%i: index):
    %0 = fir.load %ib : !fir.ref<i64>
    %1 = fir.array_coor %blk(%shape) %0 : (!fir.ref<!fir.array<3x!block>>, !fir.shape<1>, i64) -> !fir.ref<!block>
    %2 = fir.coordinate_of %1, a : (!fir.ref<!block>) -> !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
    %3 = fir.load %2 : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
    %4 = fir.box_addr %3 : (!fir.box<!fir.heap<!fir.array<?xf32>>>) -> !fir.heap<!fir.array<?xf32>>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}
