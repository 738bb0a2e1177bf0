// What Flang frees on the heap, for a dummy argument with INTENT(OUT), is given back to where it came from.
// RUN: %cufort-opt --cufx-repair-host-statements %s | FileCheck %s

!box = !fir.box<!fir.heap<!fir.array<?xf32>>>

// CHECK-LABEL: func.func @device_dummy
func.func @device_dummy(%ref: !fir.ref<!box>) {
  %0:2 = hlfir.declare %ref {data_attr = #cuf.cuda<device>, uniq_name = "_QFsEa"} : (!fir.ref<!box>) -> (!fir.ref<!box>, !fir.ref<!box>)
  %1 = fir.load %0#0 : !fir.ref<!box>
  // CHECK: %[[MEMORY:.*]] = fir.box_addr
  // CHECK-NEXT: cuf.free %[[MEMORY]] : !fir.heap<!fir.array<?xf32>> {data_attr = #cuf.cuda<device>}
  // CHECK-NOT: fir.freemem
  // CHECK: return
  %2 = fir.box_addr %1 : (!box) -> !fir.heap<!fir.array<?xf32>>
  fir.freemem %2 : !fir.heap<!fir.array<?xf32>>
  return
}

// CHECK-LABEL: func.func @managed_dummy
func.func @managed_dummy(%ref: !fir.ref<!box>) {
  %0:2 = hlfir.declare %ref {data_attr = #cuf.cuda<managed>, uniq_name = "_QFsEa"} : (!fir.ref<!box>) -> (!fir.ref<!box>, !fir.ref<!box>)
  %1 = fir.load %0#0 : !fir.ref<!box>
  // CHECK: cuf.free %{{.*}} {data_attr = #cuf.cuda<managed>}
  %2 = fir.box_addr %1 : (!box) -> !fir.heap<!fir.array<?xf32>>
  fir.freemem %2 : !fir.heap<!fir.array<?xf32>>
  return
}

// Host data, and Flang's copies of device data on the host.
// CHECK-LABEL: func.func @host_memory
func.func @host_memory(%ref: !fir.ref<!box>) {
  %0:2 = hlfir.declare %ref {uniq_name = "_QFsEh"} : (!fir.ref<!box>) -> (!fir.ref<!box>, !fir.ref<!box>)
  %1 = fir.load %0#0 : !fir.ref<!box>
  %2 = fir.box_addr %1 : (!box) -> !fir.heap<!fir.array<?xf32>>
  // CHECK-COUNT-2: fir.freemem
  // CHECK-NOT: cuf.free
  // CHECK: return
  fir.freemem %2 : !fir.heap<!fir.array<?xf32>>
  %3 = fir.allocmem !fir.array<2xf32> {bindc_name = ".tmp"}
  fir.freemem %3 : !fir.heap<!fir.array<2xf32>>
  return
}

// Device code frees its own memory itself.
// CHECK-LABEL: func.func @kernel
func.func @kernel(%ref: !fir.ref<!box>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0:2 = hlfir.declare %ref {data_attr = #cuf.cuda<device>, uniq_name = "_QFkEa"} : (!fir.ref<!box>) -> (!fir.ref<!box>, !fir.ref<!box>)
  %1 = fir.load %0#0 : !fir.ref<!box>
  %2 = fir.box_addr %1 : (!box) -> !fir.heap<!fir.array<?xf32>>
  // CHECK: fir.freemem
  // CHECK-NOT: cuf.free
  // CHECK: return
  fir.freemem %2 : !fir.heap<!fir.array<?xf32>>
  return
}
