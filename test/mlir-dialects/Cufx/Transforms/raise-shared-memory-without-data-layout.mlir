// A module without a data layout gets the default one.
// RUN: %cufort-opt --cufx-raise-shared-memory %s | FileCheck %s

// CHECK-LABEL: func.func @k
func.func @k() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NEXT: cufx.shared "k_s" bytes 4 align 4
  %0 = cuf.shared_memory f32 {bindc_name = "s", uniq_name = "_QMmFkEs"} -> !fir.ref<f32>
  return
}
