// The loops of a CUF kernel get an axis each, and grid and block extents.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s

// One loop: blocks of 256 threads, and a grid that covers all iterations (0).
// CHECK-LABEL: func.func @one_loop
// CHECK-SAME: (%[[LB:.*]]: index, %[[UB:.*]]: index, %[[STEP:.*]]: index)
func.func @one_loop(%lb: index, %ub: index, %step: index) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[WIDTH:.*]] = arith.constant 256 : i64
  // CHECK: cufx.kernel_loops from(%[[LB]]) to(%[[UB]]) step(%[[STEP]]) axes [0]
  // CHECK-SAME: grid(%[[ZERO]], %[[ONE:.*]], %{{.*}}) block(%[[WIDTH]], %{{.*}}, %{{.*}}) {
  // CHECK-NEXT: ^bb0(%{{.*}}: index):
  // CHECK-NEXT: cufx.loops_end
  cuf.kernel<<<*, *>>> (%i : index) = (%lb : index) to (%ub : index) step (%step : index) {
    "fir.end"() : () -> ()
  }
  return
}

// The innermost loop runs over x. If it turns out to be shorter than a warp, blocks are as wide as it is.
// CHECK-LABEL: func.func @two_loops
func.func @two_loops(%n: index, %m: index, %one: index) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: %[[ZERO2:.*]] = arith.constant 0 : i64
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i64
  // CHECK: %[[WIDTH:.*]] = arith.constant 64 : i64
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
  // CHECK: %[[ONE2:.*]] = arith.constant 1 : i64
  // CHECK: %[[WARP:.*]] = arith.constant 32 : i64
  // CHECK: %[[FITS:.*]] = arith.cmpi sle, %{{.*}}, %[[WARP]] : i64
  // CHECK: %{{.*}} = arith.select %[[FITS]], %[[WARP]], %[[WIDTH]] {cufx.fitted_block} : i64
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : i64
  // CHECK: %{{.*}} = arith.select %[[FITS]], %[[EIGHT]], %[[FOUR]] {cufx.fitted_block} : i64
  // CHECK-COUNT-4: arith.cmpi sle
  // CHECK: %[[LEAST:.*]] = arith.constant 1 : i64
  // CHECK: %[[X:.*]] = arith.select %{{.*}}, %[[LEAST]], %{{.*}} {cufx.fitted_block} : i64
  // CHECK: %[[MOST:.*]] = arith.constant 256 : i64
  // CHECK: %[[Y:.*]] = arith.select %{{.*}}, %[[MOST]], %{{.*}} {cufx.fitted_block} : i64
  // CHECK: axes [1, 0] grid(%[[ZERO]], %[[ZERO2]], %[[ONE]]) block(%[[X]], %[[Y]], %[[ONE2]])
  cuf.kernel<<<*, *>>> (%j : index, %i : index) = (%one, %one : index, index) to (%m, %n : index, index)
      step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  return
}

// A row of a warp is enough for an innermost loop with 20 iterations.
// CHECK-LABEL: func.func @short_loop
func.func @short_loop(%m: index) {
  // CHECK: %[[WARP:.*]] = arith.constant 32 : i64
  // CHECK: %[[EIGHT:.*]] = arith.constant 8 : i64
  // CHECK: block(%[[WARP]], %[[EIGHT]], %{{.*}})
  %one = arith.constant 1 : index
  %twenty = arith.constant 20 : index
  cuf.kernel<<<*, *>>> (%j : index, %i : index) = (%one, %one : index, index) to (%m, %twenty : index, index)
      step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  return
}

// A warp has several cells, each with its 5 components. Where the program gives an extent, it does not.
// CHECK-LABEL: func.func @components
func.func @components(%m: index) {
  // CHECK: %[[X:.*]] = arith.constant 8 : i64
  // CHECK: %[[Y:.*]] = arith.constant 32 : i64
  // CHECK: block(%[[X]], %[[Y]], %{{.*}})
  // CHECK: %[[X:.*]] = arith.constant 64 : i64
  // CHECK: block(%[[X]], %{{.*}}, %{{.*}})
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  cuf.kernel<<<*, *>>> (%j : index, %i : index) = (%one, %one : index, index) to (%m, %five : index, index)
      step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  %star = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  cuf.kernel<<<*, (%star, %two)>>> (%j : index, %i : index) = (%one, %one : index, index) to (%m, %five : index, index)
      step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  return
}

// CHECK-LABEL: func.func @three_loops
func.func @three_loops(%n: index, %one: index) {
  // CHECK-COUNT-3: arith.constant 0 : i64
  // CHECK: arith.constant 64 : i64
  // CHECK: arith.constant 4 : i64
  // CHECK-COUNT-12: arith.select
  // CHECK: axes [2, 1, 0] grid({{.*}}) block({{.*}})
  cuf.kernel<<<*, *>>> (%k : index, %j : index, %i : index) = (%one, %one, %one : index, index, index)
      to (%n, %n, %n : index, index, index) step (%one, %one, %one : index, index, index) {
    "fir.end"() : () -> ()
  } {n = 3 : i64}
  return
}

// There are three axes: a fourth loop, the outermost, runs in every thread.
// CHECK-LABEL: func.func @four_loops
func.func @four_loops(%n: index, %one: index) {
  // CHECK: axes [-1, 2, 1, 0]
  cuf.kernel<<<*, *>>> (%l : index, %k : index, %j : index, %i : index) =
      (%one, %one, %one, %one : index, index, index, index) to (%n, %n, %n, %n : index, index, index, index)
      step (%one, %one, %one, %one : index, index, index, index) {
    "fir.end"() : () -> ()
  } {n = 4 : i64}
  return
}

