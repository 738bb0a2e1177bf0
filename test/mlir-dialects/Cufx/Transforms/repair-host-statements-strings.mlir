// Strings whose length differs from the target's: the host changes it, before the transfer to the device or after the
// one from it.
// RUN: %cufort-opt --cufx-repair-host-statements %s | FileCheck %s

// CHECK-LABEL: func.func @shorter_to_the_device
// CHECK-SAME: (%[[D:.*]]: !fir.ref<!fir.char<1,5>>, %[[S:.*]]: !fir.ref<!fir.char<1,3>>)
func.func @shorter_to_the_device(%d: !fir.ref<!fir.char<1,5>>, %s: !fir.ref<!fir.char<1,3>>) {
  // CHECK: %[[MEMORY:.*]] = fir.alloca !fir.char<1,5>
  // CHECK: %[[TMP:.*]]:2 = hlfir.declare %[[MEMORY]]
  // CHECK: hlfir.assign %[[S]] to %[[TMP]]#0
  // CHECK: cuf.data_transfer {{.*}} {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.char<1,5>>, !fir.box<!fir.char<1,5>>
  cuf.data_transfer %s to %d {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.ref<!fir.char<1,3>>, !fir.ref<!fir.char<1,5>>
  return
}

// CHECK-LABEL: func.func @longer_from_the_device
// CHECK-SAME: (%[[D:.*]]: !fir.ref<!fir.char<1,5>>, %[[S:.*]]: !fir.ref<!fir.char<1,3>>)
func.func @longer_from_the_device(%d: !fir.ref<!fir.char<1,5>>, %s: !fir.ref<!fir.char<1,3>>) {
  // CHECK: %[[TMP:.*]]:2 = hlfir.declare {{.*}} : (!fir.ref<!fir.char<1,5>>, index)
  // CHECK: cuf.data_transfer {{.*}} {transfer_kind = #cuf.cuda_transfer<device_host>} : !fir.box<!fir.char<1,5>>, !fir.box<!fir.char<1,5>>
  // CHECK: hlfir.assign %[[TMP]]#0 to %[[S]]
  cuf.data_transfer %d to %s {transfer_kind = #cuf.cuda_transfer<device_host>} : !fir.ref<!fir.char<1,5>>, !fir.ref<!fir.char<1,3>>
  return
}

// One string of length 1 for all elements goes by descriptor: without one, as many bytes as the array has are copied.
// CHECK-LABEL: func.func @fill
func.func @fill(%d: !fir.ref<!fir.array<9x!fir.char<1>>>, %s: !fir.ref<!fir.char<1>>) {
  %c9 = arith.constant 9 : index
  %c1 = arith.constant 1 : index
  %shape = fir.shape %c9 : (index) -> !fir.shape<1>
  %x:2 = hlfir.declare %d(%shape) typeparams %c1 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEd"} : (!fir.ref<!fir.array<9x!fir.char<1>>>, !fir.shape<1>, index) -> (!fir.ref<!fir.array<9x!fir.char<1>>>, !fir.ref<!fir.array<9x!fir.char<1>>>)
  // CHECK: cuf.data_transfer {{.*}} : !fir.box<!fir.char<1>>, !fir.box<!fir.array<9x!fir.char<1>>>
  cuf.data_transfer %s to %x#0 {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.ref<!fir.char<1>>, !fir.ref<!fir.array<9x!fir.char<1>>>
  return
}
