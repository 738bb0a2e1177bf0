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

// Device code, and arrays that the host can read, stay as they are.
// CHECK-LABEL: func.func @device
// CHECK-NOT: cuf.kernel
// CHECK: hlfir.sum
func.func @device(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<device>}) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %0 = hlfir.sum %a#0 : (!fir.box<!fir.array<?xf32>>) -> f32
  return %0 : f32
}
// CHECK-LABEL: func.func @managed
// CHECK-NOT: cuf.kernel
// CHECK: hlfir.sum
func.func @managed(%arg0: !fir.box<!fir.array<?xf32>> {cuf.data_attr = #cuf.cuda<managed>}) -> f32 {
  %a:2 = hlfir.declare %arg0 {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEa"} : (!fir.box<!fir.array<?xf32>>) -> (!fir.box<!fir.array<?xf32>>, !fir.box<!fir.array<?xf32>>)
  %0 = hlfir.sum %a#0 : (!fir.box<!fir.array<?xf32>>) -> f32
  return %0 : f32
}
