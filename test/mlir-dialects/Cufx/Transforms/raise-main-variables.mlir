// RUN: cufort-opt --cufx-raise-main-variables %s | FileCheck %s

!box = !fir.box<!fir.array<10xf32>>

fir.type_info @set : !fir.type<set{x:f32}>
fir.type_info @plain noinit nodestroy nofinal : !fir.type<plain{x:f32}>

// CHECK-LABEL: func.func @_QQmain
func.func @_QQmain() {
  %ten = arith.constant 10 : index
  %shape = fir.shape %ten : (index) -> !fir.shape<1>

  // CHECK: %[[NAME:.*]] = cufx.each_device "_QFEa" : !fir.ref<!fir.array<10xf32>>
  // CHECK: %[[A:.*]]:2 = hlfir.declare %[[NAME]]
  %a = cuf.alloc !fir.array<10xf32> {bindc_name = "a", data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} -> !fir.ref<!fir.array<10xf32>>
  %a1:2 = hlfir.declare %a(%shape) {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)

  // CHECK: cufx.each_device "_QFEp"
  %p = cuf.alloc !fir.type<plain{x:f32}> {bindc_name = "p", data_attr = #cuf.cuda<device>, uniq_name = "_QFEp"} -> !fir.ref<!fir.type<plain{x:f32}>>
  %p1:2 = hlfir.declare %p {data_attr = #cuf.cuda<device>, uniq_name = "_QFEp"} : (!fir.ref<!fir.type<plain{x:f32}>>) -> (!fir.ref<!fir.type<plain{x:f32}>>, !fir.ref<!fir.type<plain{x:f32}>>)

  // What has initial values, is managed, or ends with a BLOCK stays.
  // CHECK: cuf.alloc !fir.type<set{x:f32}>
  %s = cuf.alloc !fir.type<set{x:f32}> {bindc_name = "s", data_attr = #cuf.cuda<device>, uniq_name = "_QFEs"} -> !fir.ref<!fir.type<set{x:f32}>>
  %s1:2 = hlfir.declare %s {data_attr = #cuf.cuda<device>, uniq_name = "_QFEs"} : (!fir.ref<!fir.type<set{x:f32}>>) -> (!fir.ref<!fir.type<set{x:f32}>>, !fir.ref<!fir.type<set{x:f32}>>)
  // CHECK: cuf.alloc f32 {bindc_name = "m"
  %m = cuf.alloc f32 {bindc_name = "m", data_attr = #cuf.cuda<managed>, uniq_name = "_QFEm"} -> !fir.ref<f32>
  %m1:2 = hlfir.declare %m {data_attr = #cuf.cuda<managed>, uniq_name = "_QFEm"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  // CHECK: cuf.alloc f32 {bindc_name = "b"
  %b = cuf.alloc f32 {bindc_name = "b", data_attr = #cuf.cuda<device>, uniq_name = "_QFB1Eb"} -> !fir.ref<f32>
  %b1:2 = hlfir.declare %b {data_attr = #cuf.cuda<device>, uniq_name = "_QFB1Eb"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  cuf.free %b1#0 : !fir.ref<f32> {data_attr = #cuf.cuda<device>}

  // Internal procedures get the shape from the host, and no address.
  // CHECK: %[[NONE:.*]] = fir.zero_bits !fir.ref<!fir.array<10xf32>>
  // CHECK: fir.embox %[[NONE]]
  // CHECK: hlfir.assign %{{.*}} to %[[A]]#0
  %host = fir.alloca tuple<!box>
  %zero = arith.constant 0 : i32
  %place = fir.coordinate_of %host, %zero : (!fir.ref<tuple<!box>>, i32) -> !fir.ref<!box>
  %box = fir.embox %a1#0(%shape) : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> !box
  fir.store %box to %place : !fir.ref<!box>
  %value = arith.constant 1.0 : f32
  hlfir.assign %value to %a1#0 : f32, !fir.ref<!fir.array<10xf32>>
  fir.call @_QFPs(%host) : (!fir.ref<tuple<!box>>) -> ()
  return
}

// CHECK-LABEL: func.func private @_QFPs
func.func private @_QFPs(%host: !fir.ref<tuple<!box>> {fir.host_assoc}) {
  %zero = arith.constant 0 : i32
  %first = arith.constant 0 : index
  %place = fir.coordinate_of %host, %zero : (!fir.ref<tuple<!box>>, i32) -> !fir.ref<!box>
  %box = fir.load %place : !fir.ref<!box>
  %address = fir.box_addr %box : (!box) -> !fir.ref<!fir.array<10xf32>>
  %dims:3 = fir.box_dims %box, %first : (!box, index) -> (index, index, index)
  %shape = fir.shape %dims#1 : (index) -> !fir.shape<1>
  // CHECK: %[[NAME:.*]] = cufx.each_device "_QFEa"
  // CHECK: hlfir.declare %[[NAME]]
  %a:2 = hlfir.declare %address(%shape) {data_attr = #cuf.cuda<device>, fortran_attrs = #fir.var_attrs<host_assoc>, uniq_name = "_QFEa"} : (!fir.ref<!fir.array<10xf32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<10xf32>>, !fir.ref<!fir.array<10xf32>>)
  %value = arith.constant 1.0 : f32
  hlfir.assign %value to %a#0 : f32, !fir.ref<!fir.array<10xf32>>
  return
}
