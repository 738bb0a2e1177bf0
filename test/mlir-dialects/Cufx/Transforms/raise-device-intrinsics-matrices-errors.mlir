// Leading dimensions and storage orders that are known and wrong.
// RUN: %cufort-opt --cufx-raise-device-intrinsics -verify-diagnostics %s

!c = !fir.type<_QMwmmaTsubmatrixc_m16n16k16_real4{x:!fir.array<8xf32>}>

func.func @k(%c: !fir.ref<!c>, %x: !fir.ref<f32>) {
  %sixteen = arith.constant 16 : i32
  %eighteen = arith.constant 18 : i32
  // expected-error@+1 {{the leading dimension 18 must be a positive multiple of 4, which is 16 bytes of the matrix}}
  fir.call @__cufx_wmma_load_c_m16n16k16_r4(%c, %x, %eighteen) : (!fir.ref<!c>, !fir.ref<f32>, i32) -> ()
  // expected-error@+1 {{the storage order must be WMMAColMajor or WMMARowMajor}}
  fir.call @__cufx_wmma_store_m16n16k16_r4_order(%x, %c, %sixteen, %eighteen) : (!fir.ref<f32>, !fir.ref<!c>, i32, i32) -> ()
  return
}
