// Assignments to sections of a line from its neighbours become loops that need no memory for the values.
// RUN: %cufort-opt --cufx-assign-shifted-sections %s | FileCheck %s

// a(2:n) = a(1:n-1) * a(1:n-1): the loop goes down, and reads what it has not reached yet.
// CHECK-LABEL: func.func @from_behind
// CHECK: %[[TO:.*]] = hlfir.designate %{{.*}} (%c2{{.*}}:%c8{{.*}}:%c1{{.*}})
// CHECK: %[[FROM:.*]] = hlfir.designate %{{.*}} (%c1{{.*}}:%c7{{.*}}:%c1{{.*}})
// CHECK: fir.do_loop %[[I:.*]] = %c7{{.*}} to %c1{{.*}} step %c-1
// CHECK: %[[ELEMENT:.*]] = hlfir.designate %[[FROM]] (%[[I]])
// CHECK: %[[OLD:.*]] = fir.load %[[ELEMENT]]
// CHECK: %[[NEW:.*]] = arith.mulf %[[OLD]], %[[OLD]]
// CHECK: %[[PLACE:.*]] = hlfir.designate %[[TO]] (%[[I]])
// CHECK: fir.store %[[NEW]] to %[[PLACE]]
// CHECK-NOT: hlfir.elemental
func.func @from_behind(%memory: !fir.ref<!fir.array<8xf32>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %part = fir.shape %c7 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %to = hlfir.designate %a#0 (%c2:%c8:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<7xf32>>
  %from = hlfir.designate %a#0 (%c1:%c7:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<7xf32>>
  %value = hlfir.elemental %part unordered : (!fir.shape<1>) -> !hlfir.expr<7xf32> {
  ^bb0(%i: index):
    %element = hlfir.designate %from (%i) : (!fir.ref<!fir.array<7xf32>>, index) -> !fir.ref<f32>
    %old = fir.load %element : !fir.ref<f32>
    %new = arith.mulf %old, %old : f32
    hlfir.yield_element %new : f32
  }
  hlfir.assign %value to %to : !hlfir.expr<7xf32>, !fir.ref<!fir.array<7xf32>>
  hlfir.destroy %value : !hlfir.expr<7xf32>
  return
}

// a(2:7) = a(1:6) + a(3:8): the loop goes up, and hands on the element before it was written.
// CHECK-LABEL: func.func @from_both_sides
// CHECK: %[[HELD:.*]] = fir.alloca f32
// CHECK: %[[TO:.*]] = hlfir.designate %{{.*}} (%c2{{.*}}:%c7{{.*}}:%c1{{.*}})
// CHECK: %[[BEHIND:.*]] = hlfir.designate %{{.*}} (%c1{{.*}}:%c6{{.*}}:%c1{{.*}})
// CHECK: %[[AHEAD:.*]] = hlfir.designate %{{.*}} (%c3{{.*}}:%c8{{.*}}:%c1{{.*}})
// CHECK: fir.if
// CHECK: %[[BEFORE:.*]] = hlfir.designate %[[BEHIND]] (%c1{{.*}})
// CHECK: %[[FIRST:.*]] = fir.load %[[BEFORE]]
// CHECK: fir.store %[[FIRST]] to %[[HELD]]
// CHECK: fir.do_loop %[[I:.*]] = %c1{{.*}} to %c6{{.*}} step %c1{{.*}}
// CHECK: %[[NEXT:.*]] = hlfir.designate %[[AHEAD]] (%[[I]])
// CHECK-DAG: fir.load %[[HELD]]
// CHECK-DAG: fir.load %[[NEXT]]
// CHECK: %[[NEW:.*]] = arith.addf
// CHECK: %[[PLACE:.*]] = hlfir.designate %[[TO]] (%[[I]])
// CHECK: %[[OLD:.*]] = fir.load %[[PLACE]]
// CHECK: fir.store %[[OLD]] to %[[HELD]]
// CHECK: fir.store %[[NEW]] to %[[PLACE]]
func.func @from_both_sides(%memory: !fir.ref<!fir.array<8xf32>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %part = fir.shape %c6 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %to = hlfir.designate %a#0 (%c2:%c7:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<6xf32>>
  %behind = hlfir.designate %a#0 (%c1:%c6:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<6xf32>>
  %ahead = hlfir.designate %a#0 (%c3:%c8:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<6xf32>>
  %value = hlfir.elemental %part unordered : (!fir.shape<1>) -> !hlfir.expr<6xf32> {
  ^bb0(%i: index):
    %first = hlfir.designate %behind (%i) : (!fir.ref<!fir.array<6xf32>>, index) -> !fir.ref<f32>
    %second = hlfir.designate %ahead (%i) : (!fir.ref<!fir.array<6xf32>>, index) -> !fir.ref<f32>
    %x = fir.load %first : !fir.ref<f32>
    %y = fir.load %second : !fir.ref<f32>
    %sum = arith.addf %x, %y : f32
    hlfir.yield_element %sum : f32
  }
  hlfir.assign %value to %to : !hlfir.expr<6xf32>, !fir.ref<!fir.array<6xf32>>
  hlfir.destroy %value : !hlfir.expr<6xf32>
  return
}

