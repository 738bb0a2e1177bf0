// Variables of used modules that a procedure declares and does not use are forgotten, on both sides.
// RUN: %cufort-opt --cufx-split-device-code %s | FileCheck %s --implicit-check-not=address_of

fir.global @_QMmEhost : f32
fir.global @_QMmEfrom_zero : !fir.array<4xf32>
fir.global @_QMmEdevice {data_attr = #cuf.cuda<device>} : f32

// CHECK-LABEL: func.func @kernel
// CHECK-LABEL: func.func @host
func.func @kernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = fir.address_of(@_QMmEhost) : !fir.ref<f32>
  %1 = fir.declare %0 {uniq_name = "_QMmEhost"} : (!fir.ref<f32>) -> !fir.ref<f32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %2 = fir.address_of(@_QMmEfrom_zero) : !fir.ref<!fir.array<4xf32>>
  %3 = fir.shape_shift %c0, %c4 : (index, index) -> !fir.shapeshift<1>
  %4 = fir.declare %2(%3) {uniq_name = "_QMmEfrom_zero"} : (!fir.ref<!fir.array<4xf32>>, !fir.shapeshift<1>) -> !fir.ref<!fir.array<4xf32>>
  %5 = fir.embox %4(%3) : (!fir.ref<!fir.array<4xf32>>, !fir.shapeshift<1>) -> !fir.box<!fir.array<4xf32>>
  return
}
func.func @host() {
  %0 = fir.address_of(@_QMmEdevice) : !fir.ref<f32>
  %1 = fir.declare %0 {data_attr = #cuf.cuda<device>, uniq_name = "_QMmEdevice"} : (!fir.ref<f32>) -> !fir.ref<f32>
  return
}

// CHECK-LABEL: gpu.module
// CHECK-NOT: fir.global
