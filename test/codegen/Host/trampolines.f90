! The runtime makes the addresses of internal procedures that use variables of their hosts.
! RUN: %cufort -O2 -emit=host-llvm %s -o - | FileCheck %s
! CHECK-LABEL: @scale_all_(
! CHECK: %[[PLACE:[0-9]+]] = alloca [32 x i8], align 8
! CHECK: call void @cufortMakeTrampoline(ptr %[[PLACE]], ptr @_QFscale_allPscaled, ptr
! CHECK: %[[ADDRESS:[0-9]+]] = load ptr, ptr %[[PLACE]]
! CHECK: call void @apply_(ptr %[[ADDRESS]])
! CHECK-NOT: call {{.*}}.trampoline(
subroutine scale_all(factor)
  implicit none
  real :: factor
  external :: apply
  call apply(scaled)
contains
  real function scaled(x)
    real :: x
    scaled = factor * x
  end function
end subroutine
