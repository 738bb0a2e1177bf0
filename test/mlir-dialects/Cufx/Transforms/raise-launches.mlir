// Chevron calls become launches: extents in 64 bits, the stream's value, and what the kernel's attributes ask for.
// RUN: %cufort-opt --cufx-raise-launches %s | FileCheck %s

func.func private @kernel(i32, !fir.box<!fir.array<?xf32>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @grid_kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<grid_global>}
func.func private @cluster_kernel()
    attributes {cuf.cluster_dims = #cuf.cluster_dims<x = 4 : i64, y = 2 : i64, z = 1 : i64>, cuf.proc_attr = #cuf.cuda_proc<global>}

// CHECK-LABEL: func.func @grid_and_block
// CHECK-SAME: (%[[GX:.*]]: i32, %[[GY:.*]]: i32, %[[BX:.*]]: i32, %[[ONE:.*]]: i32, %[[N:.*]]: i32, %[[A:.*]]: !fir.box
func.func @grid_and_block(%gx: i32, %gy: i32, %bx: i32, %one: i32, %n: i32, %a: !fir.box<!fir.array<?xf32>>) {
  // CHECK-DAG: %[[GX64:.*]] = fir.convert %[[GX]] : (i32) -> i64
  // CHECK-DAG: %[[GY64:.*]] = fir.convert %[[GY]] : (i32) -> i64
  // CHECK-DAG: %[[BX64:.*]] = fir.convert %[[BX]] : (i32) -> i64
  // CHECK: cufx.launch @kernel grid(%[[GX64]], %[[GY64]], %{{.*}}) block(%[[BX64]], %{{[^ ]*}}, %{{[^ ]*}})
  // CHECK-SAME: args(%[[N]], %[[A]] : i32, !fir.box<!fir.array<?xf32>>)
  cuf.kernel_launch @kernel<<<%gx, %gy, %one, %bx, %one, %one>>>(%n, %a) : (i32, !fir.box<!fir.array<?xf32>>)
  return
}

// CHECK-LABEL: func.func @bytes_and_stream
// CHECK-SAME: (%{{[^:]*}}: i32, %[[BYTES:[^:]*]]: i32, %[[STREAM:[^:]*]]: !fir.ref<i64>,
func.func @bytes_and_stream(%e: i32, %bytes: i32, %stream: !fir.ref<i64>, %n: i32, %a: !fir.box<!fir.array<?xf32>>) {
  // CHECK-DAG: %[[VALUE:.*]] = fir.load %[[STREAM]] : !fir.ref<i64>
  // CHECK-DAG: %[[S:.*]] = fir.convert %[[VALUE]] : (i64) -> i64
  // CHECK-DAG: %[[B:.*]] = fir.convert %[[BYTES]] : (i32) -> i64
  // CHECK: cufx.launch @kernel grid({{.*}}) block({{.*}}) shared(%[[B]]) stream(%[[S]]) args(
  cuf.kernel_launch @kernel<<<%e, %e, %e, %e, %e, %e, %bytes, %stream : !fir.ref<i64>>>>(%n, %a) : (i32, !fir.box<!fir.array<?xf32>>)
  return
}

// `*` as the grid is -1.
// CHECK-LABEL: func.func @cooperative
func.func @cooperative(%one: i32) {
  // CHECK: %[[STAR:.*]] = arith.constant -1 : i32
  // CHECK: %[[STAR64:.*]] = fir.convert %[[STAR]] : (i32) -> i64
  // CHECK: cufx.launch @grid_kernel grid(%[[STAR64]], {{.*}}) block({{.*}}) cooperative{{$}}
  %star = arith.constant -1 : i32
  cuf.kernel_launch @grid_kernel<<<%star, %one, %one, %one, %one, %one>>>()
  return
}

// CHECK-LABEL: func.func @cluster
func.func @cluster(%one: i32) {
  // CHECK: cufx.launch @cluster_kernel grid({{.*}}) block({{.*}}) cluster [4, 2, 1]{{$}}
  cuf.kernel_launch @cluster_kernel<<<%one, %one, %one, %one, %one, %one>>>()
  return
}

// A derived type that a kernel with BIND(C) takes by value travels behind the address of a copy.
!pair = !fir.type<_QMmTpair{a:f32,b:f32}>
// CHECK-LABEL: func.func @bind_c_kernel
// CHECK-SAME: (%[[P:.*]]: !fir.ref<!fir.type<_QMmTpair{a:f32,b:f32}>>)
// CHECK: %[[V:.*]] = fir.load %[[P]]
// CHECK: fir.store %[[V]] to
func.func @bind_c_kernel(%p: !pair) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = fir.alloca !pair
  fir.store %p to %0 : !fir.ref<!pair>
  return
}
// CHECK-LABEL: func.func @launch_with_record
// CHECK: %[[COPY:.*]] = fir.alloca
// CHECK: fir.store %{{.*}} to %[[COPY]]
// CHECK: cufx.launch @bind_c_kernel {{.*}}args(%[[COPY]]
func.func @launch_with_record(%p: !pair, %n: i32) {
  cuf.kernel_launch @bind_c_kernel<<<%n, %n, %n, %n, %n, %n>>>(%p) : (!pair)
  return
}
