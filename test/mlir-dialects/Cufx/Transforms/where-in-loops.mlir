// WHERE of device code whose elements do not need each other goes through them once.
// RUN: %cufort-opt --cufx-where-in-loops %s | FileCheck %s

// where (a < 0) a = 0 elsewhere a = b
// CHECK-LABEL: func.func @by_element
// CHECK-NOT: hlfir.where
// CHECK: fir.do_loop %[[I:.*]] = %c1{{.*}} to %c8{{.*}} step %c1{{.*}} unordered
// CHECK: %[[READ:.*]] = hlfir.designate %[[A:.*]]#0 (%[[I]])
// CHECK: %[[OLD:.*]] = fir.load %[[READ]]
// CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt, %[[OLD]], %{{.*}}
// CHECK: fir.if
// CHECK: %[[PLACE:.*]] = hlfir.designate %[[A]]#0 (%[[I]])
// CHECK: fir.store %arg2 to %[[PLACE]]
// CHECK: else
// CHECK: %[[OTHER:.*]] = hlfir.designate %{{.*}}#0 (%[[I]])
// CHECK: %[[NEW:.*]] = fir.load %[[OTHER]]
// CHECK: fir.store %[[NEW]]
func.func @by_element(%memory: !fir.ref<!fir.array<8xf32>>, %other: !fir.ref<!fir.array<8xf32>>, %zero: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %b:2 = hlfir.declare %other(%shape) {uniq_name = "b"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  hlfir.where {
    %mask = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<8x!fir.logical<4>> {
    ^bb0(%i: index):
      %element = hlfir.designate %a#0 (%i) : (!fir.ref<!fir.array<8xf32>>, index) -> !fir.ref<f32>
      %old = fir.load %element : !fir.ref<f32>
      %negative = arith.cmpf olt, %old, %zero : f32
      %logical = fir.convert %negative : (i1) -> !fir.logical<4>
      hlfir.yield_element %logical : !fir.logical<4>
    }
    hlfir.yield %mask : !hlfir.expr<8x!fir.logical<4>> cleanup {
      hlfir.destroy %mask : !hlfir.expr<8x!fir.logical<4>>
    }
  } do {
    hlfir.region_assign {
      hlfir.yield %zero : f32
    } to {
      hlfir.yield %a#0 : !fir.ref<!fir.array<8xf32>>
    }
    hlfir.elsewhere do {
      hlfir.region_assign {
        hlfir.yield %b#0 : !fir.ref<!fir.array<8xf32>>
      } to {
        hlfir.yield %a#0 : !fir.ref<!fir.array<8xf32>>
      }
    }
  }
  return
}

// where (a < a(8:1:-1)) a = 0 needs the mask before, and what is done once stays what it is.
// CHECK-LABEL: func.func @of_others
// CHECK: hlfir.where
// CHECK-LABEL: func.func @once
// CHECK: hlfir.where
func.func @of_others(%memory: !fir.ref<!fir.array<8xf32>>, %zero: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  hlfir.where {
    %mask = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<8x!fir.logical<4>> {
    ^bb0(%i: index):
      %j = arith.subi %c9, %i : index
      %element = hlfir.designate %a#0 (%j) : (!fir.ref<!fir.array<8xf32>>, index) -> !fir.ref<f32>
      %old = fir.load %element : !fir.ref<f32>
      %negative = arith.cmpf olt, %old, %zero : f32
      %logical = fir.convert %negative : (i1) -> !fir.logical<4>
      hlfir.yield_element %logical : !fir.logical<4>
    }
    hlfir.yield %mask : !hlfir.expr<8x!fir.logical<4>> cleanup {
      hlfir.destroy %mask : !hlfir.expr<8x!fir.logical<4>>
    }
  } do {
    hlfir.region_assign {
      hlfir.yield %zero : f32
    } to {
      hlfir.yield %a#0 : !fir.ref<!fir.array<8xf32>>
    }
  }
  return
}

func.func @once(%memory: !fir.ref<!fir.array<8xf32>>, %mask: !fir.ref<!fir.array<8x!fir.logical<4>>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %l:2 = hlfir.declare %mask(%shape) {uniq_name = "l"} : (!fir.ref<!fir.array<8x!fir.logical<4>>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8x!fir.logical<4>>>, !fir.ref<!fir.array<8x!fir.logical<4>>>)
  hlfir.where {
    hlfir.yield %l#0 : !fir.ref<!fir.array<8x!fir.logical<4>>>
  } do {
    hlfir.region_assign {
      %sum = hlfir.exactly_once : f32 {
        %all = hlfir.sum %a#0 : (!fir.ref<!fir.array<8xf32>>) -> f32
        hlfir.yield %all : f32
      }
      hlfir.yield %sum : f32
    } to {
      hlfir.yield %a#0 : !fir.ref<!fir.array<8xf32>>
    }
  }
  return
}
