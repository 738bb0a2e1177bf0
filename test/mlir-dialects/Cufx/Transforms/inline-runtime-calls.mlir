// The temporary of a structure constructor is not initialised, unless descriptors in it must be.
// RUN: %cufort-opt --cufx-inline-runtime-calls %s | FileCheck %s

!point = !fir.type<_QMmTpoint{x:i32,y:i32,z:i32}>
!list = !fir.type<_QMmTlist{next:!fir.box<!fir.ptr<f32>>}>
!lists = !fir.type<_QMmTlists{heads:!fir.array<2x!fir.type<_QMmTlist{next:!fir.box<!fir.ptr<f32>>}>>}>

// CHECK-LABEL: func.func @constructor_of_plain_components
func.func @constructor_of_plain_components(%d: !fir.ref<!point>, %file: !fir.ref<i8>, %line: i32) {
  // CHECK-NOT: fir.call
  // CHECK: return
  %0:2 = hlfir.declare %d {uniq_name = "ctor.temp"} : (!fir.ref<!point>) -> (!fir.ref<!point>, !fir.ref<!point>)
  %1 = fir.embox %0#0 : (!fir.ref<!point>) -> !fir.box<!point>
  %2 = fir.convert %1 : (!fir.box<!point>) -> !fir.box<none>
  fir.call @_FortranAInitialize(%2, %file, %line) : (!fir.box<none>, !fir.ref<i8>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @constructor_with_nested_descriptors
func.func @constructor_with_nested_descriptors(%d: !fir.ref<!lists>, %file: !fir.ref<i8>, %line: i32) {
  // CHECK: fir.call @_FortranAInitialize
  // CHECK: return
  %0:2 = hlfir.declare %d {uniq_name = "ctor.temp"} : (!fir.ref<!lists>) -> (!fir.ref<!lists>, !fir.ref<!lists>)
  %1 = fir.embox %0#0 : (!fir.ref<!lists>) -> !fir.box<!lists>
  %2 = fir.convert %1 : (!fir.box<!lists>) -> !fir.box<none>
  fir.call @_FortranAInitialize(%2, %file, %line) : (!fir.box<none>, !fir.ref<i8>, i32) -> ()
  return
}

// CHECK-LABEL: func.func @variable
func.func @variable(%d: !fir.ref<!point>, %file: !fir.ref<i8>, %line: i32) {
  // CHECK: fir.call @_FortranAInitialize
  // CHECK: return
  %0:2 = hlfir.declare %d {uniq_name = "_QFEp"} : (!fir.ref<!point>) -> (!fir.ref<!point>, !fir.ref<!point>)
  %1 = fir.embox %0#0 : (!fir.ref<!point>) -> !fir.box<!point>
  %2 = fir.convert %1 : (!fir.box<!point>) -> !fir.box<none>
  fir.call @_FortranAInitialize(%2, %file, %line) : (!fir.box<none>, !fir.ref<i8>, i32) -> ()
  return
}
