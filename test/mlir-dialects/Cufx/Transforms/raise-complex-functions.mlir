// Functions of complex numbers work on a variable at the start of the device code; |z| needs none. Host code keeps its
// calls.
// RUN: %cufort-opt --cufx-raise-complex-functions %s | FileCheck %s

func.func private @csqrt(complex<f64>) -> complex<f64>
func.func private @cabsf(complex<f32>) -> f32

// CHECK-LABEL: func.func @kernel
// CHECK: %[[ANY:.*]] = fir.alloca complex<f64>
// CHECK: fir.store %{{.*}} to %[[Z_VAR:.*]] : !fir.ref<complex<f64>>
// CHECK: fir.call @__cufx_csqrt_c8(%[[Z_VAR]])
// CHECK: %[[ROOT:.*]] = fir.load %[[Z_VAR]]
// CHECK: fir.call @__cufx_cpow_c8(%{{.*}}, %{{.*}}) {{.*}}: (!fir.ref<complex<f64>>, !fir.ref<complex<f64>>) -> ()
// CHECK-DAG: %[[RE:.*]] = complex.re
// CHECK-DAG: %[[IM:.*]] = complex.im
// CHECK: fir.call @__nv_hypotf(%[[RE]], %[[IM]])
func.func @kernel(%z: complex<f64>, %c: complex<f32>) -> (complex<f64>, f32) attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = fir.call @csqrt(%z) : (complex<f64>) -> complex<f64>
  %1 = complex.pow %0, %z : complex<f64>
  %2 = fir.call @cabsf(%c) : (complex<f32>) -> f32
  return %1, %2 : complex<f64>, f32
}

// CHECK-LABEL: func.func @host
// CHECK: fir.call @csqrt
func.func @host(%z: complex<f64>) -> complex<f64> {
  %0 = fir.call @csqrt(%z) : (complex<f64>) -> complex<f64>
  return %0 : complex<f64>
}
