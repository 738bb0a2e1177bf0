// Checks of subscripts and pointers stand before the references. What reports them is in functions of their own, those of
// later references first; in host code these have the line as their last argument and are those of all lines.
// RUN: %cufort-opt "--cufx-check-accesses=host-subscripts=true pointers=true" %s | FileCheck %s
// RUN: %cufort-opt "--cufx-check-accesses=host-subscripts=true pointers=true" %s | FileCheck %s --check-prefix=FUNCTIONS
// RUN: %cufort-opt "--cufx-check-accesses=device-subscripts=true" %s | FileCheck %s --check-prefix=DEVICE

// FUNCTIONS: func.func @"cufortCheck.host.p.1.
// FUNCTIONS: func.func @"cufortCheck.host.p.null.1{{[^"]*}}"(%[[NULL:.*]]: i1, %{{.*}}: i32)
// FUNCTIONS-NEXT: fir.if %[[NULL]] {
// FUNCTIONS-NEXT: cufx.null_error "p"
// FUNCTIONS: func.func @"cufortCheck.host.b.2.3{{[^"]*}}"(%{{.*}}: i1, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32)
// FUNCTIONS: cufx.subscript_error "b" dim 2
// FUNCTIONS: func.func @"cufortCheck.host.b.1.4{{[^"]*}}"(
// FUNCTIONS: cufx.subscript_error "b" dim 1
// FUNCTIONS: func.func @"cufortCheck.host.c.1.4{{[^"]*}}"(
// FUNCTIONS-NOT: cufortCheck.host.c
// FUNCTIONS: func.func @"cufortCheck.host.a.1.4{{[^"]*}}"(%[[BAD:.*]]: i1, %[[I:.*]]: i64, %[[LOW:.*]]: i64, %[[HIGH:.*]]: i64, %{{.*}}: i32)
// FUNCTIONS-SAME: cufx.file_of_checks = "{{.*}}check-accesses.mlir"
// FUNCTIONS-NEXT: fir.if %[[BAD]] {
// FUNCTIONS-NEXT: cufx.subscript_error "a" dim 1 %[[I]] in %[[LOW]]
// FUNCTIONS: func.func @"cufortCheck.host.extent.1.3{{[^"]*}}"(%[[DIFFER:.*]]: i1, %[[SOURCE:.*]]: i64, %[[TARGET:.*]]: i64, %{{.*}}: i32)
// FUNCTIONS-NEXT: fir.if %[[DIFFER]] {
// FUNCTIONS-NEXT: cufx.extent_error dim 1 %[[SOURCE]] to %[[TARGET]]
// FUNCTIONS-NOT: cufortCheck{{[^(]*}}(%{{.*}}: i1
// FUNCTIONS: func.func @element

// DEVICE: func.func @"[[FUNCTION:cufortCheck[^"]*]]"(%[[IS_BAD:.*]]: i1,
// DEVICE: fir.if %[[IS_BAD]]
// DEVICE-NEXT: cufx.subscript_error "c" dim 1

// CHECK-LABEL: func.func @element
// CHECK: %[[LOW:.*]] = arith.cmpi slt, %[[I:.*]], %{{.*}} : i64
// CHECK: %[[HIGH:.*]] = arith.cmpi sgt, %[[I]], %{{.*}} : i64
// CHECK: %[[BAD:.*]] = arith.ori %[[LOW]], %[[HIGH]]
// CHECK: fir.call @"cufortCheck.host.a.1.4{{[^"]*}}"(%[[BAD]], %[[I]], %{{.*}}, %{{.*}}, %c[[#@LINE+8]]_i32)
// CHECK: hlfir.designate
// DEVICE-LABEL: func.func @element
// DEVICE-NOT: fir.call
func.func @element(%d: !fir.ref<!fir.array<10xf32>>, %i: i64) {
  %c10 = arith.constant 10 : index
  %0 = fir.shape %c10 : (index) -> !fir.shape<1>
  %1:2 = hlfir.declare %d(%0) {uniq_name = "_QFEa"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %2 = hlfir.designate %1#0 (%i) : (!fir.ref<!fir.array<10xf32>>, i64) -> !fir.ref<f32>
  return
}

// Constants between the bounds need no check, also where lower bounds are given.
// CHECK-LABEL: func.func @constants
// CHECK-NOT: fir.call
// CHECK: hlfir.designate
// CHECK-NOT: fir.call
// CHECK: hlfir.designate
// CHECK: fir.call @"cufortCheck.host.c.1
// CHECK: hlfir.designate
// CHECK: fir.call @"cufortCheck.host.c.1
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
// CHECK: fir.call @"cufortCheck.host.b.1
// CHECK: arith.cmpi slt
// CHECK-NOT: arith.cmpi sgt
// CHECK: fir.call @"cufortCheck.host.b.2
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
// CHECK: fir.call @"cufortCheck.host.p.null
// DEVICE-LABEL: func.func @pointer
// DEVICE-NOT: fir.call
func.func @pointer(%d: !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>, %i: i64) {
  %0:2 = hlfir.declare %d {uniq_name = "_QFEp"} : (!fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>) -> (!fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>, !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>)
  %1 = fir.load %0#0 : !fir.ref<!fir.box<!fir.ptr<!fir.array<?xf32>>>>
  %2 = hlfir.designate %1 (%i) : (!fir.box<!fir.ptr<!fir.array<?xf32>>>, i64) -> !fir.ref<f32>
  return
}

// DEVICE-LABEL: func.func @kernel
// DEVICE: %[[BAD:.*]] = arith.ori
// DEVICE: fir.call @"[[FUNCTION]]"(%[[BAD]],
// CHECK-LABEL: func.func @kernel
// CHECK-NOT: fir.call
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
// CHECK: fir.call @"cufortCheck.host.extent.1.3{{[^"]*}}"(%[[DIFFER]], %[[SOURCE]], %[[TARGET]], %{{.*}})
// CHECK: cuf.data_transfer
// DEVICE-LABEL: func.func @transfer
// DEVICE-NOT: fir.call
func.func @transfer(%d: !fir.box<!fir.array<?xf32>>, %h: !fir.box<!fir.array<?xf32>>) {
  cuf.data_transfer %h to %d {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>
  return
}

// An allocatable array takes the shape of the right side.
// CHECK-LABEL: func.func @allocated
// CHECK-NOT: fir.call
func.func @allocated(%d: !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>, %h: !fir.box<!fir.array<?xf32>>) {
  cuf.data_transfer %h to %d {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.array<?xf32>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
  return
}
