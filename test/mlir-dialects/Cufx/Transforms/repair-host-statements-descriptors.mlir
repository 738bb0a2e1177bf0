// The descriptor of a temporary that is assigned to an allocatable device array is put into memory.
// RUN: %cufort-opt --cufx-repair-host-statements %s | FileCheck %s

// CHECK-LABEL: func.func @assign
// CHECK: %[[DESCRIPTOR:.*]] = fir.alloca !fir.box<!fir.array<?xi32>>
// CHECK: %[[TEMPORARY:.*]]:2 = hlfir.declare %arg0
// CHECK: fir.store %[[TEMPORARY]]#0 to %[[DESCRIPTOR]]
// CHECK: cuf.data_transfer %[[DESCRIPTOR]] to %{{.*}} {transfer_kind = #cuf.cuda_transfer<host_device>}
func.func @assign(%arg0: !fir.box<!fir.array<?xi32>>, %arg1: !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>> {cuf.data_attr = #cuf.cuda<device>}) {
  %t:2 = hlfir.declare %arg0 {uniq_name = ".cuf_host_tmp"} : (!fir.box<!fir.array<?xi32>>) -> (!fir.box<!fir.array<?xi32>>, !fir.box<!fir.array<?xi32>>)
  %a:2 = hlfir.declare %arg1 {data_attr = #cuf.cuda<device>, fortran_attrs = #fir.var_attrs<allocatable>, uniq_name = "_QFEa"} : (!fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>) -> (!fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>)
  cuf.data_transfer %t#0 to %a#0 {transfer_kind = #cuf.cuda_transfer<host_device>} : !fir.box<!fir.array<?xi32>>, !fir.ref<!fir.box<!fir.heap<!fir.array<?xi32>>>>
  return
}
