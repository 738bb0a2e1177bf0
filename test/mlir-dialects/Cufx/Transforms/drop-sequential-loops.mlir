// The loops in the region of a branching CUF kernel run once, for the iteration of the thread, and do not come back to
// their beginning; what computed their bounds goes.
// RUN: %cufort-opt --cufx-drop-sequential-loops %s | FileCheck %s

// CHECK-LABEL: func.func @two_loops
// CHECK: cuf.kernel<<<*, *>>> (%[[ARG_J:.*]] : index, %[[ARG_I:.*]] : index)
// CHECK: %[[J:.*]] = fir.convert %[[ARG_J]] : (index) -> i64
// CHECK: fir.store %[[J]] to %[[VAR_J:.*]] : !fir.ref<i64>
// CHECK: %[[I:.*]] = fir.convert %[[ARG_I]] : (index) -> i32
// CHECK: fir.store %[[I]] to %[[VAR_I:.*]] : !fir.ref<i32>
// CHECK-NOT: fir.call
// CHECK: %[[ONE_J:.*]] = arith.constant 1 : i64
// CHECK-NEXT: fir.store %[[ONE_J]] to %[[COUNT_J:.*]] : !fir.ref<i64>
// CHECK-NEXT: fir.store %[[J]] to %[[VAR_J]] : !fir.ref<i64>
// CHECK-NEXT: cf.br ^[[BODY_J:.*]]
// CHECK-NOT: fir.call
// CHECK: ^[[BODY_J]]:
// CHECK: %[[ONE_I:.*]] = arith.constant 1 : i32
// CHECK-NEXT: fir.store %[[ONE_I]] to %[[COUNT_I:.*]] : !fir.ref<i32>
// CHECK-NEXT: fir.store %[[I]] to %[[VAR_I]] : !fir.ref<i32>
// CHECK-NEXT: cf.br ^[[BODY_I:.*]]
// CHECK: ^[[BODY_I]]:
// CHECK: cf.br ^[[AFTER_I:.*]]
// CHECK: ^[[AFTER_I]]:
// CHECK: cf.br ^[[AFTER_J:.*]]
// CHECK: ^[[AFTER_J]]:
// CHECK-NEXT: "fir.end"
func.func private @bound() -> i64
func.func @two_loops(%c1: index, %n: index, %j: !fir.ref<i64>, %i: !fir.ref<i32>, %a: !fir.ref<i32>) {
  cuf.kernel<<<*, *>>> (%arg0 : index, %arg1 : index) = (%c1, %c1 : index, index) to (%n, %n : index, index)  step (%c1, %c1 : index, index) {
    %count_i = fir.alloca i32
    %count_j = fir.alloca i64
    %0 = fir.convert %arg0 : (index) -> i64
    fir.store %0 to %j : !fir.ref<i64>
    %1 = fir.convert %arg1 : (index) -> i32
    fir.store %1 to %i : !fir.ref<i32>
    %c1_i64 = arith.constant 1 : i64
    %2 = fir.call @bound() : () -> i64
    fir.store %2 to %count_j : !fir.ref<i64>
    fir.store %c1_i64 to %j : !fir.ref<i64>
    cf.br ^bb1
  ^bb1:
    %3 = fir.load %count_j : !fir.ref<i64>
    %c0_i64 = arith.constant 0 : i64
    %4 = arith.cmpi sgt, %3, %c0_i64 : i64
    cf.cond_br %4, ^bb2, ^bb6
  ^bb2:
    %5 = fir.call @bound() : () -> i64
    %6 = fir.convert %5 : (i64) -> i32
    %c3_i32 = arith.constant 3 : i32
    fir.store %6 to %count_i : !fir.ref<i32>
    fir.store %c3_i32 to %i : !fir.ref<i32>
    cf.br ^bb3
  ^bb3:
    %7 = fir.load %count_i : !fir.ref<i32>
    %c0_i32 = arith.constant 0 : i32
    %8 = arith.cmpi sgt, %7, %c0_i32 : i32
    cf.cond_br %8, ^bb4, ^bb5
  ^bb4:
    %9 = fir.load %i : !fir.ref<i32>
    fir.store %9 to %a : !fir.ref<i32>
    %10 = fir.load %count_i : !fir.ref<i32>
    %c1_i32 = arith.constant 1 : i32
    %11 = arith.subi %10, %c1_i32 : i32
    fir.store %11 to %count_i : !fir.ref<i32>
    cf.br ^bb3
  ^bb5:
    %12 = fir.load %count_j : !fir.ref<i64>
    %c1_i64_0 = arith.constant 1 : i64
    %13 = arith.subi %12, %c1_i64_0 : i64
    fir.store %13 to %count_j : !fir.ref<i64>
    cf.br ^bb1
  ^bb6:
    "fir.end"() : () -> ()
  }
  return
}
