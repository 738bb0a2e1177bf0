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

// The bounds of a(0:n - 1).
// CHECK-LABEL: func.func @bounds
func.func @bounds(%array: !fir.ref<!fir.array<?xf32>>, %n: i32, %scope: !fir.dscope) -> i32 {
  %c1_i32 = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: arith.subi %{{.*}}, %{{.*}} overflow<nsw> : i32
  %last = arith.subi %n, %c1_i32 : i32
  %wide = fir.convert %last : (i32) -> index
  // CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : index
  %extent = arith.addi %wide, %c1 : index
  %any = arith.cmpi sgt, %extent, %c0 : index
  %elements = arith.select %any, %extent, %c0 : index
  %shape = fir.shape_shift %c0, %elements : (index, index) -> !fir.shapeshift<1>
  %declared = fir.declare %array(%shape) dummy_scope %scope {uniq_name = "_QFboundsEa"} : (!fir.ref<!fir.array<?xf32>>, !fir.shapeshift<1>, !fir.dscope) -> !fir.ref<!fir.array<?xf32>>
  // What has nothing to do with it may overflow.
  // CHECK: arith.addi %{{.*}}, %{{.*}} : i32
  %other = arith.addi %n, %c1_i32 : i32
  return %other : i32
}
