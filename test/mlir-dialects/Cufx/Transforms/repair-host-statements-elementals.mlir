// Elementwise host expressions on device arrays: a host copy of the array is read, with the array's bounds.
// RUN: %cufort-opt --cufx-repair-host-statements -mlir-very-unsafe-disable-verifier-on-parsing %s | FileCheck %s

// h = 2 * d, with real, device :: d(0:9)
// CHECK-LABEL: func.func @twice
// CHECK: %[[D:.*]]:2 = hlfir.declare {{.*}}data_attr = #cuf.cuda<device>
// CHECK: %[[MEMORY:.*]] = fir.allocmem !fir.array<?xf32>
// CHECK: %[[SHAPE:.*]] = fir.shape_shift %c0{{.*}}, %c10
// CHECK: %[[COPY:.*]]:2 = hlfir.declare %[[MEMORY]](%[[SHAPE]])
// CHECK: cuf.data_transfer %[[D]]#0 to %[[COPY]]#0 {transfer_kind = #cuf.cuda_transfer<device_host>}
// CHECK: hlfir.elemental
// CHECK: hlfir.designate %[[COPY]]#0
// CHECK: hlfir.assign
// CHECK: hlfir.destroy
// CHECK-NEXT: fir.freemem %[[MEMORY]]
func.func @twice(%h: !fir.ref<!fir.array<10xf32>>, %a: !fir.ref<!fir.array<10xf32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %bounds = fir.shape_shift %c0, %c10 : (index, index) -> !fir.shapeshift<1>
  %d:2 = hlfir.declare %a(%bounds) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<!fir.array<10xf32>>, !fir.shapeshift<1>) -> (!fir.box<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %shape = fir.shape %c10 : (index) -> !fir.shape<1>
  %x:2 = hlfir.declare %h(%shape) {uniq_name = "_QFEh"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %e = hlfir.elemental %shape unordered : (!fir.shape<1>) -> !hlfir.expr<10xf32> {
  ^bb0(%i: index):
    %j = arith.subi %i, %c1 : index
    %p = hlfir.designate %d#0 (%j) : (!fir.box<!fir.array<10xf32>>, index) -> !fir.ref<f32>
    %v = fir.load %p : !fir.ref<f32>
    %s = arith.addf %v, %v : f32
    hlfir.yield_element %s : f32
  }
  "cuf.data_transfer"(%e, %x#0) {transfer_kind = #cuf.cuda_transfer<device_host>} : (!hlfir.expr<10xf32>, !fir.ref<!fir.array<10xf32>>) -> ()
  hlfir.destroy %e : !hlfir.expr<10xf32>
  return
}
