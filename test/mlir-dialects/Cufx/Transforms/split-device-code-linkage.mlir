// A device variable that is local to its file on the host can be found by name on the device.
// RUN: %cufort-opt --cufx-split-device-code %s | FileCheck %s

// CHECK: fir.global internal @_QFEcounter {data_attr = #cuf.cuda<device>} : i32
// CHECK-LABEL: gpu.module
// CHECK: fir.global @_QFEcounter {data_attr = #cuf.cuda<device>} : i32
fir.global internal @_QFEcounter {data_attr = #cuf.cuda<device>} : i32 {
  %0 = arith.constant 0 : i32
  fir.has_value %0 : i32
}
