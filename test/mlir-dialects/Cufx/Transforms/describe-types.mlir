// RUN: cufort-opt %s -cufx-describe-types | FileCheck %s

!shape = !fir.type<_QMmTshape{scale:f32}>
!circle = !fir.type<_QMmTcircle{shape:!shape,radius:f32}>
!other = !fir.type<_QMmTother{i:i32}>

module {
  fir.type_info @_QMmTshape noinit nodestroy nofinal : !shape
  fir.type_info @_QMmTcircle noinit nodestroy nofinal extends !shape : !circle dispatch_table {
    fir.dt_entry "area", @area
    fir.dt_entry "name", @name
  }
  fir.type_info @_QMmTother noinit nodestroy nofinal : !other
  func.func private @area(!fir.class<!circle>) -> i32 attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
  func.func private @name()
  gpu.module @device {
    // CHECK-LABEL: gpu.module @device
    // CHECK-NOT: other
    // CHECK: fir.type_info @_QMmTshape
    // CHECK: fir.global linkonce_odr @_QMmE.dt.shape constant : !fir.array<2x!fir.ref<i8>> {
    // CHECK-NEXT: fir.zero_bits
    // CHECK: fir.type_info @_QMmTcircle
    // CHECK-NOT: dispatch_table
    // CHECK: fir.global linkonce_odr @_QMmE.dt.circle constant : !fir.array<4x!fir.ref<i8>> {
    // CHECK: fir.address_of(@_QMmE.dt.shape)
    // CHECK: fir.address_of(@area)
    // CHECK-NOT: @name
    // CHECK: fir.zero_bits
    func.func @guard(%object: !fir.class<!shape>) -> i32 {
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      fir.select_type %object : !fir.class<!shape> [#fir.type_is<!circle>, ^bb1, unit, ^bb2]
    ^bb1:
      return %one : i32
    ^bb2:
      return %two : i32
    }

    // The descriptor in memory may be the host's.
    // CHECK-LABEL: func.func @loaded
    // CHECK: %[[BOX:.*]] = fir.load
    // CHECK: %[[KNOWN:.*]] = fir.rebox %[[BOX]] : (!fir.box<!fir.heap<!fir.array<?x![[CIRCLE:.*]]>>>) -> !fir.box<!fir.array<?x![[CIRCLE]]>>
    // CHECK: fir.convert %[[KNOWN]]
    // CHECK-SAME: -> !fir.class<
    func.func @loaded(%place: !fir.ref<!fir.box<!fir.heap<!fir.array<?x!circle>>>>) -> i32 {
      %box = fir.load %place : !fir.ref<!fir.box<!fir.heap<!fir.array<?x!circle>>>>
      %object = fir.rebox %box : (!fir.box<!fir.heap<!fir.array<?x!circle>>>) -> !fir.class<!fir.array<?x!shape>>
      %r = fir.call @take(%object) : (!fir.class<!fir.array<?x!shape>>) -> i32
      return %r : i32
    }

    // CHECK-LABEL: func.func @call
    // CHECK: fir.box_tdesc
    // CHECK: %[[SLOT:.*]] = arith.constant 2 : index
    // CHECK: fir.coordinate_of %{{.*}}, %[[SLOT]]
    // CHECK: %[[PROCEDURE:.*]] = fir.convert %{{.*}} : (!fir.ref<i8>) -> ((!fir.class<![[CIRCLE]]>) -> i32)
    // CHECK: fir.call %[[PROCEDURE]](
    func.func @call(%object: !fir.class<!circle>) -> i32 {
      %r = fir.dispatch "area"(%object : !fir.class<!circle>) (%object : !fir.class<!circle>) -> i32 {pass_arg_pos = 0 : i32}
      return %r : i32
    }
    func.func private @take(!fir.class<!fir.array<?x!shape>>) -> i32
  }
}
