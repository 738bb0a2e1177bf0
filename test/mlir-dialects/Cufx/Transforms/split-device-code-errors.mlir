// Device code that names a variable of the host is refused where it does.
// RUN: %cufort-opt --cufx-split-device-code -verify-diagnostics -split-input-file %s

// expected-note@+1 {{'count' is declared here}}
fir.global @_QMmEcount : i32 {
  %0 = fir.zero_bits i32
  fir.has_value %0 : i32
}
func.func @_QMmPkernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // expected-error@+1 {{device code cannot use 'count', a variable of the host; give it the device, managed or constant attribute}}
  %0 = fir.address_of(@_QMmEcount) : !fir.ref<i32>
  return
}

// -----

// Not even in a device procedure that only a kernel calls, and not if it is pinned.
// expected-note@+1 {{'buffer' is declared here}}
fir.global @_QMmEbuffer {data_attr = #cuf.cuda<pinned>} : !fir.box<!fir.heap<!fir.array<?xf32>>> {
  %0 = fir.zero_bits !fir.box<!fir.heap<!fir.array<?xf32>>>
  fir.has_value %0 : !fir.box<!fir.heap<!fir.array<?xf32>>>
}
func.func @_QMmPinner() attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // expected-error@+1 {{device code cannot use 'buffer', a variable of the host}}
  %0 = fir.address_of(@_QMmEbuffer) : !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>
  return
}
func.func @_QMmPkernel() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  fir.call @_QMmPinner() : () -> ()
  return
}
