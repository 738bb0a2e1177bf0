// Procedures whose address the host needs keep an empty body there.
// RUN: %cufort-opt --cufx-split-device-code %s | FileCheck %s

fir.global linkonce_odr @table constant : !fir.llvm_ptr<i8> {
  %0 = fir.address_of(@bound) : (f32) -> f32
  %1 = fir.convert %0 : ((f32) -> f32) -> !fir.llvm_ptr<i8>
  fir.has_value %1 : !fir.llvm_ptr<i8>
}

// A device procedure that stands in the table of a type's procedures.
// CHECK-LABEL: func.func @bound(%{{.*}}: f32) -> f32
// CHECK-NEXT: %[[NOTHING:.*]] = fir.undefined f32
// CHECK-NEXT: return %[[NOTHING]] : f32
func.func @bound(%x: f32) -> f32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = arith.mulf %x, %x : f32
  return %0 : f32
}

// A kernel of a cooperative launch, although nobody launches it in this file.
// CHECK-LABEL: func.func @grid_kernel()
// CHECK-NEXT: return
func.func @grid_kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<grid_global>} {
  cufx.barrier
  return
}

// CHECK-LABEL: gpu.module
// CHECK: func.func @bound
// CHECK-NEXT: arith.mulf
// CHECK: func.func @grid_kernel
// CHECK-NEXT: cufx.barrier
