! Large variables, and arrays whose extents are known when the program runs, are in the heap without -Mstack_arrays. What
! a function returns is in its caller's memory.
! RUN: %cufort -O2 -emit=host-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,HEAP
! RUN: %cufort -O2 -Mstack_arrays -emit=host-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,STACK
! CHECK-LABEL: @automatic_(
! HEAP: call {{.*}}@malloc(
! HEAP: call void @free(
! STACK-NOT: @malloc(
! CHECK: ret void
subroutine automatic(n)
  integer :: n
  real :: a(n)
  call use_array(a)
end subroutine
! CHECK-LABEL: @small_(
! CHECK-NOT: @malloc(
! CHECK: ret void
subroutine small()
  real :: a(16384)
  call use_array(a)
end subroutine
! CHECK-LABEL: @large_(
! HEAP: call {{.*}}@malloc(i64 65540)
! HEAP: call void @free(
! STACK-NOT: @malloc(
! CHECK: ret void
subroutine large()
  real :: a(16385)
  call use_array(a)
end subroutine
! CHECK-LABEL: @made_(
! CHECK-NOT: @malloc(
! CHECK: ret void
function made() result(a)
  real :: a(20000)
  call use_array(a)
end function
