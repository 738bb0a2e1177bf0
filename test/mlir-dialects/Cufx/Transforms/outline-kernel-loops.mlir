// The loops of a CUF kernel become a launch and a kernel, in which every thread has one iteration or strides over its
// axis.
// RUN: %cufort-opt --cufx-outline-kernel-loops %s | FileCheck %s

// CHECK-LABEL: func.func @one_loop
// CHECK-SAME: (%[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index, %[[BLOCK:.*]]: i64, %[[A:.*]]: !fir.ref<!fir.array<?xf32>>)
func.func @one_loop(%lb: index, %ub: index, %step: index, %block: i64, %a: !fir.ref<!fir.array<?xf32>>) {
  // The grid has a thread for each iteration, as far as places fit into 32 bits; then comes the next part.
  // CHECK: %[[THREADS1:.*]] = arith.maxsi %[[BLOCK]], %{{.*}} : i64
  // CHECK: %[[THREADS:.*]] = arith.minsi %[[THREADS1]], %{{.*}} : i64
  // CHECK: %[[MOST1:.*]] = arith.divsi %{{.*}}, %[[THREADS]] : i64
  // CHECK: %[[MOST_BLOCKS:.*]] = arith.minsi %[[MOST1]], %{{.*}} : i64
  // CHECK: %[[MOST:.*]] = arith.muli %[[MOST_BLOCKS]], %[[THREADS]] : i64
  // CHECK: %[[SPAN:.*]] = arith.subi %[[UB]], %[[LB]] : index
  // CHECK: %[[SPAN1:.*]] = arith.addi %[[SPAN]], %[[STEP]] : index
  // CHECK: %[[TRIPS:.*]] = arith.divsi %[[SPAN1]], %[[STEP]] : index
  // CHECK: %[[ALL:.*]] = fir.convert %[[TRIPS]] : (index) -> i64
  // CHECK: fir.do_loop %[[DONE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
  // CHECK: %[[BEHIND:.*]] = arith.muli %[[DONE]], %[[STEP]] : index
  // CHECK: %[[FIRST:.*]] = arith.addi %[[LB]], %[[BEHIND]] : index
  // CHECK: %[[REST:.*]] = arith.subi %[[ALL]], %{{.*}} : i64
  // CHECK: %[[COUNT:.*]] = arith.minsi %[[REST]], %[[MOST]] : i64
  // CHECK: %[[GRID:.*]] = arith.divsi %{{.*}}, %[[THREADS]] : i64
  // CHECK-DAG: %[[FIRST64:.*]] = fir.convert %[[FIRST]] : (index) -> i64
  // CHECK-DAG: %[[COUNT32:.*]] = fir.convert %[[COUNT]] : (i64) -> i32
  // CHECK: cufx.launch @_QQcufkernel_one_loop_1 grid(%[[GRID]], %[[ONE:.*]], %[[ONE]]) block(%[[BLOCK]], %[[ONE]], %[[ONE]]) args({{.*}}%[[FIRST64]], %[[COUNT32]] :
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant 1.0 : f32
  %s = fir.shape %ub : (index) -> !fir.shape<1>
  %1 = fir.declare %a(%s) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<!fir.array<?xf32>>, !fir.shape<1>) -> !fir.ref<!fir.array<?xf32>>
  cufx.kernel_loops from(%lb) to(%ub) step(%step) axes [0] grid(%zero, %one, %one) block(%block, %one, %one) {
  ^bb0(%i: index):
    %2 = fir.array_coor %1(%s) %i : (!fir.ref<!fir.array<?xf32>>, !fir.shape<1>, index) -> !fir.ref<f32>
    fir.store %x to %2 : !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// A grid that is known at run time: there are two kernels.
// CHECK-LABEL: func.func @given_grid
// CHECK-SAME: (%[[LB:.*]]: index, %{{.*}}: index, %{{.*}}: index, %[[GRID:.*]]: i64, %[[BLOCK:.*]]: i64, %{{.*}}: !fir.ref<!fir.array<?xf32>>)
func.func @given_grid(%lb: index, %ub: index, %step: index, %grid: i64, %block: i64, %a: !fir.ref<!fir.array<?xf32>>) {
  // CHECK: %[[THREADS:.*]] = arith.muli %[[GRID]], %[[BLOCK]] : i64
  // CHECK: %[[COVERS:.*]] = arith.cmpi sge, %[[THREADS]], %{{.*}} : i64
  // CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[THREADS]], %{{.*}} : i64
  // CHECK: %[[ONCE:.*]] = arith.andi %[[COVERS]], %[[FITS]] : i1
  // CHECK: fir.if %[[ONCE]] {
  // CHECK: cufx.launch @_QQcufkernel_given_grid_1 grid(%[[GRID]],
  // CHECK: } else {
  // CHECK: cufx.launch @_QQcufkernel_given_grid_1s grid(%[[GRID]],
  %one = arith.constant 1 : i64
  %x = arith.constant 1.0 : f32
  %s = fir.shape %ub : (index) -> !fir.shape<1>
  %1 = fir.declare %a(%s) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<!fir.array<?xf32>>, !fir.shape<1>) -> !fir.ref<!fir.array<?xf32>>
  cufx.kernel_loops from(%lb) to(%ub) step(%step) axes [0] grid(%grid, %one, %one) block(%block, %one, %one) {
  ^bb0(%i: index):
    %2 = fir.array_coor %1(%s) %i : (!fir.ref<!fir.array<?xf32>>, !fir.shape<1>, index) -> !fir.ref<f32>
    fir.store %x to %2 : !fir.ref<f32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// CHECK-LABEL: func.func @two_kernels
func.func @two_kernels(%n: index) {
  // A grid that the program gives is taken as it is.
  // CHECK: %[[G:.*]] = arith.constant 7 : i64
  // CHECK: cufx.launch @_QQcufkernel_two_kernels_1 grid(%[[G]], %[[G]], %[[G]])
  // CHECK: cufx.launch @_QQcufkernel_two_kernels_2 grid(%[[G]], %[[G]], %[[G]])
  // CHECK-NOT: cufx.kernel_loops
  %g = arith.constant 7 : i64
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%g, %g, %g) block(%g, %g, %g) {
  ^bb0(%i: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  cufx.kernel_loops from(%n, %n) to(%n, %n) step(%n, %n) axes [-1, 0] grid(%g, %g, %g) block(%g, %g, %g) {
  ^bb0(%j: index, %i: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// CHECK-LABEL: func.func @stream
// CHECK-SAME: (%[[N:.*]]: index, %[[E:.*]]: i64, %[[STREAM:.*]]: i64)
func.func @stream(%n: index, %e: i64, %stream: i64) {
  // CHECK: cufx.launch @_QQcufkernel_stream_1 grid({{.*}}) block({{.*}}) stream(%[[STREAM]])
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) stream(%stream) {
  ^bb0(%i: index):
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// CHECK-LABEL: func.func @known_steps
func.func @known_steps(%n: i32, %m: i32, %a: !fir.ref<i32> {cuf.data_attr = #cuf.cuda<device>}) {
  %d = fir.declare %a {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<i32>) -> !fir.ref<i32>
  %minus = arith.constant -1 : index
  %one = arith.constant 1 : index
  %from = fir.convert %n : (i32) -> index
  %to = fir.convert %m : (i32) -> index
  %e = arith.constant 1 : i64
  cufx.kernel_loops from(%from) to(%to) step(%minus) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%i: index):
    %1 = fir.convert %i : (index) -> i32
    fir.store %1 to %d : !fir.ref<i32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  cufx.kernel_loops from(%one) to(%to) step(%one) axes [0] grid(%e, %e, %e) block(%e, %e, %e) {
  ^bb0(%i: index):
    %1 = fir.convert %i : (index) -> i32
    fir.store %1 to %d : !fir.ref<i32>
    cufx.loops_end
  } {reductionKinds = array<i32>}
  return
}

// One iteration.
// CHECK-LABEL: func.func @_QQcufkernel_one_loop_1
// CHECK-SAME: (%[[A:.*]]: !fir.ref<!fir.array<?xf32>> {{{.*}}}, %{{.*}}: i64, %{{.*}}: i64, %[[FIRST:.*]]: i64, %[[COUNT:.*]]: i32)
// CHECK: cufx.extent block_idx x
// CHECK: cufx.extent block_dim x
// CHECK: cufx.extent thread_idx x
// CHECK: %[[PLACE:.*]] = arith.addi {{.*}} overflow<nsw, nuw> : i32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[PLACE]], %[[COUNT]] : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[PLACE]] : i32 to i64
// CHECK: %[[BEHIND:.*]] = arith.muli %[[WIDE]], %{{.*}} : i64
// CHECK: %[[I64:.*]] = arith.addi %[[FIRST]], %[[BEHIND]] overflow<nsw> : i64
// CHECK: %[[I:.*]] = fir.convert %[[I64]] : (i64) -> index
// CHECK: cf.cond_br %[[IN]], ^{{.*}}, ^[[EXIT:[a-z0-9]+]]
// CHECK: fir.array_coor %[[A]](%{{.*}}) %[[I]]
// CHECK: cf.br ^[[EXIT]]
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: return

// The sign of the step is not known: iterations are counted.
// CHECK-LABEL: func.func @_QQcufkernel_given_grid_1s
// CHECK-SAME: (%[[A:.*]]: !fir.ref<!fir.array<?xf32>> {{{.*}}}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME: attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
// CHECK-DAG: %[[UB:.*]] = fir.convert %arg1 : (i64) -> index
// CHECK-DAG: %[[LB:.*]] = fir.convert %arg3 : (i64) -> index
// CHECK-DAG: %[[STEP:.*]] = fir.convert %arg2 : (i64) -> index
// CHECK: cufx.extent block_dim x
// CHECK: cufx.extent grid_dim x
// CHECK: %[[THREADS:.*]] = arith.muli
// CHECK: cufx.extent block_idx x
// CHECK: cufx.extent thread_idx x
// CHECK: %[[PLACE:.*]] = arith.addi
// CHECK: %[[FIRST:.*]], %[[STRIDE:.*]], %[[LAST:.*]] = cufx.share x %[[PLACE]] by %[[THREADS]] of %[[LB]] to %[[UB]] step %[[STEP]]
// CHECK: %[[SPAN:.*]] = arith.subi %[[LAST]], %[[LB]] : index
// CHECK: %[[SPAN1:.*]] = arith.addi %[[SPAN]], %[[STEP]] : index
// CHECK: %[[TRIPS:.*]] = arith.divsi %[[SPAN1]], %[[STEP]] : index
// CHECK: cf.br ^[[HEAD:[a-z0-9]+]](%[[FIRST]] : index)
// CHECK: ^[[HEAD]](%[[T:.*]]: index):
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[T]], %[[TRIPS]] : index
// CHECK: cf.cond_br %[[MORE]], ^[[VALUE:[a-z0-9]+]], ^[[EXIT:[a-z0-9]+]]
// CHECK: ^[[VALUE]]:
// CHECK: %[[SCALED:.*]] = arith.muli %[[T]], %[[STEP]] : index
// CHECK: %[[I:.*]] = arith.addi %[[LB]], %[[SCALED]] : index
// CHECK: cf.br ^[[BODY:[a-z0-9]+]]
// CHECK: ^[[LATCH:[a-z0-9]+]]:
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %[[STRIDE]] : index
// CHECK: cf.br ^[[HEAD]](%[[NEXT]] : index)
// CHECK: ^[[BODY]]:
// CHECK: fir.array_coor %[[A]](%{{.*}}) %[[I]]
// CHECK: cf.br ^[[LATCH]]
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: return

// The outer loop has no axis: every thread runs it from 0 in steps of 1. The inner loop ends in its latch.
// CHECK-LABEL: func.func @_QQcufkernel_two_kernels_2
// CHECK: cufx.extent thread_idx x
// CHECK: cf.br ^[[OUTER:[a-z0-9]+]](%[[ZERO:.*]] : index)
// CHECK: ^[[OUTER]](%[[J:.*]]: index):
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[EXIT:[a-z0-9]+]]
// CHECK: cf.br ^[[INNER:[a-z0-9]+]](%
// CHECK: ^[[OUTER_LATCH:[a-z0-9]+]]:
// CHECK: cf.br ^[[OUTER]](%
// CHECK: ^[[INNER]](%
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}, ^[[OUTER_LATCH]]
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: return

// Steps whose sign is known: the loop variable itself is counted. It is a default integer, which has its values.
// CHECK-LABEL: func.func @_QQcufkernel_known_steps_1
// CHECK: %[[POSITION:.*]], %[[THREADS:.*]], %[[LAST:.*]] = cufx.share x
// CHECK: %[[DOWN:.*]] = arith.muli %[[POSITION]], %[[MINUS:.*]] : index
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[DOWN]] : index
// CHECK: %[[STRIDE:.*]] = arith.muli %[[THREADS]], %[[MINUS]] : index
// CHECK: cf.br ^[[HEAD:[a-z0-9]+]](%[[FIRST]] : index)
// CHECK: ^[[HEAD]](%[[I:.*]]: index):
// CHECK: arith.cmpi sge, %[[I]], %[[LAST]] : index
// CHECK: arith.addi %[[I]], %[[STRIDE]] : index
// CHECK: %[[WIDE:.*]] = fir.convert %[[I]] : (index) -> i64
// CHECK: arith.trunci %[[WIDE]] overflow<nsw> : i64 to i32
// CHECK-LABEL: func.func @_QQcufkernel_known_steps_2
// CHECK: arith.cmpi sle
// CHECK: arith.trunci %{{.*}} overflow<nsw, nuw> : i64 to i32
