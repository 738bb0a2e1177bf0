// Shapes go with element types, and matrices with fragments.
// RUN: %cufort-opt -verify-diagnostics -split-input-file %s

func.func @double_in_a_shape_of_half(%x: !fir.ref<f64>, %f: !llvm.ptr, %ld: i32) {
  // expected-error@+1 {{op of this shape multiplies elements of f16}}
  cufx.matrix_load a m16n16k16 col f64 %x, %ld to %f : !fir.ref<f64>, !llvm.ptr
  return
}

// -----

func.func @half_in_the_shape_of_double(%x: !fir.ref<f16>, %f: !llvm.ptr, %ld: i32) {
  // expected-error@+1 {{op of shape m8n8k4 has elements of f64}}
  cufx.matrix_load b m8n8k4 col f16 %x, %ld to %f : !fir.ref<f16>, !llvm.ptr
  return
}

// -----

func.func @sum_in_double(%x: !fir.ref<f64>, %f: !llvm.ptr, %ld: i32) {
  // expected-error@+1 {{op of this shape adds up in f16 or f32}}
  cufx.matrix_store m32n8k16 col f64 %f to %x, %ld : !llvm.ptr, !fir.ref<f64>
  return
}

// -----

func.func @matrix_of_another_type(%x: !fir.ref<f32>, %f: !llvm.ptr, %ld: i32) {
  // expected-error@+1 {{op moves elements of 'f16', and the matrix has 'f32'}}
  cufx.matrix_load a m16n16k16 col f16 %x, %ld to %f : !fir.ref<f32>, !llvm.ptr
  return
}

// -----

func.func @product_into_double(%f: !llvm.ptr) {
  // expected-error@+1 {{op of this shape adds up in f16 or f32}}
  cufx.matrix_multiply m8n32k16 %f f64 = %f col, %f col + f64 : !llvm.ptr, !llvm.ptr, !llvm.ptr
  return
}
