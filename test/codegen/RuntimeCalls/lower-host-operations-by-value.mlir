// Kernel parameters that are host memory behind a reference: their contents travel, not their address.
// RUN: %cufort-opt --cufx-lower-host-operations %s | FileCheck %s

!box = !fir.box<!fir.heap<!fir.array<?xf32>>>
!point = !fir.type<_QMmTpoint{x:f32,y:f32}>
func.func private @allocatable_dummy(!fir.ref<!box>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @value_of_derived_type(!fir.ref<!point>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @device_variable_of_derived_type(!fir.ref<!point> {cuf.data_attr = #cuf.cuda<device>})
    attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @character(!fir.boxchar<1>, i32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>}

// The variable itself is the slot: a descriptor, or the copy that VALUE makes.
// CHECK-LABEL: func.func @by_value
// CHECK-SAME: (%{{.*}}: i64, %[[BOX:.*]]: !fir.ref<!fir.box<!fir.heap<!fir.array<?xf32>>>>, %[[POINT:.*]]: !fir.ref<!fir.type<_QMmTpoint{x:f32,y:f32}>>)
func.func @by_value(%e: i64, %box: !fir.ref<!box>, %point: !fir.ref<!point>) {
  // CHECK: fir.address_of(@allocatable_dummy)
  // CHECK: %[[SLOT:.*]] = fir.convert %[[BOX]] : {{.*}} -> !fir.llvm_ptr<i8>
  // CHECK: fir.store %[[SLOT]] to %{{.*}} : !fir.ref<!fir.llvm_ptr<i8>>
  // CHECK: fir.call @cufortLaunchKernel
  cufx.launch @allocatable_dummy grid(%e, %e, %e) block(%e, %e, %e) args(%box : !fir.ref<!box>)
  // CHECK: fir.address_of(@value_of_derived_type)
  // CHECK: %[[SLOT:.*]] = fir.convert %[[POINT]] : {{.*}} -> !fir.llvm_ptr<i8>
  // CHECK: fir.store %[[SLOT]] to %{{.*}} : !fir.ref<!fir.llvm_ptr<i8>>
  // CHECK: fir.call @cufortLaunchKernel
  cufx.launch @value_of_derived_type grid(%e, %e, %e) block(%e, %e, %e) args(%point : !fir.ref<!point>)
  return
}

// Device memory travels by address: a slot holds it.
// CHECK-LABEL: func.func @by_address
// CHECK-SAME: (%{{.*}}: i64, %[[POINT:.*]]: !fir.ref<!fir.type<_QMmTpoint{x:f32,y:f32}>>)
func.func @by_address(%e: i64, %point: !fir.ref<!point>) {
  // CHECK: %[[SLOT:.*]] = fir.alloca !fir.llvm_ptr<i8>
  // CHECK: %[[ADDRESS:.*]] = fir.convert %[[POINT]] : {{.*}} -> !fir.llvm_ptr<i8>
  // CHECK: fir.store %[[ADDRESS]] to %[[SLOT]] : !fir.ref<!fir.llvm_ptr<i8>>
  // CHECK: fir.call @cufortLaunchKernel
  cufx.launch @device_variable_of_derived_type grid(%e, %e, %e) block(%e, %e, %e) args(%point : !fir.ref<!point>)
  return
}

// The length of a character dummy follows all other parameters.
// CHECK-LABEL: func.func @character_length
// CHECK-SAME: (%{{.*}}: i64, %[[C:.*]]: !fir.boxchar<1>, %[[N:.*]]: i32)
func.func @character_length(%e: i64, %c: !fir.boxchar<1>, %n: i32) {
  // CHECK: %[[ARRAY:.*]] = fir.alloca !fir.array<3x!fir.llvm_ptr<i8>>
  // CHECK: %[[PARTS:.*]]:2 = fir.unboxchar %[[C]]
  // CHECK: %[[TEXT:.*]] = fir.convert %[[PARTS]]#0
  // CHECK: fir.store %[[TEXT]] to %{{.*}}
  // CHECK: fir.store %[[N]] to %{{.*}}
  // CHECK: fir.store %[[PARTS]]#1 to %{{.*}} : !fir.ref<i64>
  // CHECK: fir.call @cufortLaunchKernel
  cufx.launch @character grid(%e, %e, %e) block(%e, %e, %e) args(%c, %n : !fir.boxchar<1>, i32)
  return
}
