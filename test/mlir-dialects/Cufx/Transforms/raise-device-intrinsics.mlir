// Calls of module cudadevice that wait for, ask about or exchange values with other threads become operations.
// RUN: %cufort-opt --cufx-raise-device-intrinsics %s | FileCheck %s --implicit-check-not='fir.call @__cufx_'

// CHECK-LABEL: func.func @barriers
// CHECK-SAME: (%[[P:.*]]: i32, %[[L:.*]]: !fir.logical<4>)
func.func @barriers(%p: i32, %l: !fir.logical<4>) -> (i32, i32, i32) {
  // CHECK: cufx.barrier{{$}}
  fir.call @__cufx_syncthreads() : () -> ()
  // CHECK: %[[COUNT:.*]] = cufx.barrier reduce count %[[P]] : i32
  %count = fir.call @__cufx_syncthreads_count_i4(%p) : (i32) -> i32
  // A logical is a predicate as 1 or 0.
  // CHECK: %[[TRUE:.*]] = fir.convert %[[L]] : (!fir.logical<4>) -> i1
  // CHECK: %[[ONE:.*]] = fir.convert %[[TRUE]] : (i1) -> i32
  // CHECK: %[[AND:.*]] = cufx.barrier reduce and %[[ONE]] : i32
  %and = fir.call @__cufx_syncthreads_and_l4(%l) : (!fir.logical<4>) -> i32
  // CHECK: %[[OR:.*]] = cufx.barrier reduce or %[[P]] : i32
  %or = fir.call @__cufx_syncthreads_or_i4(%p) : (i32) -> i32
  // CHECK: %[[ALL:.*]] = arith.constant -1 : i32
  // CHECK: cufx.warp_barrier %[[ALL]]
  fir.call @__cufx_syncwarp() : () -> ()
  // CHECK: cufx.warp_barrier %[[P]]
  fir.call @__cufx_syncwarp_mask(%p) : (i32) -> ()
  // CHECK: return %[[COUNT]], %[[AND]], %[[OR]]
  return %count, %and, %or : i32, i32, i32
}

// CHECK-LABEL: func.func @fences
func.func @fences() {
  // CHECK: cufx.fence device
  fir.call @__cufx_threadfence() : () -> ()
  // CHECK: cufx.fence block
  fir.call @__cufx_threadfence_block() : () -> ()
  // CHECK: cufx.fence system
  fir.call @__cufx_threadfence_system() : () -> ()
  return
}

// The forms without a mask ask the whole warp; their logical results are made from 1 and 0.
// CHECK-LABEL: func.func @votes_of_the_whole_warp
// CHECK-SAME: (%[[L:.*]]: !fir.logical<4>, %[[P:.*]]: i32)
func.func @votes_of_the_whole_warp(%l: !fir.logical<4>, %p: i32) -> (!fir.logical<4>, !fir.logical<4>, i32) {
  // CHECK: %[[MASK:.*]] = arith.constant -1 : i32
  // CHECK: %[[ONE:.*]] = fir.convert %{{.*}} : (i1) -> i32
  // CHECK: %[[VOTE:.*]] = cufx.vote all %[[MASK]], %[[ONE]]
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK: %[[TRUE:.*]] = arith.cmpi ne, %[[VOTE]], %[[ZERO]] : i32
  // CHECK: %[[ALL:.*]] = fir.convert %[[TRUE]] : (i1) -> !fir.logical<4>
  %all = fir.call @__cufx_allthreads_l4(%l) : (!fir.logical<4>) -> !fir.logical<4>
  // CHECK: cufx.vote any
  // CHECK: %[[ANY:.*]] = fir.convert %{{.*}} : (i1) -> !fir.logical<4>
  %any = fir.call @__cufx_anythread_l4(%l) : (!fir.logical<4>) -> !fir.logical<4>
  // CHECK: %[[BALLOT:.*]] = cufx.vote ballot %{{.*}}, %[[P]]
  %ballot = fir.call @__cufx_ballot_i4(%p) : (i32) -> i32
  // CHECK: return %[[ALL]], %[[ANY]], %[[BALLOT]]
  return %all, %any, %ballot : !fir.logical<4>, !fir.logical<4>, i32
}

