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

// The descriptor of a Cray pointee is a variable of the thread; using it stores the address of the pointer there.
// CHECK-LABEL: func.func @cray_pointee
// CHECK-NEXT: %[[DESCRIPTOR:.*]] = fir.alloca !fir.box<!fir.ptr<i32>>
// CHECK-NOT: cuf.alloc
// CHECK-NOT: fir.call
// CHECK-DAG: %[[WORD:.*]] = fir.convert %[[DESCRIPTOR]] : (!fir.ref<!fir.box<!fir.ptr<i32>>>) -> !fir.ref<i64>
// CHECK-DAG: %[[ADDRESS:.*]] = fir.convert %{{.*}} : (!fir.llvm_ptr<i8>) -> i64
// CHECK: fir.store %[[ADDRESS]] to %[[WORD]]
// CHECK-NOT: cuf.free
// CHECK: return
func.func @cray_pointee(%address: !fir.llvm_ptr<i8>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = cuf.alloc !fir.box<!fir.ptr<i32>> {data_attr = #cuf.cuda<shared>} -> !fir.ref<!fir.box<!fir.ptr<i32>>>
  %1 = fir.convert %0 : (!fir.ref<!fir.box<!fir.ptr<i32>>>) -> !fir.ref<!fir.box<none>>
  fir.call @_FortranAPointerAssociateScalar(%1, %address) : (!fir.ref<!fir.box<none>>, !fir.llvm_ptr<i8>) -> ()
  cuf.free %0 : !fir.ref<!fir.box<!fir.ptr<i32>>> {data_attr = #cuf.cuda<shared>}
  return
}
