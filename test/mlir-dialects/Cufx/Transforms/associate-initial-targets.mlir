// RUN: %cufort-opt --cufx-associate-initial-targets %s | FileCheck %s
fir.global @x {data_attr = #cuf.cuda<device>} target : f32
fir.global @h target : f32

// The address of a device variable is asked for when the program begins.
// CHECK-LABEL: fir.global @p
// CHECK-NEXT: %[[NULL:.*]] = fir.zero_bits !fir.ptr<f32>
// CHECK-NEXT: %[[BOX:.*]] = fir.embox %[[NULL]]
// CHECK-NEXT: fir.has_value %[[BOX]]
fir.global @p {data_attr = #cuf.cuda<device>} : !fir.box<!fir.ptr<f32>> {
  %0 = fir.address_of(@x) : !fir.ref<f32>
  %1:2 = hlfir.declare %0 {data_attr = #cuf.cuda<device>, uniq_name = "x"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %2 = fir.embox %1#0 : (!fir.ref<f32>) -> !fir.box<!fir.ptr<f32>>
  fir.has_value %2 : !fir.box<!fir.ptr<f32>>
}

// That of a host variable is known to the linker.
// CHECK-LABEL: fir.global @q
// CHECK: fir.address_of(@h)
// CHECK: fir.has_value
fir.global @q : !fir.box<!fir.ptr<f32>> {
  %0 = fir.address_of(@h) : !fir.ref<f32>
  %1:2 = hlfir.declare %0 {uniq_name = "h"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %2 = fir.embox %1#0 : (!fir.ref<f32>) -> !fir.box<!fir.ptr<f32>>
  fir.has_value %2 : !fir.box<!fir.ptr<f32>>
}

// What a namelist lists is no constant any more.
// CHECK-LABEL: fir.global linkonce @m.desc : !fir.box<!fir.ptr<f32>>
// CHECK-NEXT: fir.zero_bits
fir.global @m {data_attr = #cuf.cuda<managed>} : f32
fir.global linkonce @m.desc constant : !fir.box<!fir.ptr<f32>> {
  %0 = fir.address_of(@m) : !fir.ref<f32>
  %1:2 = hlfir.declare %0 {data_attr = #cuf.cuda<managed>, uniq_name = "m"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  %2 = fir.embox %1#0 : (!fir.ref<f32>) -> !fir.box<!fir.ptr<f32>>
  fir.has_value %2 : !fir.box<!fir.ptr<f32>>
}

// CHECK-LABEL: func.func @cufort.associate.p()
// CHECK: %[[X:.*]] = fir.address_of(@x)
// CHECK: %[[TARGET:.*]]:2 = hlfir.declare %[[X]] {data_attr = #cuf.cuda<device>
// CHECK: %[[DESCRIPTOR:.*]] = fir.embox %[[TARGET]]#0
// CHECK: %[[P:.*]] = fir.address_of(@p)
// CHECK: %[[POINTER:.*]]:2 = hlfir.declare %[[P]] {data_attr = #cuf.cuda<device>, fortran_attrs = #fir.var_attrs<pointer>
// CHECK: fir.store %[[DESCRIPTOR]] to %[[POINTER]]#0
// CHECK: cuf.sync_descriptor @p
// CHECK-NOT: cufort.associate.q
