// A reduce clause names the kind; whether .and. and .or. are of bits or truth values is the variable's type.
// RUN: %cufort-opt --cufx-schedule-kernel-loops %s | FileCheck %s
// Kinds: 0 add, 1 mul, 2 max, 3 min, 4 iand, 5 ior, 6 ieor, 7 land, 8 lor.

// CHECK-LABEL: func.func @every_kind
func.func @every_kind(%n: index, %r: !fir.ref<f64>, %i: !fir.ref<i32>, %l: !fir.ref<!fir.logical<4>>) {
  // CHECK: reduce [0](%{{.*}} : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> reduce(%r : !fir.ref<f64> : [#fir.reduce_attr<add>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [1](%{{.*}} : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> reduce(%r : !fir.ref<f64> : [#fir.reduce_attr<multiply>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [2](%{{.*}} : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> reduce(%r : !fir.ref<f64> : [#fir.reduce_attr<max>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [3](%{{.*}} : !fir.ref<f64>)
  cuf.kernel<<<*, *>>> reduce(%r : !fir.ref<f64> : [#fir.reduce_attr<min>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [4](%{{.*}} : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> reduce(%i : !fir.ref<i32> : [#fir.reduce_attr<iand>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [5](%{{.*}} : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> reduce(%i : !fir.ref<i32> : [#fir.reduce_attr<ior>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [6](%{{.*}} : !fir.ref<i32>)
  cuf.kernel<<<*, *>>> reduce(%i : !fir.ref<i32> : [#fir.reduce_attr<ieor>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [7](%{{.*}} : !fir.ref<!fir.logical<4>>)
  cuf.kernel<<<*, *>>> reduce(%l : !fir.ref<!fir.logical<4>> : [#fir.reduce_attr<and>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  // CHECK: reduce [8](%{{.*}} : !fir.ref<!fir.logical<4>>)
  cuf.kernel<<<*, *>>> reduce(%l : !fir.ref<!fir.logical<4>> : [#fir.reduce_attr<or>]) (%index : index) = (%n : index)
      to (%n : index) step (%n : index) { "fir.end"() : () -> () }
  return
}

// Those of the clause come first, then those that were found.
// CHECK-LABEL: func.func @clause_and_found
// CHECK-SAME: (%{{.*}}: index, %[[A:.*]]: !fir.ref<f32>, %[[B:.*]]: !fir.ref<i32>, %[[C:.*]]: !fir.ref<i32>, %{{.*}}: i32)
func.func @clause_and_found(%n: index, %a: !fir.ref<f32>, %b: !fir.ref<i32>, %c: !fir.ref<i32>, %x: i32) {
  // CHECK: reduce [2, 1, 0](%[[A]], %[[B]], %[[C]] : !fir.ref<f32>, !fir.ref<i32>, !fir.ref<i32>)
  cuf.kernel<<<*, *>>> reduce(%a, %b : !fir.ref<f32>, !fir.ref<i32> : [#fir.reduce_attr<max>, #fir.reduce_attr<multiply>])
      (%index : index) = (%n : index) to (%n : index) step (%n : index) {
    %0 = fir.load %c : !fir.ref<i32>
    %1 = arith.addi %0, %x : i32
    fir.store %1 to %c : !fir.ref<i32>
    "fir.end"() : () -> ()
  }
  return
}
