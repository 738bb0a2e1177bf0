// Reductions of device arrays in host code: a CUF kernel for one number, a host copy for the others, which lives as
// long as the result.
// RUN: %cufort-opt --cufx-repair-host-statements -split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @maximum
// CHECK: %[[RESULT:.*]]:2 = hlfir.declare %{{.*}} {uniq_name = ".reduction"}
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: fir.store %[[LEAST]] to %[[RESULT]]#0
// CHECK: cuf.kernel<<<*, *>>> reduce(%[[RESULT]]#0 : !fir.ref<i32> : [#fir.reduce_attr<max>]) (%[[J:.*]] : index, %[[I:.*]] : index)
// CHECK: %[[ELEMENT:.*]] = hlfir.designate %{{.*}} (%[[I]], %[[J]])
// CHECK: fir.load %[[ELEMENT]]
// CHECK: fir.store %{{.*}} to %[[RESULT]]#0
// CHECK: %[[MAX:.*]] = fir.load %[[RESULT]]#0
// CHECK: return %[[MAX]]
func.func @maximum(%arg0: !fir.box<!fir.array<?x?xi32>> {cuf.data_attr = #cuf.cuda<device>}) -> i32 {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?x?xi32>>) -> (!fir.box<!fir.array<?x?xi32>>, !fir.box<!fir.array<?x?xi32>>)
  %0 = hlfir.maxval %a#0 : (!fir.box<!fir.array<?x?xi32>>) -> i32
  return %0 : i32
}

// -----

// CHECK-LABEL: func.func @where_maximum
// CHECK: %[[COPY:.*]]:2 = hlfir.declare %[[MEMORY:.*]](%{{.*}}) {uniq_name = ".host"}
// CHECK: cuf.data_transfer %{{.*}} to %[[COPY]]#0 {transfer_kind = #cuf.cuda_transfer<device_host>}
// CHECK: hlfir.maxloc %[[COPY]]#0
// CHECK: hlfir.destroy
// CHECK-NEXT: fir.freemem %[[MEMORY]]
func.func @where_maximum(%arg0: !fir.box<!fir.array<?xi32>> {cuf.data_attr = #cuf.cuda<device>}, %k: !fir.ref<!fir.array<1xi32>>) {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xi32>>) -> (!fir.box<!fir.array<?xi32>>, !fir.box<!fir.array<?xi32>>)
  %0 = hlfir.maxloc %a#0 : (!fir.box<!fir.array<?xi32>>) -> !hlfir.expr<1xi32>
  hlfir.assign %0 to %k : !hlfir.expr<1xi32>, !fir.ref<!fir.array<1xi32>>
  hlfir.destroy %0 : !hlfir.expr<1xi32>
  return
}

// -----

// Device code stays as it is.
// CHECK-LABEL: func.func @device
// CHECK-NOT: cuf.kernel
// CHECK: hlfir.sum
func.func @device(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<device>}) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %0 = hlfir.sum %a#0 : (!fir.box<!fir.array<?xf32>>) -> f32
  return %0 : f32
}

// -----

// The host reads managed arrays, when kernels are done, unless there is much to read.
// CHECK-LABEL: func.func @managed
// CHECK: %[[MANY:.*]] = arith.constant 65536 : index
// CHECK: %[[ARE_MANY:.*]] = arith.cmpi sge, %{{.*}}, %[[MANY]] : index
// CHECK: fir.if %[[ARE_MANY]] -> (f32) {
// CHECK: cuf.kernel<<<*, *>>> reduce(
// CHECK: } else {
// CHECK: cufx.wait_for_managed %{{.*}} : !fir.ref<!fir.array<?xf32>>
// CHECK: hlfir.sum
func.func @managed(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<managed>}) -> f32 {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %0 = hlfir.sum %a#0 : (!fir.box<!fir.array<?xf32>>) -> f32
  return %0 : f32
}

// -----

// The wait comes before the expression.
// CHECK-LABEL: func.func @few
// CHECK-NOT: cuf.kernel
// CHECK: cufx.wait_for_managed %{{.*}} : !fir.ref<!fir.array<9xf32>>
// CHECK-NEXT: hlfir.elemental
// CHECK: hlfir.maxval
func.func @few(%arg0: !fir.ref<!fir.array<9xf32>> {cuf.data_attr = #cuf.cuda<managed>}) -> f32 {
  %c9 = arith.constant 9 : index
  %shape = fir.shape %c9 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %arg0(%shape) {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEa"} : (!fir.ref<!fir.array<9xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<9xf32>>, !fir.ref<!fir.array<9xf32>>)
  %twice = hlfir.elemental %shape : (!fir.shape<1>) -> !hlfir.expr<9xf32> {
  ^bb0(%i: index):
    %place = hlfir.designate %a#0 (%i) : (!fir.ref<!fir.array<9xf32>>, index) -> !fir.ref<f32>
    %value = fir.load %place : !fir.ref<f32>
    %sum = arith.addf %value, %value : f32
    hlfir.yield_element %sum : f32
  }
  %0 = hlfir.maxval %twice : (!hlfir.expr<9xf32>) -> f32
  hlfir.destroy %twice : !hlfir.expr<9xf32>
  return %0 : f32
}

// -----

// With -gpu=mem:managed, what is allocatable is managed; other arrays of the host are not.
module attributes {cufx.host_data = "managed"} {
// CHECK-LABEL: func.func @mode
// CHECK-NOT: cufx.wait_for_managed
// CHECK: hlfir.maxval
// CHECK: cufx.wait_for_managed
// CHECK-NEXT: hlfir.sum
func.func @mode(%arg0: !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>, %arg1: !fir.box<!fir.array<?xf32>>) -> f32 {
  %a:2 = hlfir.declare %arg0 {fortran_attrs = #fir.var_attrs<allocatable>, uniq_name = "_QFEa"} : (!fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>) -> (!fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>)
  %b:2 = hlfir.declare %arg1 {uniq_name = "_QFEb"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %0 = hlfir.maxval %b#0 : (!fir.box<!fir.array<?xf32>>) -> f32
  %1 = fir.load %a#0 : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
  %2 = hlfir.sum %1 : (!fir.box<!fir.heap<!fir.array<?xf32>>>) -> f32
  %3 = arith.addf %0, %2 : f32
  return %3 : f32
}
}
