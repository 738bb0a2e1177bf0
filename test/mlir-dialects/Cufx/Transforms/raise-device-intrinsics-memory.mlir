// Calls of the atomic functions, and of loads and stores with cache hints, become operations.
// RUN: %cufort-opt --cufx-raise-device-intrinsics %s | FileCheck %s --implicit-check-not='fir.call @__cufx_'

// CHECK-LABEL: func.func @atomics
// CHECK-SAME: (%[[M:.*]]: !fir.ref<i32>, %[[V:.*]]: i32)
func.func @atomics(%m: !fir.ref<i32>, %v: i32) {
  // CHECK-NEXT: cufx.atomic_rmw add %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %0 = fir.call @__cufx_atomicadd_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw sub %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %1 = fir.call @__cufx_atomicsub_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw max %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %2 = fir.call @__cufx_atomicmax_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw min %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %3 = fir.call @__cufx_atomicmin_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw and %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %4 = fir.call @__cufx_atomicand_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw or %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %5 = fir.call @__cufx_atomicor_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw xor %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %6 = fir.call @__cufx_atomicxor_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw exch %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %7 = fir.call @__cufx_atomicexch_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw inc %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %8 = fir.call @__cufx_atomicinc_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  // CHECK-NEXT: cufx.atomic_rmw dec %[[M]], %[[V]] : !fir.ref<i32>, i32 -> i32
  %9 = fir.call @__cufx_atomicdec_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
  return
}

// The type of a specific function is that of its arguments.
// CHECK-LABEL: func.func @types
func.func @types(%l: !fir.ref<i64>, %i: i64, %r: !fir.ref<f32>, %f: f32, %d: !fir.ref<f64>, %g: f64) {
  // CHECK-NEXT: cufx.atomic_rmw max %{{.*}}, %{{.*}} : !fir.ref<i64>, i64 -> i64
  %0 = fir.call @__cufx_atomicmax_i8(%l, %i) : (!fir.ref<i64>, i64) -> i64
  // CHECK-NEXT: cufx.atomic_rmw exch %{{.*}}, %{{.*}} : !fir.ref<f32>, f32 -> f32
  %1 = fir.call @__cufx_atomicexch_r4(%r, %f) : (!fir.ref<f32>, f32) -> f32
  // CHECK-NEXT: cufx.atomic_rmw sub %{{.*}}, %{{.*}} : !fir.ref<f64>, f64 -> f64
  %2 = fir.call @__cufx_atomicsub_r8(%d, %g) : (!fir.ref<f64>, f64) -> f64
  return
}

// The old value is the result, which a store uses here.
// CHECK-LABEL: func.func @compare_and_swap
// CHECK-SAME: (%[[M:.*]]: !fir.ref<f32>, %[[C:.*]]: f32, %[[V:.*]]: f32, %[[TO:.*]]: !fir.ref<f32>)
func.func @compare_and_swap(%m: !fir.ref<f32>, %c: f32, %v: f32, %to: !fir.ref<f32>) {
  // CHECK-NEXT: %[[OLD:.*]] = cufx.atomic_cas %[[M]], %[[C]], %[[V]] : !fir.ref<f32>, f32, f32 -> f32
  %old = fir.call @__cufx_atomiccas_r4(%m, %c, %v) : (!fir.ref<f32>, f32, f32) -> f32
  // CHECK-NEXT: fir.store %[[OLD]] to %[[TO]]
  fir.store %old to %to : !fir.ref<f32>
  return
}

// CHECK-LABEL: func.func @loads
// CHECK-SAME: (%[[M:.*]]: !fir.ref<f64>)
func.func @loads(%m: !fir.ref<f64>) {
  // CHECK-NEXT: cufx.cached_load ca %[[M]] : !fir.ref<f64> -> f64
  %0 = fir.call @__cufx_ldca_r8(%m) : (!fir.ref<f64>) -> f64
  // CHECK-NEXT: cufx.cached_load cg %[[M]] : !fir.ref<f64> -> f64
  %1 = fir.call @__cufx_ldcg_r8(%m) : (!fir.ref<f64>) -> f64
  // CHECK-NEXT: cufx.cached_load cs %[[M]] : !fir.ref<f64> -> f64
  %2 = fir.call @__cufx_ldcs_r8(%m) : (!fir.ref<f64>) -> f64
  // CHECK-NEXT: cufx.cached_load lu %[[M]] : !fir.ref<f64> -> f64
  %3 = fir.call @__cufx_ldlu_r8(%m) : (!fir.ref<f64>) -> f64
  // CHECK-NEXT: cufx.cached_load cv %[[M]] : !fir.ref<f64> -> f64
  %4 = fir.call @__cufx_ldcv_r8(%m) : (!fir.ref<f64>) -> f64
  return
}

// CHECK-LABEL: func.func @stores
// CHECK-SAME: (%[[M:.*]]: !fir.ref<i64>, %[[V:.*]]: i64)
func.func @stores(%m: !fir.ref<i64>, %v: i64) {
  // CHECK-NEXT: cufx.cached_store wb %[[V]] to %[[M]] : i64, !fir.ref<i64>
  fir.call @__cufx_stwb_i8(%m, %v) : (!fir.ref<i64>, i64) -> ()
  // CHECK-NEXT: cufx.cached_store cg %[[V]] to %[[M]] : i64, !fir.ref<i64>
  fir.call @__cufx_stcg_i8(%m, %v) : (!fir.ref<i64>, i64) -> ()
  // CHECK-NEXT: cufx.cached_store cs %[[V]] to %[[M]] : i64, !fir.ref<i64>
  fir.call @__cufx_stcs_i8(%m, %v) : (!fir.ref<i64>, i64) -> ()
  // CHECK-NEXT: cufx.cached_store wt %[[V]] to %[[M]] : i64, !fir.ref<i64>
  fir.call @__cufx_stwt_i8(%m, %v) : (!fir.ref<i64>, i64) -> ()
  return
}
