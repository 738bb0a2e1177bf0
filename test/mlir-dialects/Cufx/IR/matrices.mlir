// Matrix operations are printed so that they can be read again.
// RUN: %cufort-opt %s | %cufort-opt | FileCheck %s

// CHECK-LABEL: func.func @half
// CHECK-SAME: (%[[X:.*]]: !fir.ref<f16>, %[[Y:.*]]: !fir.ref<f32>, %[[F:.*]]: !llvm.ptr, %[[LD:.*]]: i32)
func.func @half(%x: !fir.ref<f16>, %y: !fir.ref<f32>, %f: !llvm.ptr, %ld: i32) {
  // CHECK: cufx.matrix_load a m16n16k16 col f16 %[[X]], %[[LD]] to %[[F]] : !fir.ref<f16>, !llvm.ptr
  cufx.matrix_load a m16n16k16 col f16 %x, %ld to %f : !fir.ref<f16>, !llvm.ptr
  // CHECK: cufx.matrix_load c m8n32k16 row f32 %[[Y]], %[[LD]] to %[[F]] : !fir.ref<f32>, !llvm.ptr
  cufx.matrix_load c m8n32k16 row f32 %y, %ld to %f : !fir.ref<f32>, !llvm.ptr
  // CHECK: cufx.matrix_store m32n8k16 col f32 %[[F]] to %[[Y]], %[[LD]] : !llvm.ptr, !fir.ref<f32>
  cufx.matrix_store m32n8k16 col f32 %f to %y, %ld : !llvm.ptr, !fir.ref<f32>
  // CHECK: cufx.matrix_multiply m16n16k16 %[[F]] f32 = %[[F]] col, %[[F]] row + %[[F]] f16 : !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr
  cufx.matrix_multiply m16n16k16 %f f32 = %f col, %f row + %f f16 : !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr
  return
}

// CHECK-LABEL: func.func @double
// CHECK-SAME: (%[[X:.*]]: !fir.ref<f64>, %[[F:.*]]: !llvm.ptr, %[[LD:.*]]: i32)
func.func @double(%x: !fir.ref<f64>, %f: !llvm.ptr, %ld: i32) {
  // CHECK: cufx.matrix_load b m8n8k4 row f64 %[[X]], %[[LD]] to %[[F]]
  cufx.matrix_load b m8n8k4 row f64 %x, %ld to %f : !fir.ref<f64>, !llvm.ptr
  // CHECK: cufx.matrix_multiply m8n8k4 %[[F]] f64 = %[[F]] col, %[[F]] col + f64 : !llvm.ptr, !llvm.ptr, !llvm.ptr{{$}}
  cufx.matrix_multiply m8n8k4 %f f64 = %f col, %f col + f64 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  return
}
