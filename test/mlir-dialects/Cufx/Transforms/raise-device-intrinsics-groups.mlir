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

// -----

// CHECK-LABEL: func.func @cluster
// CHECK-DAG: %[[DX:.*]] = cufx.extent cluster_dim x
// CHECK-DAG: %[[DY:.*]] = cufx.extent cluster_dim y
// CHECK: %[[AREA:.*]] = arith.muli %[[DX]], %[[DY]]
// CHECK: %[[DZ:.*]] = cufx.extent cluster_dim z
// CHECK: %[[SIZE:.*]] = arith.muli %[[AREA]], %[[DZ]]
// CHECK: cufx.extent cluster_block_idx z
// CHECK: cufx.extent cluster_block_idx y
// CHECK: cufx.extent cluster_block_idx x
// CHECK: fir.insert_value %{{.*}}, %[[SIZE]], [0 : index]
// CHECK: fir.store
// CHECK: cufx.cluster_barrier
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[RANK:.*]] = arith.subi %{{.*}}, %[[ONE]]
// CHECK: %[[MAPPED:.*]] = cufx.map_shared %{{.*}}, %[[RANK]] : !fir.ref<!fir.array<?xi32>>
// CHECK: return %[[MAPPED]]
func.func private @__cufx_this_cluster() -> !fir.type<cluster_group{size:i32,rank:i32}>
func.func private @__cufx_cluster_barrier_group(!fir.ref<!fir.type<cluster_group{size:i32,rank:i32}>>)
func.func private @__cufx_cluster_map_shared_rank(!fir.ref<!fir.array<?xi32>>, i32) -> i64
func.func @cluster(%g: !fir.ref<!fir.type<cluster_group{size:i32,rank:i32}>>, %s: !fir.ref<!fir.array<?xi32>>, %r: i32) -> i64 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = fir.call @__cufx_this_cluster() : () -> !fir.type<cluster_group{size:i32,rank:i32}>
  fir.save_result %0 to %g : !fir.type<cluster_group{size:i32,rank:i32}>, !fir.ref<!fir.type<cluster_group{size:i32,rank:i32}>>
  fir.call @__cufx_cluster_barrier_group(%g) : (!fir.ref<!fir.type<cluster_group{size:i32,rank:i32}>>) -> ()
  %1 = fir.call @__cufx_cluster_map_shared_rank(%s, %r) : (!fir.ref<!fir.array<?xi32>>, i32) -> i64
  return %1 : i64
}

// -----

// CHECK-LABEL: func.func @index_and_extents
// CHECK: %[[X:.*]] = cufx.extent cluster_block_idx x
// CHECK: %[[FROM_ONE:.*]] = arith.addi %[[X]], %{{.*}}
// CHECK: fir.insert_value %{{.*}}, %[[FROM_ONE]], [0 : index]
// CHECK: %[[DX:.*]] = cufx.extent cluster_dim x
// CHECK: fir.insert_value %{{.*}}, %[[DX]], [0 : index]
!dim3 = !fir.type<dim3{x:i32,y:i32,z:i32}>
func.func private @_QP__cufx_cluster_block_index() -> !dim3
func.func private @_QP__cufx_cluster_dim_blocks() -> !dim3
func.func @index_and_extents(%d: !fir.ref<!dim3>) attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = fir.call @_QP__cufx_cluster_block_index() : () -> !dim3
  fir.save_result %0 to %d : !dim3, !fir.ref<!dim3>
  %1 = fir.call @_QP__cufx_cluster_dim_blocks() : () -> !dim3
  fir.save_result %1 to %d : !dim3, !fir.ref<!dim3>
  return
}