// Or an innermost one that is short, if everything is the compiler's choice and no iteration sees what another one has
// done.
// CHECK-LABEL: func.func @four_loops_of_components
func.func @four_loops_of_components(%n: index) {
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %blocks = arith.constant 8 : i32
  // CHECK: axes [-1, 2, 1, 0]
  cuf.kernel<<<*, *>>> (%i : index, %j : index, %k : index, %m : index) = (%one, %one, %one, %one : index, index, index, index) to (%n, %n, %n, %five : index, index, index, index) step (%one, %one, %one, %one : index, index, index, index) {
    %x = fir.address_of(@shared_counter) : !fir.ref<i32>
    fir.store %blocks to %x : !fir.ref<i32>
    "fir.end"() : () -> ()
  } {n = 4 : i64}
  // CHECK: axes [2, 1, 0, -1]
  cuf.kernel<<<*, *>>> (%i : index, %j : index, %k : index, %m : index) = (%one, %one, %one, %one : index, index, index, index) to (%n, %n, %n, %five : index, index, index, index) step (%one, %one, %one, %one : index, index, index, index) {
    "fir.end"() : () -> ()
  } {n = 4 : i64}
  // CHECK: axes [-1, 2, 1, 0]
  cuf.kernel<<<%blocks, *>>> (%i : index, %j : index, %k : index, %m : index) = (%one, %one, %one, %one : index, index, index, index) to (%n, %n, %n, %five : index, index, index, index) step (%one, %one, %one, %one : index, index, index, index) {
    "fir.end"() : () -> ()
  } {n = 4 : i64}
  return
}

// <<<(8, 4), (16, 2), stream>>>: what is written is taken, what is not is 1.
// CHECK-LABEL: func.func @extents_and_stream
// CHECK-SAME: (%[[N:.*]]: index, %{{.*}}: index, %[[GX:.*]]: i32, %[[GY:.*]]: i32, %[[BX:.*]]: i32, %[[BY:.*]]: i32, %[[STREAM:.*]]: !fir.ref<i64>)
func.func @extents_and_stream(%n: index, %one: index, %gx: i32, %gy: i32, %bx: i32, %by: i32, %stream: !fir.ref<i64>) {
  // CHECK: %[[GX64:.*]] = fir.convert %[[GX]] : (i32) -> i64
  // CHECK: %[[GY64:.*]] = fir.convert %[[GY]] : (i32) -> i64
  // CHECK: %[[GZ:.*]] = arith.constant 1 : i64
  // CHECK: %[[BX64:.*]] = fir.convert %[[BX]] : (i32) -> i64
  // CHECK: %[[BY64:.*]] = fir.convert %[[BY]] : (i32) -> i64
  // CHECK: %[[BZ:.*]] = arith.constant 1 : i64
  // CHECK: %[[S:.*]] = fir.load %[[STREAM]] : !fir.ref<i64>
  // CHECK: %[[S64:.*]] = fir.convert %[[S]] : (i64) -> i64
  // CHECK: grid(%[[GX64]], %[[GY64]], %[[GZ]]) block(%[[BX64]], %[[BY64]], %[[BZ]]) stream(%[[S64]])
  cuf.kernel<<<(%gx, %gy), (%bx, %by), stream = %stream : !fir.ref<i64>>>> (%j : index, %i : index) =
      (%one, %one : index, index) to (%n, %n : index, index) step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  return
}

// Inside a list, `*` is the constant 0: it means for its axis what `*` alone means.
// CHECK-LABEL: func.func @star_in_a_list
// CHECK-SAME: (%[[N:.*]]: index, %{{.*}}: index, %[[GX:.*]]: i32, %[[BX:.*]]: i32)
func.func @star_in_a_list(%n: index, %one: index, %gx: i32, %bx: i32) {
  %star = arith.constant 0 : i32
  // CHECK: %[[GX64:.*]] = fir.convert %[[GX]] : (i32) -> i64
  // CHECK: %[[COVER:.*]] = arith.constant 0 : i64
  // CHECK: %[[GZ:.*]] = arith.constant 1 : i64
  // CHECK: %[[BX64:.*]] = fir.convert %[[BX]] : (i32) -> i64
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
  // CHECK: grid(%[[GX64]], %[[COVER]], %[[GZ]]) block(%[[BX64]], %[[FOUR]], %{{.*}})
  cuf.kernel<<<(%gx, %star), (%bx, %star)>>> (%j : index, %i : index) = (%one, %one : index, index)
      to (%n, %n : index, index) step (%one, %one : index, index) {
    "fir.end"() : () -> ()
  } {n = 2 : i64}
  return
}

// CYCLE makes several blocks: each way out of an iteration ends it.
// CHECK-LABEL: func.func @several_blocks
func.func @several_blocks(%n: index, %one: index, %p: i1) {
  // CHECK: cufx.kernel_loops
  // CHECK: cf.cond_br
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT: cufx.loops_end
  // CHECK-NEXT: ^bb2:
  // CHECK-NEXT: cufx.loops_end
  // CHECK-NOT: fir.end
  cuf.kernel<<<*, *>>> (%i : index) = (%one : index) to (%n : index) step (%one : index) {
    cf.cond_br %p, ^bb1, ^bb2
  ^bb1:
    "fir.end"() : () -> ()
  ^bb2:
    "fir.end"() : () -> ()
  }
  return
}
