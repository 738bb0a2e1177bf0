// In device code, allocations call the device library, and initial values are stored component by component.
// RUN: %cufort-opt --cufx-inline-runtime-calls %s | FileCheck %s

!item = !fir.type<_QMmTitem{a:i32,b:f32,p:!fir.box<!fir.ptr<f32>>}>
!items = !fir.ref<!fir.box<!fir.heap<!fir.array<?x!fir.type<_QMmTitem{a:i32,b:f32,p:!fir.box<!fir.ptr<f32>>}>>>>>

// CHECK-LABEL: func.func @allocate
// CHECK: %[[STATUS:.*]] = fir.call @cufortAllocate
// CHECK: fir.if
// CHECK: cufx.trap "ALLOCATE fails
// CHECK: fir.do_loop
// CHECK: %[[A:.*]] = fir.coordinate_of %{{.*}}, a
// CHECK: %[[FIVE:.*]] = fir.load %{{.*}} : !fir.ref<i32>
// CHECK: fir.store %[[FIVE]] to %[[A]]
// CHECK-NOT: , b
// CHECK: %[[P:.*]] = fir.coordinate_of %{{.*}}, p
// CHECK: fir.zero_bits !fir.ptr<f32>
// CHECK: fir.store %{{.*}} to %[[P]]
func.func @allocate(%array: !items) attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = cuf.allocate %array : !items {data_attr = #cuf.cuda<device>} -> i32
  return
}

// With STAT= the program itself looks at the status.
// CHECK-LABEL: func.func @deallocate
// CHECK-NOT: cufx.trap
// CHECK: %[[STATUS:.*]] = fir.call @cufortDeallocate
// CHECK-NOT: cufx.trap
// CHECK: return %[[STATUS]] : i32
func.func @deallocate(%array: !items) -> i32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = cuf.deallocate %array : !items {data_attr = #cuf.cuda<device>, hasStat} -> i32
  return %0 : i32
}

// The host keeps its operations.
// CHECK-LABEL: func.func @host
// CHECK: cuf.allocate
func.func @host(%array: !items) {
  %0 = cuf.allocate %array : !items {data_attr = #cuf.cuda<device>} -> i32
  return
}

fir.global linkonce_odr @_QMmE.di.item.a constant : i32 {
  %0 = arith.constant 5 : i32
  fir.has_value %0 : i32
}
fir.type_info @_QMmTitem nodestroy nofinal : !item component_info {
  fir.dt_component "a" init @_QMmE.di.item.a
}
