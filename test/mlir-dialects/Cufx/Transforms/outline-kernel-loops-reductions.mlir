// A reduction starts at its neutral element in each thread, is combined over the grid, and then with the variable.
// RUN: %cufort-opt --cufx-outline-kernel-loops %s | FileCheck %s

// CHECK-LABEL: func.func @sum_and_maximum
// CHECK-SAME: (%[[N:.*]]: index, %[[S:.*]]: !fir.ref<f32>, %[[M:.*]]: !fir.ref<i32>, %[[X:.*]]: f32, %[[STREAM:.*]]: i64)
func.func @sum_and_maximum(%n: index, %s: !fir.ref<f32>, %m: !fir.ref<i32>, %x: f32, %stream: i64)
    attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  // 16 bytes for each reduction.
  // CHECK: %[[RESULTS:.*]] = fir.alloca !fir.array<4xi64>
  // The runtime knows how many blocks the device takes.
  // CHECK: %[[GRID:.*]], %y, %z = cufx.reduction_grid @_QQcufkernel_sum_and_maximum_1 needed(%{{.*}}, %{{.*}}, %{{.*}}) given %{{.*}} block(%{{.*}}, %{{.*}}, %{{.*}}) count 2 arguments(%[[X]], %{{.*}}, %{{.*}} : f32, i64, !fir.ref<i8>)
  // CHECK: %[[XY:.*]] = arith.muli %[[GRID]], %{{.*}} : i64
  // CHECK: %[[BLOCKS:.*]] = arith.muli %[[XY]], %{{.*}} : i64
  // CHECK: %[[SCRATCH:.*]] = cufx.reduction_scratch blocks %[[BLOCKS]] count 2 stream(%[[STREAM]]) -> !fir.ref<i8>
  // CHECK: cufx.launch @_QQcufkernel_sum_and_maximum_1 grid(%[[GRID]], {{.*}}) stream(%[[STREAM]]) args({{.*}}%[[SCRATCH]] :
  // CHECK: %[[HOST:.*]] = fir.convert %[[RESULTS]] : (!fir.ref<!fir.array<4xi64>>) -> !fir.ref<i8>
  // CHECK: cufx.reduction_fetch %[[SCRATCH]] to %[[HOST]] count 2 stream(%[[STREAM]])
  // CHECK: %[[AT:.*]] = arith.constant 0 : index
  // CHECK: %[[SLOT:.*]] = fir.coordinate_of %[[RESULTS]], %[[AT]]
  // CHECK: %[[SLOT0:.*]] = fir.convert %[[SLOT]] : (!fir.ref<i64>) -> !fir.ref<f32>
  // CHECK: %[[OLD:.*]] = fir.load %[[S]] : !fir.ref<f32>
  // CHECK: %[[SUM:.*]] = fir.load %[[SLOT0]] : !fir.ref<f32>
  // CHECK: %[[NEW:.*]] = arith.addf %[[SUM]], %[[OLD]] : f32
  // CHECK: fir.store %[[NEW]] to %[[S]]
  // CHECK: %[[AT:.*]] = arith.constant 2 : index
  // CHECK: %[[SLOT:.*]] = fir.coordinate_of %[[RESULTS]], %[[AT]]
  // CHECK: %[[SLOT1:.*]] = fir.convert %[[SLOT]] : (!fir.ref<i64>) -> !fir.ref<i32>
  // CHECK: %[[OLD:.*]] = fir.load %[[M]] : !fir.ref<i32>
  // CHECK: %[[MAX:.*]] = fir.load %[[SLOT1]] : !fir.ref<i32>
  // CHECK: %[[GREATER:.*]] = arith.cmpi sgt, %[[OLD]], %[[MAX]] : i32
  // CHECK: %[[NEW:.*]] = arith.select %[[GREATER]], %[[OLD]], %[[MAX]] : i32
  // CHECK: fir.store %[[NEW]] to %[[M]]
  %cover = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %i = arith.constant 5 : i32
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%cover, %one, %one) block(%one, %one, %one) stream(%stream)
      reduce [0, 2](%s, %m : !fir.ref<f32>, !fir.ref<i32>) {
  ^bb0(%index: index):
    %0 = fir.load %s : !fir.ref<f32>
    %1 = arith.addf %0, %x : f32
    fir.store %1 to %s : !fir.ref<f32>
    fir.store %i to %m : !fir.ref<i32>
    cufx.loops_end
  }
  return
}

