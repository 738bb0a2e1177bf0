// A nest of three loops runs over three axes; each way out of an iteration goes on with the innermost loop.
// RUN: %cufort-opt --cufx-outline-kernel-loops %s | FileCheck %s

// CHECK-LABEL: func.func @nest
func.func @nest(%n: index, %m: index, %l: index, %p: !fir.ref<!fir.logical<4>>) {
  // Every axis has its own limit.
  // CHECK: arith.constant 65535 : i64
  // CHECK: %[[Z:.*]] = arith.maxsi
  // CHECK: arith.constant 65535 : i64
  // CHECK: %[[Y:.*]] = arith.maxsi
  // CHECK: arith.constant 2147483647 : i64
  // CHECK: %[[X:.*]] = arith.maxsi
  // CHECK: cufx.launch @_QQcufkernel_nest_1 grid(%[[X]], %[[Y]], %[[Z]])
  %cover = arith.constant 0 : i64
  %b = arith.constant 8 : i64
  %one = arith.constant 1 : index
  %1 = fir.declare %p {data_attr = #cuf.cuda<device>, uniq_name = "_QFEp"} : (!fir.ref<!fir.logical<4>>) -> !fir.ref<!fir.logical<4>>
  cufx.kernel_loops from(%one, %one, %one) to(%l, %m, %n) step(%one, %one, %one) axes [2, 1, 0]
      grid(%cover, %cover, %cover) block(%b, %b, %b) {
  ^bb0(%k: index, %j: index, %i: index):
    %2 = fir.load %1 : !fir.ref<!fir.logical<4>>
    %3 = fir.convert %2 : (!fir.logical<4>) -> i1
    cf.cond_br %3, ^bb1, ^bb2
  ^bb1:
    cufx.loops_end
  ^bb2:
    fir.store %2 to %1 : !fir.ref<!fir.logical<4>>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// CHECK-LABEL: func.func @_QQcufkernel_nest_1
// CHECK: cufx.extent block_dim z
// CHECK: cufx.extent grid_dim z
// CHECK: cufx.extent block_idx z
// CHECK: cufx.extent thread_idx z
// CHECK: cufx.extent block_dim y
// CHECK: cufx.extent grid_dim y
// CHECK: cufx.extent block_idx y
// CHECK: cufx.extent thread_idx y
// CHECK: cufx.extent block_dim x
// CHECK: cufx.extent grid_dim x
// CHECK: cufx.extent block_idx x
// CHECK: cufx.extent thread_idx x
// CHECK: cf.br ^[[INNER:[a-z0-9]+]](%
// CHECK: ^[[INNER]](%
// CHECK: cf.cond_br %{{.*}}, ^[[VALUE:[a-z0-9]+]], ^
// CHECK: ^[[VALUE]]:
// CHECK: cf.br
// CHECK: ^[[LATCH:[a-z0-9]+]]:
// CHECK-NEXT: arith.addi
// CHECK-NEXT: cf.br ^[[INNER]](%
// CHECK: cf.cond_br %{{.*}}, ^[[WAY1:[a-z0-9]+]], ^[[WAY2:[a-z0-9]+]]
// CHECK: ^[[WAY1]]:
// CHECK-NEXT: cf.br ^[[LATCH]]
// CHECK: ^[[WAY2]]:
// CHECK-NEXT: fir.store
// CHECK-NEXT: cf.br ^[[LATCH]]
