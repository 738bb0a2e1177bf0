// A label that the compiler does not know means that module cudadevice and the pass disagree.
// RUN: %cufort-opt --cufx-raise-device-intrinsics -verify-diagnostics %s

func.func @k(%x: i32) -> i32 {
  // expected-error@+1 {{device intrinsic '__cufx_frobnicate_i4' is not known to the compiler}}
  %0 = fir.call @__cufx_frobnicate_i4(%x) : (i32) -> i32
  // Every unknown label is reported.
  // expected-error@+1 {{device intrinsic '__cufx_' is not known to the compiler}}
  fir.call @__cufx_() : () -> ()
  return %0 : i32
}
