// Checks of subscripts and pointers stand before the references.
// RUN: %cufort-opt "--cufx-check-accesses=host-subscripts=true pointers=true" %s | FileCheck %s
// RUN: %cufort-opt "--cufx-check-accesses=device-subscripts=true" %s | FileCheck %s --check-prefix=DEVICE

// CHECK-LABEL: func.func @element
// CHECK: %[[LOW:.*]] = arith.cmpi slt, %[[I:.*]], %{{.*}} : i64
// CHECK: %[[HIGH:.*]] = arith.cmpi sgt, %[[I]], %{{.*}} : i64
// CHECK: %[[BAD:.*]] = arith.ori %[[LOW]], %[[HIGH]]
// CHECK: fir.if %[[BAD]] {
// CHECK-NEXT: cufx.subscript_error "a" dim 1 %[[I]] in
// CHECK: hlfir.designate
// DEVICE-LABEL: func.func @element
// DEVICE-NOT: cufx.subscript_error
func.func @element(%d: !fir.ref<!fir.array<10xf32>>, %i: i64) {
  %c10 = arith.constant 10 : index
  %0 = fir.shape %c10 : (index) -> !fir.shape<1>
  %1:2 = hlfir.declare %d(%0) {uniq_name = "_QFEa"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %2 = hlfir.designate %1#0 (%i) : (!fir.ref<!fir.array<10xf32>>, i64) -> !fir.ref<f32>
  return
}

// Constants between the bounds need no check, also where lower bounds are given.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: cufx.subscript_error
// CHECK: hlfir.designate
// CHECK-NOT: cufx.subscript_error
// CHECK: hlfir.designate
// CHECK: cufx.subscript_error "c" dim 1
// CHECK: hlfir.designate
// CHECK: cufx.subscript_error "c" dim 1
// CHECK: hlfir.designate
func.func @constants(%d: !fir.ref<!fir.array<10xf32>>) {
  %c10 = arith.constant 10 : index
  %first = arith.constant -2 : index
  %0 = fir.shape_shift %first, %c10 : (index, index) -> !fir.shapeshift<1>
  %1:2 = hlfir.declare %d(%0) {uniq_name = "_QFEc"} : (!fir.ref<!fir.array<10xf32>>, !fir.shapeshift<1>) -> (!fir.box<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %c7 = arith.constant 7 : index
  %2 = hlfir.designate %1#0 (%first) : (!fir.box<!fir.array<10xf32>>, index) -> !fir.ref<f32>
  %3 = hlfir.designate %1#0 (%c7) : (!fir.box<!fir.array<10xf32>>, index) -> !fir.ref<f32>
  %below = arith.constant -3 : i64
  %c8 = arith.constant 8 : i64
  %4 = hlfir.designate %1#0 (%below) : (!fir.box<!fir.array<10xf32>>, i64) -> !fir.ref<f32>
  %5 = hlfir.designate %1#0 (%c8) : (!fir.box<!fir.array<10xf32>>, i64) -> !fir.ref<f32>
  return
}

// The last dimension of an assumed-size array ends nowhere.
// CHECK-LABEL: func.func @assumed_size
// CHECK: cufx.subscript_error "b" dim 1
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi sgt
// CHECK: cufx.subscript_error "b" dim 2
func.func @assumed_size(%d: !fir.ref<!fir.array<4x?xf32>>, %i: i64) {
  %c4 = arith.constant 4 : index
  %open = fir.assumed_size_extent : index
  %0 = fir.shape %c4, %open : (index, index) -> !fir.shape<2>
  %1:2 = hlfir.declare %d(%0) {uniq_name = "_QFEb"} : (!fir.ref<!fir.array<4x?xf32>>, !fir.shape<2>) -> (!fir.box<!fir.array<4x?xf32>>, !fir.ref<!fir.array<4x?xf32>>)
  %2 = hlfir.designate %1#0 (%i, %i) : (!fir.box<!fir.array<4x?xf32>>, i64, i64) -> !fir.ref<f32>
  return
}

// CHECK-LABEL: func.func @pointer
// CHECK: %[[BOX:.*]] = fir.load
// CHECK: fir.box_addr %[[BOX]]
// CHECK: fir.if
// CHECK-NEXT: cufx.null_error "p"
// DEVICE-LABEL: func.func @pointer
// DEVICE-NOT: cufx.null_error
func.func @pointer(%d: !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>, %i: i64) {
  %0:2 = hlfir.declare %d {uniq_name = "_QFEp"} : (!fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>) -> (!fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>, !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>)
  %1 = fir.load %0#0 : !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>
  %2 = hlfir.designate %1 (%i) : (!fir.box<!fir.ptr<!fir.array<?xf32>>>, i64) -> !fir.ref<f32>
  return
}

// Those in device code are in functions of their own.
// DEVICE-LABEL: func.func @kernel
// DEVICE: %[[BAD:.*]] = arith.ori
// DEVICE: fir.call @"[[FUNCTION:cufortCheck[^"]*]]"(%[[BAD]],
// CHECK-LABEL: func.func @kernel
// CHECK-NOT: cufx.subscript_error
func.func @kernel(%d: !fir.ref<!fir.array<10xf32>>, %i: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c10 = arith.constant 10 : index
  %0 = fir.shape %c10 : (index) -> !fir.shape<1>
  %1:2 = hlfir.declare %d(%0) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEc"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %2 = hlfir.designate %1#0 (%i) : (!fir.ref<!fir.array<10xf32>>, i64) -> !fir.ref<f32>
  return
}

// Both sides of a transfer have the same extents.
// CHECK-LABEL: func.func @transfer
// CHECK: %[[SOURCE:.*]] = fir.convert %{{.*}} : (index) -> i64
// CHECK: %[[TARGET:.*]] = fir.convert %{{.*}} : (index) -> i64
// CHECK: %[[DIFFER:.*]] = arith.cmpi ne, %[[SOURCE]], %[[TARGET]] : i64
// CHECK: fir.if %[[DIFFER]] {
// CHECK-NEXT: cufx.extent_error dim 1 %[[SOURCE]] to %[[TARGET]]
// CHECK: cuf.data_transfer
// DEVICE-LABEL: func.func @transfer
// DEVICE-NOT: cufx.extent_error
// DEVICE: func.func @"[[FUNCTION]]"(%[[IS_BAD:.*]]: i1,
// DEVICE: fir.if %[[IS_BAD]]
// DEVICE-NEXT: cufx.subscript_error "c" dim 1
func.func @transfer(%d: !fir.box<!fir.array<?xf32>>, %h: !fir.box<!fir.array<?xf32>>) {
  cuf.data_transfer %h to %d {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>
  return
}

// An allocatable array takes the shape of the right side.
// CHECK-LABEL: func.func @allocated
// CHECK-NOT: cufx.extent_error
func.func @allocated(%d: !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>, %h: !fir.box<!fir.array<?xf32>>) {
  cuf.data_transfer %h to %d {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.array<?xf32>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
  return
}
