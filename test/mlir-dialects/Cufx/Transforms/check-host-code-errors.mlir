// What the host's processor would do with device memory and device procedures.
// RUN: %cufort-opt --cufx-check-host-code -verify-diagnostics -split-input-file %s

func.func private @_QMmPd(!fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
func.func private @_QMmPboth(!fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<host_device>}
func.func private @__cufx_atomicadd_i4(!fir.ref<i32>, i32) -> i32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>}

func.func @calls(%x: !fir.ref<f32>, %n: !fir.ref<i32>, %i: i32) {
  // expected-error@+1 {{'d' is a device procedure; host code cannot call it}}
  fir.call @_QMmPd(%x) : (!fir.ref<f32>) -> ()
  fir.call @_QMmPboth(%x) : (!fir.ref<f32>) -> ()
  // expected-error@+1 {{'atomicadd' is a device procedure; host code cannot call it}}
  %0 = fir.call @__cufx_atomicadd_i4(%n, %i) : (!fir.ref<i32>, i32) -> i32
  return
}

// -----

func.func private @_QMmPd(!fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<device>}

func.func @kernel(%x: !fir.ref<f32>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  fir.call @_QMmPd(%x) : (!fir.ref<f32>) -> ()
  return
}

// -----

func.func private @_FortranAioInputReal32(!fir.ref<i8>, !fir.ref<f32>) -> i1

func.func @input_and_loop(%cookie: !fir.ref<i8>, %i: i32) {
  %0 = cuf.alloc f32 {bindc_name = "a", data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} -> !fir.ref<f32>
  %1:2 = hlfir.declare %0 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  // expected-error@+1 {{device data ('a') cannot be in an input or output statement of the host; use a host copy}}
  %2 = fir.call @_FortranAioInputReal32(%cookie, %1#0) : (!fir.ref<i8>, !fir.ref<f32>) -> i1
  %3 = cuf.alloc i32 {bindc_name = "i", data_attr = #cuf.cuda<device>, uniq_name = "_QFEi"} -> !fir.ref<i32>
  %4:2 = hlfir.declare %3 {data_attr = #cuf.cuda<device>, uniq_name = "_QFEi"} : (!fir.ref<i32>) -> (!fir.ref<i32>, !fir.ref<i32>)
  // expected-error@+1 {{device data ('i') cannot be defined by this statement of the host}}
  fir.store %i to %4#0 : !fir.ref<i32>
  // Once is enough.
  fir.store %i to %4#0 : !fir.ref<i32>
  return
}

// -----

func.func private @_QMmPd() attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
func.func private @_QMmPboth.device() attributes {cuf.proc_attr = #cuf.cuda_proc<device>}

func.func @_QMmPboth() attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  // expected-error@+1 {{'d' is a device procedure; host code cannot call it, and 'both' is a procedure for the host, too}}
  fir.call @_QMmPd() : () -> ()
  return
}
