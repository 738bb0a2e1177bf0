// Device procedures and device variables are put into a gpu.module; kernels leave stubs on the host.
// RUN: %cufort-opt --cufx-split-device-code %s | FileCheck %s

// On the host a kernel is an address.
// CHECK-LABEL: func.func @kernel
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @kernel(%x: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %d = fir.address_of(@device_variable) : !fir.ref<f32>
  %c = fir.address_of(@constant) : !fir.ref<f32>
  %t = fir.address_of(@table) : !fir.ref<!fir.array<2xf32>>
  %e = fir.address_of(@variable_of_another_file) : !fir.ref<f32>
  %0 = fir.call @device_function(%x) : (f32) -> f32
  %1 = fir.call @function_of_another_file(%x) : (f32) -> f32
  fir.store %x to %d : !fir.ref<f32>
  fir.call @_FortranASomething() : () -> ()
  return
}

// Device procedures are not on the host, procedures of both are on both.
// CHECK-NOT: func.func @device_function
func.func @device_function(%x: f32) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = fir.call @of_both(%x) : (f32) -> f32
  return %0 : f32
}
// CHECK-LABEL: func.func @of_both
// CHECK-NEXT: arith.addf
func.func @of_both(%x: f32) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<host_device>} {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @host
// CHECK: cufx.launch @kernel
// CHECK: fir.call @of_both
func.func @host(%e: i64, %x: f32) {
  cufx.launch @kernel grid(%e, %e, %e) block(%e, %e, %e) args(%x : f32)
  %0 = fir.call @of_both(%x) : (f32) -> f32
  return
}

func.func private @function_of_another_file(f32) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
func.func private @_FortranASomething()

fir.global @device_variable {data_attr = #cuf.cuda<device>} : f32 {
  %0 = arith.constant 1.0 : f32
  fir.has_value %0 : f32
}
fir.global @constant {data_attr = #cuf.cuda<constant>} : f32 {
  %0 = fir.zero_bits f32
  fir.has_value %0 : f32
}
fir.global @managed {data_attr = #cuf.cuda<managed>} : f32 {
  %0 = fir.zero_bits f32
  fir.has_value %0 : f32
}
fir.global @pinned {data_attr = #cuf.cuda<pinned>} : !fir.box<!fir.heap<!fir.array<?xf32>>> {
  %0 = fir.zero_bits !fir.box<!fir.heap<!fir.array<?xf32>>>
  fir.has_value %0 : !fir.box<!fir.heap<!fir.array<?xf32>>>
}
fir.global @host_variable : f32 {
  %0 = fir.zero_bits f32
  fir.has_value %0 : f32
}
fir.global @variable_of_another_file {data_attr = #cuf.cuda<device>} : f32
fir.global @table constant : !fir.array<2xf32> {
  %0 = fir.zero_bits !fir.array<2xf32>
  fir.has_value %0 : !fir.array<2xf32>
}

// The host keeps a shadow of every device variable: its address is the variable's identity.
// CHECK-DAG: fir.global @device_variable {data_attr = #cuf.cuda<device>} : f32 {
// CHECK-DAG: fir.global @host_variable

// CHECK-LABEL: gpu.module @device
// CHECK-NOT: @host
// CHECK-NOT: @pinned
// CHECK-DAG: func.func @kernel(%{{.*}}: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
// CHECK-DAG: fir.store
// CHECK-DAG: func.func @device_function
// CHECK-DAG: func.func @of_both
// CHECK-DAG: func.func private @function_of_another_file(f32) -> f32
// CHECK-DAG: func.func private @_FortranASomething()
// CHECK-DAG: fir.global @device_variable {data_attr = #cuf.cuda<device>} : f32 {
// CHECK-DAG: fir.global @constant {data_attr = #cuf.cuda<constant>} : f32 {
// CHECK-DAG: fir.global @managed {data_attr = #cuf.cuda<managed>} : f32 {
// CHECK-DAG: fir.global @table constant : !fir.array<2xf32> {
// CHECK-DAG: fir.global @variable_of_another_file {data_attr = #cuf.cuda<device>} : f32{{$}}
