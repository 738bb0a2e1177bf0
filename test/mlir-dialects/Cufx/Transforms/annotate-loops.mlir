// Directives of unrolling find the loops whose bodies branch by the place of the DO statement. Only branches back get
// them, and other conditions in the same function do not.
// RUN: %cufort-opt %s --cufx-annotate-loops -mlir-print-local-scope | FileCheck %s
module attributes {cufx.unroll_directives = ["a.cuf:5:0", "a.cuf:9:1", "b.inc:5:4"]} {
  // CHECK-LABEL: func.func @all_rounds
  // CHECK: cf.br ^bb1{{$}}
  // CHECK: cf.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  // CHECK: cf.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
  func.func @all_rounds(%more: i1, %other: i1) {
    cf.br ^bb1 loc("/some/where/a.cuf":5:3)
  ^bb1:
    cf.cond_br %more, ^bb2, ^bb4 loc("/some/where/a.cuf":5:3)
  ^bb2:
    cf.cond_br %other, ^bb1a, ^bb3 loc("/some/where/a.cuf":6:5)
  ^bb1a:
    cf.br ^bb1 loc("/some/where/a.cuf":6:5)
  ^bb3:
    cf.br ^bb1 loc("/some/where/a.cuf":7:3)
  ^bb4:
    return
  }
  // CHECK-LABEL: func.func @none_and_four
  // CHECK: loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>
  // CHECK: loop_annotation = #llvm.loop_annotation<unroll = <disable = false, count = 4 : i64>>
  func.func @none_and_four(%more: i1) {
    cf.br ^bb1
  ^bb1:
    cf.cond_br %more, ^bb2, ^bb3 loc("a.cuf":9:3)
  ^bb2:
    cf.br ^bb1
  ^bb3:
    cf.br ^bb4
  ^bb4:
    cf.cond_br %more, ^bb5, ^bb6 loc(fused["x"("b.inc":5:3)])
  ^bb5:
    cf.br ^bb4
  ^bb6:
    return
  }
  // CHECK-LABEL: func.func @another_file
  // CHECK-NOT: loop_annotation
  func.func @another_file(%more: i1) {
    cf.br ^bb1
  ^bb1:
    cf.cond_br %more, ^bb2, ^bb3 loc("c.cuf":5:3)
  ^bb2:
    cf.br ^bb1
  ^bb3:
    return
  }
}
