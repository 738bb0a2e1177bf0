// Assignments of expressions of device arrays become CUF kernels, products of matrices calls of the runtime.
// RUN: %cufort-opt --cufx-repair-host-statements -split-input-file %s | FileCheck %s

// The kernel writes in place: each element is read where it is written.
// CHECK-LABEL: func.func @doubled
// CHECK-NOT: cuf.alloc
// CHECK: cuf.kernel<<<*, *>>> (%[[I:[^ ]*]] : index)
// CHECK: %[[FROM:.*]] = hlfir.designate %[[A:.*]]#0 (%[[I]])
// CHECK: %[[X:.*]] = fir.load %[[FROM]]
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: %[[TO:.*]] = hlfir.designate %[[A]]#0 (%[[I]])
// CHECK: fir.store %[[SUM]] to %[[TO]]
// CHECK-NOT: hlfir.elemental
func.func @doubled(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<device>}) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %c0 = arith.constant 0 : index
  %dims:3 = fir.box_dims %a#0, %c0 : (!fir.box<!fir.array<?xf32>>, index) -> (index, index, index)
  %shape = fir.shape %dims#1 : (index) -> !fir.shape<1>
  %e = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<?xf32> {
  ^bb0(%i: index):
    %p = hlfir.designate %a#0 (%i) : (!fir.box<!fir.array<?xf32>>, index) -> !fir.ref<f32>
    %x = fir.load %p : !fir.ref<f32>
    %s = arith.addf %x, %x : f32
    hlfir.yield_element %s : f32
  }
  hlfir.assign %e to %a#0 : !hlfir.expr<?xf32>, !fir.box<!fir.array<?xf32>>
  hlfir.destroy %e : !hlfir.expr<?xf32>
  return
}

// -----

