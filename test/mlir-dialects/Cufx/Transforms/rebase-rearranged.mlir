// The arguments of hlfir.cshift and hlfir.reshape that may have lower bounds lose them.
// RUN: %cufort-opt --cufx-rebase-rearranged %s | FileCheck %s

// CHECK-LABEL: func.func @rearrange
// CHECK: %[[A:.*]]:2 = hlfir.declare
// CHECK: %[[B:.*]] = fir.rebox %[[A]]#0 : (!fir.box<!fir.array<8xi32>>) -> !fir.box<!fir.array<8xi32>>
// CHECK: hlfir.cshift %[[B]]
// CHECK: %[[C:.*]] = fir.rebox %{{.*}} : (!fir.box<!fir.heap<!fir.array<?xi32>>>) -> !fir.box<!fir.array<?xi32>>
// CHECK: hlfir.reshape %[[C]]
// CHECK-NOT: fir.rebox
// CHECK: hlfir.cshift %{{.*}}#0
func.func @rearrange(%memory: !fir.ref<!fir.array<8xi32>>, %allocatable: !fir.box<!fir.heap<!fir.array<?xi32>>>,
                     %extents: !fir.ref<!fir.array<2xi32>>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %bounds = fir.shape_shift %c0, %c8 : (index, index) -> !fir.shapeshift<1>
  %a:2 = hlfir.declare %memory(%bounds) {uniq_name = "a"} : (!fir.ref<!fir.array<8xi32>>, !fir.shapeshift<1>) -> (!fir.box<!fir.array<8xi32>>, !fir.ref<!fir.array<8xi32>>)
  %0 = hlfir.cshift %a#0 %n : (!fir.box<!fir.array<8xi32>>, i32) -> !hlfir.expr<8xi32>
  hlfir.destroy %0 : !hlfir.expr<8xi32>
  %1 = hlfir.reshape %allocatable %extents : (!fir.box<!fir.heap<!fir.array<?xi32>>>, !fir.ref<!fir.array<2xi32>>) -> !hlfir.expr<?x?xi32>
  hlfir.destroy %1 : !hlfir.expr<?x?xi32>
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %b:2 = hlfir.declare %memory(%shape) {uniq_name = "b"} : (!fir.ref<!fir.array<8xi32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xi32>>, !fir.ref<!fir.array<8xi32>>)
  %2 = hlfir.cshift %b#0 %n : (!fir.ref<!fir.array<8xi32>>, i32) -> !hlfir.expr<8xi32>
  hlfir.destroy %2 : !hlfir.expr<8xi32>
  return
}
