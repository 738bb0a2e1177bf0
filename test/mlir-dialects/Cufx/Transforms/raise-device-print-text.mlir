// Lines with arrays, items in conditions and strings of computed length are put together by the device library.
// RUN: %cufort-opt --cufx-raise-device-print %s | FileCheck %s

// CHECK-LABEL: func.func @condition
// CHECK: %[[LINE:.*]] = fir.convert %{{.*}} : (!fir.ref<!fir.array<4xi64>>) -> !fir.ref<i8>
// CHECK: fir.call @cufortLineBegin(%[[LINE]])
// CHECK: fir.if
// CHECK: fir.call @cufortLineInteger(%[[LINE]], %{{.*}}) : (!fir.ref<i8>, i64) -> ()
// CHECK: fir.call @cufortLineText(%[[LINE]],
// CHECK: %[[TEXT:.*]] = fir.call @cufortLineResult(%[[LINE]])
// CHECK: cufx.print "%s\0A", %[[TEXT]] : !fir.ref<i8>
// CHECK: fir.call @cufortLineEnd(%[[LINE]])
// CHECK-NOT: _FortranAio
func.func @condition(%unit: i32, %file: !fir.ref<i8>, %i: i32, %p: i1, %text: !fir.ref<i8>, %n: i64)
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  fir.if %p {
    %1 = fir.call @_FortranAioOutputInteger32(%0, %i) : (!fir.ref<i8>, i32) -> i1
  }
  %2 = fir.call @_FortranAioOutputAscii(%0, %text, %n) : (!fir.ref<i8>, !fir.ref<i8>, i64) -> i1
  %3 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}

// CHECK-LABEL: func.func @array
// CHECK: %[[COMPLEX:.*]] = arith.constant 2 : i32
// CHECK: fir.call @cufortLineArray(%{{.*}}, %{{.*}}, %[[COMPLEX]])
func.func @array(%unit: i32, %file: !fir.ref<i8>, %a: !fir.box<!fir.array<?xcomplex<f32>>>)
    attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %out = arith.constant 6 : i32
  %0 = fir.call @_FortranAioBeginExternalListOutput(%out, %file, %unit) : (i32, !fir.ref<i8>, i32) -> !fir.ref<i8>
  %1 = fir.convert %a : (!fir.box<!fir.array<?xcomplex<f32>>>) -> !fir.box<none>
  %2 = fir.call @_FortranAioOutputDescriptor(%0, %1) : (!fir.ref<i8>, !fir.box<none>) -> i1
  %3 = fir.call @_FortranAioEndIoStatement(%0) : (!fir.ref<i8>) -> i32
  return
}