// The kernel changes a device variable itself, and nobody waits.
// CHECK-LABEL: func.func @device_variable
func.func @device_variable(%n: index, %ref: !fir.ref<f64>) {
  // CHECK: %[[S:.*]] = fir.declare
  // CHECK: %[[SCRATCH:.*]] = cufx.reduction_scratch
  // CHECK: cufx.launch {{.*}} args(%{{.*}}, %[[SCRATCH]], %[[S]] :
  // CHECK-NEXT: cufx.reduction_release %[[SCRATCH]] : !fir.ref<i8>
  // CHECK-NEXT: return
  %s = fir.declare %ref {data_attr = #cuf.cuda<device>, uniq_name = "_QFEs"} : (!fir.ref<f64>) -> !fir.ref<f64>
  %one = arith.constant 1 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%one, %one, %one) block(%one, %one, %one)
      reduce [1](%s : !fir.ref<f64>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// The host waits for a managed variable.
// CHECK-LABEL: func.func @managed_variable
func.func @managed_variable(%n: index, %ref: !fir.ref<f64>) {
  // CHECK: %[[S:.*]] = fir.declare
  // CHECK: cufx.launch {{.*}} args({{.*}}, %[[S]] :
  // CHECK-NEXT: cufx.reduction_release %{{.*}} wait
  // CHECK-NEXT: return
  %s = fir.declare %ref {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEs"} : (!fir.ref<f64>) -> !fir.ref<f64>
  %one = arith.constant 1 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%one, %one, %one) block(%one, %one, %one)
      reduce [0](%s : !fir.ref<f64>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// The scratch memory is the last parameter.
// CHECK-LABEL: func.func @_QQcufkernel_sum_and_maximum_1
// CHECK-SAME: (%[[X:.*]]: f32, %{{.*}}: i64, %[[SCRATCH:.*]]: !fir.ref<i8>)
// CHECK: %[[S:.*]] = fir.alloca f32
// CHECK: %[[M:.*]] = fir.alloca i32
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: fir.store %[[ZERO]] to %[[S]]
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: fir.store %[[LEAST]] to %[[M]]
// CHECK: %[[OLD:.*]] = fir.load %[[S]]
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[X]]
// CHECK: fir.store %[[NEW]] to %[[S]]
// CHECK: %[[SUM:.*]] = fir.load %[[S]]
// CHECK-NEXT: cufx.grid_reduce add %[[SUM]] into %[[SCRATCH]]{{\[}}0] : f32, !fir.ref<i8>
// CHECK-NEXT: %[[MAX:.*]] = fir.load %[[M]]
// CHECK-NEXT: cufx.grid_reduce max %[[MAX]] into %[[SCRATCH]]{{\[}}1] : i32, !fir.ref<i8>
// CHECK-NEXT: return

// The result is combined with a variable behind an address that the launch passes.
// CHECK-LABEL: func.func @_QQcufkernel_device_variable_1
// CHECK-SAME: %[[SCRATCH:[^ ]*]]: !fir.ref<i8>, %[[S:.*]]: !fir.ref<f64> {cuf.data_attr = #cuf.cuda<device>})
// CHECK: cufx.grid_reduce mul %{{.*}} into %[[SCRATCH]]{{\[}}0] combined with %[[S]] : !fir.ref<f64> : f64, !fir.ref<i8>
