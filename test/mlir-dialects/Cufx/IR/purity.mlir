// Who a thread is and where its shared memory lies cannot change while it runs; everything else stays where it is.
// RUN: %cufort-opt --cse %s | FileCheck %s

// CHECK-LABEL: func.func @may_be_merged
func.func @may_be_merged(%at: i64) -> (i32, i32, !llvm.ptr, !llvm.ptr) {
  // CHECK: %[[T:.*]] = cufx.extent thread_idx x
  // CHECK-NOT: cufx.extent
  %0 = cufx.extent thread_idx x
  %1 = cufx.extent thread_idx x
  // CHECK: %[[S:.*]] = cufx.shared
  // CHECK-NOT: cufx.shared
  %2 = cufx.shared "dynamic" align 16 offset %at -> !llvm.ptr
  %3 = cufx.shared "dynamic" align 16 offset %at -> !llvm.ptr
  // CHECK: return %[[T]], %[[T]], %[[S]], %[[S]]
  return %0, %1, %2, %3 : i32, i32, !llvm.ptr, !llvm.ptr
}

// The results of these are not used, and two of each would be the same operation.
// CHECK-LABEL: func.func @stay
func.func @stay(%m: i32, %p: i32, %r: !fir.ref<i32>) {
  // CHECK-COUNT-2: cufx.barrier{{$}}
  cufx.barrier
  cufx.barrier
  // CHECK-COUNT-2: cufx.barrier reduce
  %0 = cufx.barrier reduce or %p : i32
  %1 = cufx.barrier reduce or %p : i32
  // CHECK-COUNT-2: cufx.warp_barrier
  cufx.warp_barrier %m
  cufx.warp_barrier %m
  // CHECK-COUNT-2: cufx.fence
  cufx.fence block
  cufx.fence block
  // CHECK-COUNT-2: cufx.clock
  %2 = cufx.clock : i64
  %3 = cufx.clock : i64
  // CHECK-COUNT-2: cufx.active_mask
  %4 = cufx.active_mask
  %5 = cufx.active_mask
  // CHECK-COUNT-2: cufx.vote
  %6 = cufx.vote all %m, %p
  %7 = cufx.vote all %m, %p
  // CHECK-COUNT-2: cufx.match
  %8 = cufx.match any %m, %p : i32
  %9 = cufx.match any %m, %p : i32
  // CHECK-COUNT-2: cufx.shuffle
  %10 = cufx.shuffle xor %m, %p, %p, %p : i32 -> i32
  %11 = cufx.shuffle xor %m, %p, %p, %p : i32 -> i32
  // CHECK-COUNT-2: cufx.atomic_rmw
  %12 = cufx.atomic_rmw add %r, %p : !fir.ref<i32>, i32 -> i32
  %13 = cufx.atomic_rmw add %r, %p : !fir.ref<i32>, i32 -> i32
  // CHECK-COUNT-2: cufx.atomic_cas
  %14 = cufx.atomic_cas %r, %p, %p : !fir.ref<i32>, i32, i32 -> i32
  %15 = cufx.atomic_cas %r, %p, %p : !fir.ref<i32>, i32, i32 -> i32
  // CHECK-COUNT-2: cufx.cached_load
  %16 = cufx.cached_load cv %r : !fir.ref<i32> -> i32
  %17 = cufx.cached_load cv %r : !fir.ref<i32> -> i32
  // CHECK-COUNT-2: cufx.cached_store
  cufx.cached_store wb %p to %r : i32, !fir.ref<i32>
  cufx.cached_store wb %p to %r : i32, !fir.ref<i32>
  // CHECK-COUNT-2: cufx.print
  cufx.print " hello\n"
  cufx.print " hello\n"
  return
}
