// Calls of the run-time library that only the host has are errors in device code, and fine in host code.
// RUN: %cufort-opt --cufx-check-device-code -verify-diagnostics -split-input-file %s

func.func private @_FortranAioBeginOpenUnit(i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
func.func private @_FortranACpuTime() -> f64
func.func private @_FortranAModReal4(f32, f32, !fir.ref<i8>, i32) -> f32

func.func @kernel(%unit: i32, %file: !fir.ref<i8>, %x: f32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // expected-error@+1 {{OPEN is not possible in device code}}
  %0 = fir.call @_FortranAioBeginOpenUnit(%unit, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // expected-error@+1 {{the intrinsic 'cpu_time' is not available in device code}}
  %1 = fir.call @_FortranACpuTime() : () -> f64
  %2 = fir.call @_FortranAModReal4(%x, %x, %file, %unit) : (f32, f32, !fir.ref<i8>, i32) -> f32
  return
}

// -----

func.func private @_FortranACpuTime() -> f64

func.func @host() {
  %0 = fir.call @_FortranACpuTime() : () -> f64
  return
}
