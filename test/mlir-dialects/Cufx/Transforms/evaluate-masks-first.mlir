// DO CONCURRENT whose iterations change what the masks of others read, and one whose iterations change their own element.
//
// RUN: %cufort-opt %s --cufx-evaluate-masks-first | FileCheck %s

// CHECK-LABEL: @element_of_all
// CHECK: %[[VALUES:.*]] = fir.allocmem !fir.array<?xi8>, %
// CHECK: fir.do_concurrent.loop
// CHECK: %[[VALUE:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: %[[PLACE:.*]] = fir.coordinate_of %[[VALUES]], %
// CHECK: fir.store %[[VALUE]] to %[[PLACE]] : !fir.ref<i8>
// CHECK: fir.do_concurrent.loop
// CHECK-NOT: arith.cmpi sge
// CHECK: %[[PLACE:.*]] = fir.coordinate_of %[[VALUES]], %
// CHECK: %[[VALUE:.*]] = fir.load %[[PLACE]] : !fir.ref<i8>
// CHECK: %[[MASK:.*]] = arith.cmpi ne, %[[VALUE]], %
// CHECK: fir.if %[[MASK]]
// CHECK: fir.freemem %[[VALUES]]
func.func @element_of_all(%a: !fir.ref<!fir.array<6xi32>>, %lower: index, %upper: index, %step: index) {
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %shape = fir.shape %c6 : (index) -> !fir.shape<1>
  %x:2 = hlfir.declare %a(%shape) {uniq_name = "_QFsEa"} : (!fir.ref<!fir.array<6xi32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<6xi32>>, !fir.ref<!fir.array<6xi32>>)
  fir.do_concurrent {
    %cell = fir.alloca i32 {bindc_name = "j"}
    %j:2 = hlfir.declare %cell {uniq_name = "_QFsEj"} : (!fir.ref<i32>) -> (!fir.ref<i32>, !fir.ref<i32>)
    fir.do_concurrent.loop (%i) = (%lower) to (%upper) step (%step) {
      %number = fir.convert %i : (index) -> i32
      fir.store %number to %j#0 : !fir.ref<i32>
      %at = fir.load %j#0 : !fir.ref<i32>
      %place = fir.convert %at : (i32) -> i64
      %own = hlfir.designate %x#0 (%place) : (!fir.ref<!fir.array<6xi32>>, i64) -> !fir.ref<i32>
      %left = fir.load %own : !fir.ref<i32>
      %third = hlfir.designate %x#0 (%c3) : (!fir.ref<!fir.array<6xi32>>, index) -> !fir.ref<i32>
      %right = fir.load %third : !fir.ref<i32>
      %mask = arith.cmpi sge, %left, %right : i32
      fir.if %mask {
        %again = fir.load %j#0 : !fir.ref<i32>
        %there = fir.convert %again : (i32) -> i64
        %changed = hlfir.designate %x#0 (%there) : (!fir.ref<!fir.array<6xi32>>, i64) -> !fir.ref<i32>
        hlfir.assign %right to %changed : i32, !fir.ref<i32>
      } loc("a.f90":3:3)
    } loc("a.f90":3:3)
  }
  return
}

// CHECK-LABEL: @own_element
// CHECK-NOT: fir.allocmem
// CHECK: return
func.func @own_element(%a: !fir.ref<!fir.array<6xi32>>, %lower: index, %upper: index, %step: index, %zero: i32) {
  %c6 = arith.constant 6 : index
  %shape = fir.shape %c6 : (index) -> !fir.shape<1>
  %x:2 = hlfir.declare %a(%shape) {uniq_name = "_QFsEa"} : (!fir.ref<!fir.array<6xi32>>, !fir.shape<1>) -> (!fir.ref<!fir.array<6xi32>>, !fir.ref<!fir.array<6xi32>>)
  fir.do_concurrent {
    %cell = fir.alloca i32 {bindc_name = "j"}
    %j:2 = hlfir.declare %cell {uniq_name = "_QFsEj"} : (!fir.ref<i32>) -> (!fir.ref<i32>, !fir.ref<i32>)
    fir.do_concurrent.loop (%i) = (%lower) to (%upper) step (%step) {
      %number = fir.convert %i : (index) -> i32
      fir.store %number to %j#0 : !fir.ref<i32>
      %at = fir.load %j#0 : !fir.ref<i32>
      %place = fir.convert %at : (i32) -> i64
      %own = hlfir.designate %x#0 (%place) : (!fir.ref<!fir.array<6xi32>>, i64) -> !fir.ref<i32>
      %left = fir.load %own : !fir.ref<i32>
      %mask = arith.cmpi sge, %left, %zero : i32
      fir.if %mask {
        %again = fir.load %j#0 : !fir.ref<i32>
        %there = fir.convert %again : (i32) -> i64
        %changed = hlfir.designate %x#0 (%there) : (!fir.ref<!fir.array<6xi32>>, i64) -> !fir.ref<i32>
        hlfir.assign %zero to %changed : i32, !fir.ref<i32>
      } loc("a.f90":3:3)
    } loc("a.f90":3:3)
  }
  return
}
