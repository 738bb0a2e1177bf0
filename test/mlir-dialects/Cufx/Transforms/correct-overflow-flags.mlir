// RUN: %cufort-opt %s --cufx-correct-overflow-flags | FileCheck %s

// CHECK-LABEL: func.func @shifted
func.func @shifted(%shift: i64, %extent: i64) -> i64 {
  // CHECK-NEXT: arith.subi %{{.*}}, %{{.*}} overflow<nsw> : i64
  %0 = arith.subi %shift, %extent overflow<nsw, nuw> : i64
  // CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} : i64
  %1 = arith.addi %0, %extent overflow<nuw> : i64
  // CHECK-NEXT: arith.muli %{{.*}}, %{{.*}} overflow<nuw> : i64
  %2 = arith.muli %1, %extent overflow<nuw> : i64
  return %2 : i64
}
