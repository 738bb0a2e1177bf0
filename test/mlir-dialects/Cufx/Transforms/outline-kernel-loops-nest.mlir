// A nest of three loops runs over three axes. Each way out of an iteration goes on with the innermost loop, or to the end
// of a kernel that runs one iteration.
// RUN: %cufort-opt --cufx-outline-kernel-loops %s | FileCheck %s

// CHECK-LABEL: func.func @nest
func.func @nest(%n: index, %m: index, %l: index, %p: !fir.ref<!fir.logical<4>>) {
  // CHECK: cufx.launch @_QQcufkernel_nest_1 grid(%[[G:.*]], %[[G]], %[[G]])
  // Every axis has its own limit. Behind it the kernel is launched again.
  // CHECK: arith.constant 65535 : i64
  // CHECK: fir.do_loop
  // CHECK: %[[Z:.*]] = arith.divsi
  // CHECK: arith.constant 65535 : i64
  // CHECK: fir.do_loop
  // CHECK: %[[Y:.*]] = arith.divsi
  // CHECK: arith.constant 2147483647 : i64
  // CHECK: fir.do_loop
  // CHECK: %[[X:.*]] = arith.divsi
  // CHECK: cufx.launch @_QQcufkernel_nest_2 grid(%[[X]], %[[Y]], %[[Z]])
  %g = arith.constant 7 : i64
  %cover = arith.constant 0 : i64
  %b = arith.constant 8 : i64
  %one = arith.constant 1 : index
  %1 = fir.declare %p {data_attr = #cuf.cuda<device>, uniq_name = "_QFEp"} : (!fir.ref<!fir.logical<4>>) -> !fir.ref<!fir.logical<4>>
  cufx.kernel_loops from(%one, %one, %one) to(%l, %m, %n) step(%one, %one, %one) axes [2, 1, 0]
      grid(%g, %g, %g) block(%b, %b, %b) {
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
  cufx.kernel_loops from(%one, %one, %one) to(%l, %m, %n) step(%one, %one, %one) axes [2, 1, 0]
      grid(%cover, %cover, %cover) block(%b, %b, %b) {
  ^bb0(%k: index, %j: index, %i: index):
    %4 = fir.load %1 : !fir.ref<!fir.logical<4>>
    %5 = fir.convert %4 : (!fir.logical<4>) -> i1
    cf.cond_br %5, ^bb1, ^bb2
  ^bb1:
    cufx.loops_end
  ^bb2:
    fir.store %4 to %1 : !fir.ref<!fir.logical<4>>
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
// CHECK: cf.br ^[[OUTER:[a-z0-9]+]](%
// CHECK: cf.br ^[[MIDDLE:[a-z0-9]+]](%
// CHECK: cf.br ^[[OUTER]](%
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

// CHECK-LABEL: func.func @_QQcufkernel_nest_2
// CHECK: %[[INZ:.*]] = arith.cmpi slt
// CHECK: %[[INY:.*]] = arith.cmpi slt
// CHECK: %[[INZY:.*]] = arith.andi %[[INZ]], %[[INY]]
// CHECK: %[[INX:.*]] = arith.cmpi slt
// CHECK: %[[IN:.*]] = arith.andi %[[INZY]], %[[INX]]
// CHECK: cf.cond_br %[[IN]], ^{{[a-z0-9]+}}, ^[[END:[a-z0-9]+]]
// CHECK: cf.cond_br %{{.*}}, ^[[WAY1:[a-z0-9]+]], ^[[WAY2:[a-z0-9]+]]
// CHECK: ^[[WAY1]]:
// CHECK-NEXT: cf.br ^[[END]]
// CHECK: ^[[WAY2]]:
// CHECK-NEXT: fir.store
// CHECK-NEXT: cf.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK-NEXT: return