// A transposed array that is assigned to itself goes through a temporary.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[ASIDE:.*]] = cuf.alloc
// CHECK: cuf.kernel<<<*, *>>> (%[[J:[^ ]*]] : index, %[[I:[^ ]*]] : index)
// CHECK: hlfir.designate %[[A:.*]]#0 (%[[J]], %[[I]])
// CHECK: cuf.data_transfer %{{.*}} to %[[A]]#0 {transfer_kind = #cuf.cuda_transfer<device_device>}
// CHECK: cuf.free %[[ASIDE]]
func.func @transposed(%arg0: !fir.box<!fir.array<?x?xf32>> {cuf.data_attr = #cuf.cuda<device>}) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?x?xf32>>) -> (!fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>)
  %e = hlfir.transpose %a#0 : (!fir.box<!fir.array<?x?xf32>>) -> !hlfir.expr<?x?xf32>
  hlfir.assign %e to %a#0 : !hlfir.expr<?x?xf32>, !fir.box<!fir.array<?x?xf32>>
  hlfir.destroy %e : !hlfir.expr<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @product
// CHECK-NOT: cuf.alloc
// CHECK: cufx.matrix_product %[[A:.*]]#0 transposed, %[[B:.*]]#0 to %[[C:.*]]#0
// CHECK-NOT: hlfir.matmul
func.func @product(%arg0: !fir.box<!fir.array<?x?xf32>> {cuf.data_attr = #cuf.cuda<device>}, %arg1: !fir.box<!fir.array<?x?xf32>> {cuf.data_attr = #cuf.cuda<device>}, %arg2: !fir.box<!fir.array<?x?xf32>> {cuf.data_attr = #cuf.cuda<device>}) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?x?xf32>>) -> (!fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>)
  %b:2 = hlfir.declare %arg1 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEb"} : (!fir.box<!fir.array<?x?xf32>>) -> (!fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>)
  %c:2 = hlfir.declare %arg2 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEc"} : (!fir.box<!fir.array<?x?xf32>>) -> (!fir.box<!fir.array<?x?xf32>>, !fir.box<!fir.array<?x?xf32>>)
  %t = hlfir.transpose %a#0 : (!fir.box<!fir.array<?x?xf32>>) -> !hlfir.expr<?x?xf32>
  %e = hlfir.matmul %t %b#0 : (!hlfir.expr<?x?xf32>, !fir.box<!fir.array<?x?xf32>>) -> !hlfir.expr<?x?xf32>
  hlfir.assign %e to %c#0 : !hlfir.expr<?x?xf32>, !fir.box<!fir.array<?x?xf32>>
  hlfir.destroy %e : !hlfir.expr<?x?xf32>
  hlfir.destroy %t : !hlfir.expr<?x?xf32>
  return
}

// -----

// A scalar that is calculated from device memory stays there.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: cuf.data_transfer
// CHECK: cuf.kernel<<<*, *>>>
// CHECK: %[[OLD:.*]] = fir.load %[[S:.*]]#0
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %{{.*}}
// CHECK: fir.store %[[NEW]] to %[[S]]#0
func.func @scalar(%arg0: !fir.ref<f32> {cuf.data_attr = #cuf.cuda<device>}, %x: f32) {
  %s:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEs"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %old = fir.load %s#0 : !fir.ref<f32>
  %new = arith.addf %old, %x : f32
  %place:3 = hlfir.associate %new {uniq_name = ".cuf_host_tmp"} : (f32) -> (!fir.ref<f32>, !fir.ref<f32>, i1)
  cuf.data_transfer %place#0 to %s#0 {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.ref<f32>, !fir.ref<f32>
  hlfir.end_associate %place#1, %place#2 : !fir.ref<f32>, i1
  return
}

// -----

// WHERE is one kernel: each element is changed by what reads it.
// CHECK-LABEL: func.func @where
// CHECK-NOT: uniq_name = ".aside"
// CHECK: cuf.kernel<<<*, *>>> (%[[I:[^ ]*]] : index)
// CHECK: arith.cmpf ogt
// CHECK: fir.if
// CHECK: hlfir.designate %{{.*}}#0 (%[[I]])
// CHECK: fir.store %{{.*}} to %{{.*}} : !fir.ref<f32>
// CHECK-NOT: cuf.kernel
// CHECK-NOT: hlfir.where
// CHECK: return
func.func @where(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<device>}, %x: f32) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %c0 = arith.constant 0 : index
  %dims:3 = fir.box_dims %a#0, %c0 : (!fir.box<!fir.array<?xf32>>, index) -> (index, index, index)
  %shape = fir.shape %dims#1 : (index) -> !fir.shape<1>
  hlfir.where {
    %mask = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<?x!fir.logical<4>> {
    ^bb0(%i: index):
      %p = hlfir.designate %a#0 (%i) : (!fir.box<!fir.array<?xf32>>, index) -> !fir.ref<f32>
      %v = fir.load %p : !fir.ref<f32>
      %t = arith.cmpf ogt, %v, %x : f32
      %l = fir.convert %t : (i1) -> !fir.logical<4>
      hlfir.yield_element %l : !fir.logical<4>
    }
    hlfir.yield %mask : !hlfir.expr<?x!fir.logical<4>> cleanup {
      hlfir.destroy %mask : !hlfir.expr<?x!fir.logical<4>>
    }
  } do {
    hlfir.region_assign {
      hlfir.yield %x : f32
    } to {
      hlfir.yield %a#0 : !fir.box<!fir.array<?xf32>>
    }
  }
  return
}

// -----

// A mask of other elements than the one that is assigned to is evaluated first, into device memory.
// CHECK-LABEL: func.func @reversed_where
// CHECK: %[[MASK:.*]]:2 = hlfir.declare {{.*}}uniq_name = ".aside"
// CHECK: cuf.kernel<<<*, *>>> (%[[I:[^ ]*]] : index)
// CHECK: arith.cmpf ogt
// CHECK: fir.store %{{.*}} to %{{.*}} : !fir.ref<!fir.logical<4>>
// CHECK: cuf.kernel<<<*, *>>> (%[[J:[^ ]*]] : index)
// CHECK: hlfir.designate %[[MASK]]#0 (%[[J]])
// CHECK: fir.if
// CHECK: fir.store %{{.*}} to %{{.*}} : !fir.ref<f32>
// CHECK: cuf.free
// CHECK-NOT: hlfir.where
func.func @reversed_where(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<device>}, %x: f32) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %c0 = arith.constant 0 : index
  %dims:3 = fir.box_dims %a#0, %c0 : (!fir.box<!fir.array<?xf32>>, index) -> (index, index, index)
  %shape = fir.shape %dims#1 : (index) -> !fir.shape<1>
  hlfir.where {
    %mask = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<?x!fir.logical<4>> {
    ^bb0(%i: index):
      %j = arith.subi %dims#1, %i : index
      %p = hlfir.designate %a#0 (%j) : (!fir.box<!fir.array<?xf32>>, index) -> !fir.ref<f32>
      %v = fir.load %p : !fir.ref<f32>
      %t = arith.cmpf ogt, %v, %x : f32
      %l = fir.convert %t : (i1) -> !fir.logical<4>
      hlfir.yield_element %l : !fir.logical<4>
    }
    hlfir.yield %mask : !hlfir.expr<?x!fir.logical<4>> cleanup {
      hlfir.destroy %mask : !hlfir.expr<?x!fir.logical<4>>
    }
  } do {
    hlfir.region_assign {
      hlfir.yield %x : f32
    } to {
      hlfir.yield %a#0 : !fir.box<!fir.array<?xf32>>
    }
  }
  return
}
