// A procedure for host and device becomes two; device code calls the device's, which gets the name when they are split.
// RUN: %cufort-opt --cufx-separate-both-sides %s | FileCheck %s
// RUN: %cufort-opt --cufx-separate-both-sides --cufx-split-device-code %s | FileCheck %s --check-prefix=SPLIT

// CHECK: func.func @both.device() attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
// CHECK: fir.call @both.device()
// CHECK: func.func @both() attributes {cuf.proc_attr = #cuf.cuda_proc<host>}
// CHECK: fir.call @both()
// CHECK: func.func @kernel
// CHECK: fir.call @both.device()
// CHECK: func.func @host
// CHECK: fir.call @both()

// SPLIT-NOT: both.device
// SPLIT: func.func @both()
// SPLIT: gpu.module
// SPLIT-NOT: both.device
// SPLIT: func.func @both()
// SPLIT: fir.call @both()
// SPLIT-NOT: both.device
func.func @both() attributes {cuf.proc_attr = #cuf.cuda_proc<host_device>} {
  fir.call @both() : () -> ()
  return
}
func.func @kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  fir.call @both() : () -> ()
  return
}
func.func @host() {
  fir.call @both() : () -> ()
  return
}
