// Every name that an operation of cufx can choose from is printed as it is read.
// RUN: %cufort-opt %s | %cufort-opt | FileCheck %s

// CHECK-LABEL: func.func @extents
func.func @extents() {
  // CHECK: cufx.extent thread_idx x
  %0 = cufx.extent thread_idx x
  // CHECK: cufx.extent block_idx y
  %1 = cufx.extent block_idx y
  // CHECK: cufx.extent block_dim z
  %2 = cufx.extent block_dim z
  // CHECK: cufx.extent grid_dim x
  %3 = cufx.extent grid_dim x
  return
}

// CHECK-LABEL: func.func @barriers_and_fences
func.func @barriers_and_fences(%p: i32) {
  // CHECK: cufx.barrier reduce count
  %0 = cufx.barrier reduce count %p : i32
  // CHECK: cufx.barrier reduce and
  %1 = cufx.barrier reduce and %p : i32
  // CHECK: cufx.barrier reduce or
  %2 = cufx.barrier reduce or %p : i32
  // CHECK: cufx.fence block
  cufx.fence block
  // CHECK: cufx.fence device
  cufx.fence device
  // CHECK: cufx.fence system
  cufx.fence system
  return
}

// CHECK-LABEL: func.func @warp
func.func @warp(%m: i32, %v: i32) {
  // CHECK: cufx.vote all
  %0 = cufx.vote all %m, %v
  // CHECK: cufx.vote any
  %1 = cufx.vote any %m, %v
  // CHECK: cufx.vote ballot
  %2 = cufx.vote ballot %m, %v
  // CHECK: cufx.shuffle idx
  %3 = cufx.shuffle idx %m, %v, %v, %v : i32 -> i32
  // CHECK: cufx.shuffle up
  %4 = cufx.shuffle up %m, %v, %v, %v : i32 -> i32
  // CHECK: cufx.shuffle down
  %5 = cufx.shuffle down %m, %v, %v, %v : i32 -> i32
  // CHECK: cufx.shuffle xor
  %6 = cufx.shuffle xor %m, %v, %v, %v : i32 -> i32
  return
}

// CHECK-LABEL: func.func @atomics
func.func @atomics(%r: !fir.ref<i64>, %v: i64) {
  // CHECK: cufx.atomic_rmw add
  %0 = cufx.atomic_rmw add %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw sub
  %1 = cufx.atomic_rmw sub %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw max
  %2 = cufx.atomic_rmw max %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw min
  %3 = cufx.atomic_rmw min %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw and
  %4 = cufx.atomic_rmw and %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw or
  %5 = cufx.atomic_rmw or %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw xor
  %6 = cufx.atomic_rmw xor %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw exch
  %7 = cufx.atomic_rmw exch %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw inc
  %8 = cufx.atomic_rmw inc %r, %v : !fir.ref<i64>, i64 -> i64
  // CHECK: cufx.atomic_rmw dec
  %9 = cufx.atomic_rmw dec %r, %v : !fir.ref<i64>, i64 -> i64
  return
}

// CHECK-LABEL: func.func @cache_hints
func.func @cache_hints(%r: !fir.ref<f32>, %v: f32) {
  // CHECK: cufx.cached_load ca
  %0 = cufx.cached_load ca %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_load cg
  %1 = cufx.cached_load cg %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_load cs
  %2 = cufx.cached_load cs %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_load lu
  %3 = cufx.cached_load lu %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_load cv
  %4 = cufx.cached_load cv %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_store wb
  cufx.cached_store wb %v to %r : f32, !fir.ref<f32>
  // CHECK: cufx.cached_store cg
  cufx.cached_store cg %v to %r : f32, !fir.ref<f32>
  // CHECK: cufx.cached_store cs
  cufx.cached_store cs %v to %r : f32, !fir.ref<f32>
  // CHECK: cufx.cached_store wt
  cufx.cached_store wt %v to %r : f32, !fir.ref<f32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%i: i32, %l: !fir.logical<4>, %to: !fir.ref<i8>) {
  // CHECK: cufx.grid_reduce add
  cufx.grid_reduce add %i into %to[0] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce mul
  cufx.grid_reduce mul %i into %to[1] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce max
  cufx.grid_reduce max %i into %to[2] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce min
  cufx.grid_reduce min %i into %to[3] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce iand
  cufx.grid_reduce iand %i into %to[4] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce ior
  cufx.grid_reduce ior %i into %to[5] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce ieor
  cufx.grid_reduce ieor %i into %to[6] : i32, !fir.ref<i8>
  // CHECK: cufx.grid_reduce land
  cufx.grid_reduce land %l into %to[7] : !fir.logical<4>, !fir.ref<i8>
  // CHECK: cufx.grid_reduce lor
  cufx.grid_reduce lor %l into %to[8] : !fir.logical<4>, !fir.ref<i8>
  return
}
