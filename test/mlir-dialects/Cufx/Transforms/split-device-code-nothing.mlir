// A module without device code stays as it is: declarations of device procedures and variables are not device code.
// RUN: %cufort-opt --cufx-split-device-code %s | FileCheck %s --implicit-check-not=gpu.module

// CHECK: func.func private @kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
// CHECK: fir.global @of_another_file
fir.global @of_another_file {data_attr = #cuf.cuda<device>} : f32
// CHECK: func.func @host
func.func @host(%e: i64) {
  // CHECK: cufx.launch @kernel
  cufx.launch @kernel grid(%e, %e, %e) block(%e, %e, %e)
  return
}
