// More static shared memory than a block has is refused at the variable that is too much.
// RUN: %cufort-opt --cufx-raise-shared-memory -verify-diagnostics -split-input-file %s

module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">} {
func.func @one_variable() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // expected-error@+1 {{the static shared variables of this procedure need 49156 bytes; a block has at most 49152: declare the array with bounds '*' and give the bytes at launch}}
  %0 = cuf.shared_memory !fir.array<12289xf32> {bindc_name = "s", uniq_name = "_QMmFkEs"} -> !fir.ref<!fir.array<12289xf32>>
  return
}
}

// -----

module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">} {
// The alignment of the second variable counts: 40001 bytes, 7 unused, 9152 bytes.
func.func @two_variables() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = cuf.shared_memory !fir.array<40001xi8> {bindc_name = "a", uniq_name = "_QMmFkEa"} -> !fir.ref<!fir.array<40001xi8>>
  // expected-error@+1 {{the static shared variables of this procedure need 49160 bytes; a block has at most 49152}}
  %1 = cuf.shared_memory !fir.array<1144xf64> {bindc_name = "b", uniq_name = "_QMmFkEb"} -> !fir.ref<!fir.array<1144xf64>>
  return
}
}

// -----

module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">} {
// Each procedure counts for itself.
func.func @first() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = cuf.shared_memory !fir.array<12288xf32> {bindc_name = "s", uniq_name = "_QMmFfirstEs"} -> !fir.ref<!fir.array<12288xf32>>
  return
}
func.func @second() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = cuf.shared_memory !fir.array<12288xf32> {bindc_name = "s", uniq_name = "_QMmFsecondEs"} -> !fir.ref<!fir.array<12288xf32>>
  return
}
}

// -----

module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">} {
// The descriptor of an allocatable.
func.func @descriptor() attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // expected-error@+1 {{a shared variable of this type is not supported}}
  %0 = cuf.shared_memory !fir.box<!fir.heap<f32>> {bindc_name = "s", uniq_name = "_QMmFkEs"} -> !fir.ref<!fir.box<!fir.heap<f32>>>
  return
}
}
