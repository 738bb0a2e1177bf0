// What no GPU has that code is made for, by the highest of them. Without GPUs, and if one has it, all is fine.
// RUN: %cufort-opt --cufx-check-device-code=max-architecture=80 -verify-diagnostics -split-input-file %s
// RUN: %cufort-opt --cufx-check-device-code="min-architecture=80 max-architecture=90" -split-input-file %s
// RUN: %cufort-opt --cufx-check-device-code -split-input-file %s

// A kernel with clusters is reported as a whole.
// expected-error@+1 {{thread block clusters need compute capability 9.0, and the GPU with the highest has 8.0: compile with -gpu=cc90}}
func.func @kernel() attributes {cuf.cluster_dims = #cuf.cluster_dims<x = 2 : i64, y = 1 : i64, z = 1 : i64>, cuf.proc_attr = #cuf.cuda_proc<global>} {
  cufx.cluster_barrier
  return
}

// -----

func.func @procedure(%r: !fir.ref<i32>, %rank: i32) -> i64 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // expected-error@+1 {{the barrier of a cluster needs compute capability 9.0}}
  cufx.cluster_barrier
  // expected-error@+1 {{shared memory of other blocks needs compute capability 9.0}}
  %0 = cufx.map_shared %r, %rank : !fir.ref<i32>
  // Nothing new.
  cufx.cluster_barrier
  return %0 : i64
}