// A predicate keeps all of its bits: any non-zero integer is true.
// CHECK-LABEL: func.func @votes_of_a_mask
// CHECK-SAME: (%[[MASK:.*]]: i32, %[[P:.*]]: i32)
func.func @votes_of_a_mask(%mask: i32, %p: i32) -> (i32, i32, i32, i32) {
  // CHECK-NEXT: %[[ALL:.*]] = cufx.vote all %[[MASK]], %[[P]]
  %all = fir.call @__cufx_all_sync_i4(%mask, %p) : (i32, i32) -> i32
  // CHECK-NEXT: %[[ANY:.*]] = cufx.vote any %[[MASK]], %[[P]]
  %any = fir.call @__cufx_any_sync_i4(%mask, %p) : (i32, i32) -> i32
  // CHECK-NEXT: %[[BALLOT:.*]] = cufx.vote ballot %[[MASK]], %[[P]]
  %ballot = fir.call @__cufx_ballot_sync_i4(%mask, %p) : (i32, i32) -> i32
  // CHECK-NEXT: %[[ACTIVE:.*]] = cufx.active_mask
  %active = fir.call @__cufx_activemask() : () -> i32
  // CHECK-NEXT: return %[[ALL]], %[[ANY]], %[[BALLOT]], %[[ACTIVE]]
  return %all, %any, %ballot, %active : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @matches
// CHECK-SAME: (%[[MASK:.*]]: i32, %[[V:.*]]: f64, %[[FLAG:.*]]: !fir.ref<i32>, %[[TRUTH:.*]]: !fir.ref<!fir.logical<4>>)
func.func @matches(%mask: i32, %v: f64, %flag: !fir.ref<i32>, %truth: !fir.ref<!fir.logical<4>>) -> (i32, i32) {
  // CHECK: %[[ANY:.*]] = cufx.match any %[[MASK]], %[[V]] : f64
  %any = fir.call @__cufx_match_any_sync_r8(%mask, %v) : (i32, f64) -> i32
  // CHECK: %[[ALL:.*]], %[[EQUAL:.*]] = cufx.match all %[[MASK]], %[[V]] : f64 -> i32
  // CHECK: fir.store %[[EQUAL]] to %[[FLAG]] : !fir.ref<i32>
  %all = fir.call @__cufx_match_all_sync_r8(%mask, %v, %flag) : (i32, f64, !fir.ref<i32>) -> i32
  // CHECK: %{{.*}}, %[[EQUAL:.*]] = cufx.match all
  // CHECK: %[[I1:.*]] = arith.cmpi ne, %[[EQUAL]], %{{.*}} : i32
  // CHECK: %[[L:.*]] = fir.convert %[[I1]] : (i1) -> !fir.logical<4>
  // CHECK: fir.store %[[L]] to %[[TRUTH]] : !fir.ref<!fir.logical<4>>
  %both = fir.call @__cufx_match_all_sync_r8(%mask, %v, %truth) : (i32, f64, !fir.ref<!fir.logical<4>>) -> i32
  // CHECK: return %[[ANY]], %[[ALL]]
  return %any, %all : i32, i32
}

// CHECK-LABEL: func.func @clocks
func.func @clocks() -> (i32, i64) {
  // CHECK: %[[C:.*]] = cufx.clock : i32
  %0 = fir.call @__cufx_clock() : () -> i32
  // CHECK: %[[C64:.*]] = cufx.clock : i64
  %1 = fir.call @__cufx_clock64() : () -> i64
  // CHECK: return %[[C]], %[[C64]]
  return %0, %1 : i32, i64
}
