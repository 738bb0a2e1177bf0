// Calls of module wmma become operations that say what the types of their submatrices say.
// RUN: %cufort-opt --cufx-raise-device-intrinsics %s | FileCheck %s --implicit-check-not='fir.call @__cufx_'

!a = !fir.type<_QMwmmaTsubmatrixa_m32n8k16_real2_rmajor{x:!fir.array<16xf16>}>
!b = !fir.type<_QMwmmaTsubmatrixb_m32n8k16_real2_cmajor{x:!fir.array<16xf16>}>
!c = !fir.type<_QMwmmaTsubmatrixc_m32n8k16_real2{x:!fir.array<8xf16>}>
!d = !fir.type<_QMwmmaTsubmatrixc_m32n8k16_real4{x:!fir.array<8xf32>}>
!e = !fir.type<_QMwmmaTsubmatrixc_m8n8k4_real8{x:!fir.array<2xf64>}>

// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[A:[^:]*]]: {{.*}}, %[[B:[^:]*]]: {{.*}}, %[[C:[^:]*]]: {{.*}}, %[[D:[^:]*]]: {{.*}}, %[[X:[^:]*]]: !fir.ref<f16>, %[[LD:[^:]*]]: i32)
func.func @products(%a: !fir.ref<!a>, %b: !fir.ref<!b>, %c: !fir.ref<!c>, %d: !fir.ref<!d>, %x: !fir.ref<f16>, %ld: i32) {
  // CHECK-NEXT: cufx.matrix_load a m32n8k16 row f16 %[[X]], %[[LD]] to %[[A]]
  fir.call @__cufx_wmma_load_a_m32n8k16_row(%a, %x, %ld) : (!fir.ref<!a>, !fir.ref<f16>, i32) -> ()
  // CHECK-NEXT: cufx.matrix_load b m32n8k16 col f16 %[[X]], %[[LD]] to %[[B]]
  fir.call @__cufx_wmma_load_b_m32n8k16_col(%b, %x, %ld) : (!fir.ref<!b>, !fir.ref<f16>, i32) -> ()
  // CHECK-NEXT: cufx.matrix_multiply m32n8k16 %[[D]] f32 = %[[A]] row, %[[B]] col + %[[C]] f16
  fir.call @__cufx_wmma_multiply_m32n8k16_row_col_r4_r2(%d, %a, %b, %c) : (!fir.ref<!d>, !fir.ref<!a>, !fir.ref<!b>, !fir.ref<!c>) -> ()
  // CHECK-NEXT: cufx.matrix_multiply m32n8k16 %[[C]] f16 = %[[A]] row, %[[B]] col + f16
  fir.call @__cufx_wmma_multiply_m32n8k16_row_col_r2(%c, %a, %b) : (!fir.ref<!c>, !fir.ref<!a>, !fir.ref<!b>) -> ()
  return
}

// CHECK-LABEL: func.func @orders
// CHECK-SAME: (%[[E:[^:]*]]: {{.*}}, %[[X:[^:]*]]: !fir.ref<f64>, %[[LD:[^:]*]]: i32, %[[ORDER:[^:]*]]: i32)
func.func @orders(%e: !fir.ref<!e>, %x: !fir.ref<f64>, %ld: i32, %order: i32) {
  // By columns, unless the program says something else.
  // CHECK: cufx.matrix_store m8n8k4 col f64 %[[E]] to %[[X]], %[[LD]]
  fir.call @__cufx_wmma_store_m8n8k4_r8(%x, %e, %ld) : (!fir.ref<f64>, !fir.ref<!e>, i32) -> ()
  %row = arith.constant 1 : i32
  // CHECK: cufx.matrix_load c m8n8k4 row f64 %[[X]], %[[LD]] to %[[E]]
  fir.call @__cufx_wmma_load_c_m8n8k4_r8_order(%e, %x, %ld, %row) : (!fir.ref<!e>, !fir.ref<f64>, i32, i32) -> ()
  // CHECK: %[[ROW:.*]] = arith.constant 1 : i32
  // CHECK-NEXT: %[[IS_ROW:.*]] = arith.cmpi eq, %[[ORDER]], %[[ROW]]
  // CHECK-NEXT: fir.if %[[IS_ROW]] {
  // CHECK-NEXT:   cufx.matrix_store m8n8k4 row f64
  // CHECK-NEXT: } else {
  // CHECK-NEXT:   cufx.matrix_store m8n8k4 col f64
  fir.call @__cufx_wmma_store_m8n8k4_r8_order(%x, %e, %ld, %order) : (!fir.ref<f64>, !fir.ref<!e>, i32, i32) -> ()
  return
}
