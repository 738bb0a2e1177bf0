// Output that device code cannot do is refused at the statement or item.
// RUN: %cufort-opt --cufx-raise-device-print -verify-diagnostics -split-input-file %s

func.func @file(%file: !fir.ref<i8>, %line: i32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %unit = arith.constant 10 : i32
  // expected-error@+1 {{output to a unit other than * and 6 is not supported in device code}}
  %0 = fir.call @_FortranAioBeginExternalListOutput(%unit, %file, %line) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// -----

func.func @no_end(%unit: i32, %file: !fir.ref<i8>, %i: i32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // expected-error@+2 {{this output statement is not supported in device code}}
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  return
}

// -----

func.func @unknown_call(%unit: i32, %file: !fir.ref<i8>, %p: i1) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // expected-error@+1 {{a specifier of this output statement is not supported in device code}}
  %1 = fir.call @_FortranAioSetAdvance(%0, %file) : (!fir.ref<i8>, !fir.ref<i8>) -> i1
  %2 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// -----

func.func @unknown_type(%unit: i32, %file: !fir.ref<i8>, %a: !fir.box<none>)
    attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  // expected-error@+1 {{output of this type is not supported in device code}}
  %1 = fir.call @_FortranAioOutputDescriptor(%0, %a) : (!fir.ref<i8>, !fir.box<none>) -> i1
  %2 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}
