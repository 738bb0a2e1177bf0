// Groups of threads: size and rank from the predefined variables, ranks from 1.
// RUN: %cufort-opt --cufx-raise-device-intrinsics -split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @block
// CHECK-DAG: %[[BX:.*]] = cufx.extent block_dim x
// CHECK-DAG: %[[BY:.*]] = cufx.extent block_dim y
// CHECK: %[[AREA:.*]] = arith.muli %[[BX]], %[[BY]]
// CHECK: %[[BZ:.*]] = cufx.extent block_dim z
// CHECK: %[[SIZE:.*]] = arith.muli %[[AREA]], %[[BZ]]
// CHECK: cufx.extent thread_idx z
// CHECK: cufx.extent thread_idx y
// CHECK: %[[TX:.*]] = cufx.extent thread_idx x
// CHECK-NEXT: %[[RANK:.*]] = arith.addi %{{.*}}, %[[TX]]
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[FROM_ONE:.*]] = arith.addi %[[RANK]], %[[ONE]]
// CHECK: fir.insert_value %{{.*}}, %[[SIZE]], [0 : index]
// CHECK: %[[GROUP:.*]] = fir.insert_value %{{.*}}, %[[FROM_ONE]], [1 : index]
// CHECK: fir.store %[[GROUP]]
func.func private @__cufx_this_thread_block() -> !fir.type<thread_group{size:i32,rank:i32}>
func.func @block(%g: !fir.ref<!fir.type<thread_group{size:i32,rank:i32}>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = fir.call @__cufx_this_thread_block() : () -> !fir.type<thread_group{size:i32,rank:i32}>
  fir.save_result %0 to %g : !fir.type<thread_group{size:i32,rank:i32}>, !fir.ref<!fir.type<thread_group{size:i32,rank:i32}>>
  return
}

// -----

// CHECK-LABEL: func.func @warp
// CHECK: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK: cufx.warp_barrier %[[ALL]]
func.func private @__cufx_syncwarp_group(!fir.ref<!fir.type<coalesced_group{size:i32,rank:i32}>>)
func.func @warp(%g: !fir.ref<!fir.type<coalesced_group{size:i32,rank:i32}>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  fir.call @__cufx_syncwarp_group(%g) : (!fir.ref<!fir.type<coalesced_group{size:i32,rank:i32}>>) -> ()
  return
}
