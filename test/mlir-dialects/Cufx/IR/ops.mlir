// Every operation of cufx is printed so that it can be read again.
// RUN: %cufort-opt %s | %cufort-opt | FileCheck %s

// CHECK-LABEL: func.func @identity
func.func @identity() -> (i32, i32, i64) {
  // CHECK: %{{.*}} = cufx.extent thread_idx x
  %t = cufx.extent thread_idx x
  // CHECK: %{{.*}} = cufx.clock : i32
  %c32 = cufx.clock : i32
  // CHECK: %{{.*}} = cufx.clock : i64
  %c64 = cufx.clock : i64
  return %t, %c32, %c64 : i32, i32, i64
}

// CHECK-LABEL: func.func @waiting
// CHECK-SAME: (%[[MASK:.*]]: i32, %[[P:.*]]: i32)
func.func @waiting(%mask: i32, %p: i32) -> i32 {
  // CHECK: cufx.barrier{{$}}
  cufx.barrier
  // CHECK: %[[N:.*]] = cufx.barrier reduce count %[[P]] : i32
  %n = cufx.barrier reduce count %p : i32
  // CHECK: cufx.warp_barrier %[[MASK]]
  cufx.warp_barrier %mask
  // CHECK: cufx.cluster_barrier{{$}}
  cufx.cluster_barrier
  // CHECK: cufx.fence device
  cufx.fence device
  // CHECK: return %[[N]]
  return %n : i32
}

// CHECK-LABEL: func.func @warp
// CHECK-SAME: (%[[MASK:.*]]: i32, %[[I:.*]]: i32, %[[D:.*]]: f64, %[[LANE:.*]]: i32, %[[CLAMP:.*]]: i32)
func.func @warp(%mask: i32, %i: i32, %d: f64, %lane: i32, %clamp: i32) {
  // CHECK: %{{.*}} = cufx.active_mask
  %active = cufx.active_mask
  // CHECK: %{{.*}} = cufx.vote ballot %[[MASK]], %[[I]]
  %vote = cufx.vote ballot %mask, %i
  // CHECK: %{{.*}} = cufx.match any %[[MASK]], %[[D]] : f64
  %any = cufx.match any %mask, %d : f64
  // CHECK: %{{.*}}, %{{.*}} = cufx.match all %[[MASK]], %[[I]] : i32 -> i32
  %all, %equal = cufx.match all %mask, %i : i32 -> i32
  // CHECK: %{{.*}} = cufx.shuffle down %[[MASK]], %[[D]], %[[LANE]], %[[CLAMP]] : f64 -> f64
  %s = cufx.shuffle down %mask, %d, %lane, %clamp : f64 -> f64
  return
}

// CHECK-LABEL: func.func @clusters
// CHECK-SAME: (%[[R:.*]]: !fir.ref<f32>, %[[RANK:.*]]: i32)
func.func @clusters(%r: !fir.ref<f32>, %rank: i32) -> (i32, i32, i64) {
  // CHECK: %{{.*}} = cufx.extent cluster_block_idx y
  %i = cufx.extent cluster_block_idx y
  // CHECK: %{{.*}} = cufx.extent cluster_dim z
  %d = cufx.extent cluster_dim z
  // CHECK: %{{.*}} = cufx.map_shared %[[R]], %[[RANK]] : !fir.ref<f32>
  %m = cufx.map_shared %r, %rank : !fir.ref<f32>
  return %i, %d, %m : i32, i32, i64
}

// Memory is a FIR reference, or an LLVM pointer once FIR has been lowered.
// CHECK-LABEL: func.func @memory
// CHECK-SAME: (%[[R:.*]]: !fir.ref<f32>, %[[P:.*]]: !llvm.ptr, %[[V:.*]]: f32)
func.func @memory(%r: !fir.ref<f32>, %p: !llvm.ptr, %v: f32) {
  // CHECK: %{{.*}} = cufx.atomic_rmw add %[[R]], %[[V]] : !fir.ref<f32>, f32 -> f32
  %a = cufx.atomic_rmw add %r, %v : !fir.ref<f32>, f32 -> f32
  // CHECK: %{{.*}} = cufx.atomic_rmw exch %[[P]], %[[V]] : !llvm.ptr, f32 -> f32
  %e = cufx.atomic_rmw exch %p, %v : !llvm.ptr, f32 -> f32
  // CHECK: %{{.*}} = cufx.atomic_cas %[[R]], %{{.*}}, %[[V]] : !fir.ref<f32>, f32, f32 -> f32
  %c = cufx.atomic_cas %r, %a, %v : !fir.ref<f32>, f32, f32 -> f32
  // CHECK: %[[L:.*]] = cufx.cached_load cg %[[R]] : !fir.ref<f32> -> f32
  %l = cufx.cached_load cg %r : !fir.ref<f32> -> f32
  // CHECK: cufx.cached_store wt %[[L]] to %[[P]] : f32, !llvm.ptr
  cufx.cached_store wt %l to %p : f32, !llvm.ptr
  return
}

// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[AT:.*]]: i64)
func.func @shared(%at: i64) {
  // CHECK: %{{.*}} = cufx.shared "k_tile" bytes 1024 align 4 -> !fir.ref<!fir.array<256xf32>>
  %0 = cufx.shared "k_tile" bytes 1024 align 4 -> !fir.ref<!fir.array<256xf32>>
  // CHECK: %{{.*}} = cufx.shared "dynamic" align 16 offset %[[AT]] -> !fir.ref<!fir.array<?xi32>>
  %1 = cufx.shared "dynamic" align 16 offset %at -> !fir.ref<!fir.array<?xi32>>
  // CHECK: %{{.*}} = cufx.shared "dynamic" align 16 -> !llvm.ptr
  %2 = cufx.shared "dynamic" align 16 -> !llvm.ptr
  return
}

// CHECK-LABEL: func.func @output
// CHECK-SAME: (%[[I:.*]]: i32, %[[D:.*]]: f64)
func.func @output(%i: i32, %d: f64) {
  // CHECK: cufx.print " done\0A"
  cufx.print " done\n"
  // CHECK: cufx.print " %d %#.16g\0A", %[[I]], %[[D]] : i32, f64
  cufx.print " %d %#.16g\n", %i, %d : i32, f64
  // CHECK: cufx.trap "stop statement"
  cufx.trap "stop statement"
  return
}

// CHECK-LABEL: func.func @failed_checks
func.func @failed_checks(%i: i64, %l: i64, %u: i64) {
  // CHECK: cufx.subscript_error "a" dim 2 %{{.*}} in %{{.*}} to %{{.*}}
  cufx.subscript_error "a" dim 2 %i in %l to %u
  // CHECK: cufx.extent_error dim 1 %{{.*}} to %{{.*}}
  cufx.extent_error dim 1 %l to %u
  // CHECK: cufx.null_error "p"
  cufx.null_error "p"
  return
}