// a(2:7) = a(7:2:-1) + 1, and the same of the host: as they were.
// CHECK-LABEL: func.func @backwards
// CHECK: hlfir.assign
// CHECK-LABEL: func.func @on_the_host
// CHECK: hlfir.assign
func.func @backwards(%memory: !fir.ref<!fir.array<8xf32>>, %one: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %c1 = arith.constant 1 : index
  %minus1 = arith.constant -1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %part = fir.shape %c6 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %to = hlfir.designate %a#0 (%c2:%c7:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<6xf32>>
  %from = hlfir.designate %a#0 (%c7:%c2:%minus1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.box<!fir.array<6xf32>>
  %value = hlfir.elemental %part unordered : (!fir.shape<1>) -> !hlfir.expr<6xf32> {
  ^bb0(%i: index):
    %element = hlfir.designate %from (%i) : (!fir.box<!fir.array<6xf32>>, index) -> !fir.ref<f32>
    %old = fir.load %element : !fir.ref<f32>
    %new = arith.addf %old, %one : f32
    hlfir.yield_element %new : f32
  }
  hlfir.assign %value to %to : !hlfir.expr<6xf32>, !fir.ref<!fir.array<6xf32>>
  hlfir.destroy %value : !hlfir.expr<6xf32>
  return
}

func.func @on_the_host(%memory: !fir.ref<!fir.array<8xf32>>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %shape = fir.shape %c8 : (index) -> !fir.shape<1>
  %part = fir.shape %c7 : (index) -> !fir.shape<1>
  %a:2 = hlfir.declare %memory(%shape) {uniq_name = "a"} : (!fir.ref<!fir.array<8xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<8xf32>>, !fir.ref<!fir.array<8xf32>>)
  %to = hlfir.designate %a#0 (%c2:%c8:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<7xf32>>
  %from = hlfir.designate %a#0 (%c1:%c7:%c1) shape %part : (!fir.ref<!fir.array<8xf32>>, index, index, index, !fir.shape<1>) -> !fir.ref<!fir.array<7xf32>>
  %value = hlfir.elemental %part unordered : (!fir.shape<1>) -> !hlfir.expr<7xf32> {
  ^bb0(%i: index):
    %element = hlfir.designate %from (%i) : (!fir.ref<!fir.array<7xf32>>, index) -> !fir.ref<f32>
    %old = fir.load %element : !fir.ref<f32>
    %new = arith.mulf %old, %old : f32
    hlfir.yield_element %new : f32
  }
  hlfir.assign %value to %to : !hlfir.expr<7xf32>, !fir.ref<!fir.array<7xf32>>
  hlfir.destroy %value : !hlfir.expr<7xf32>
  return
}
