! -mcmodel=medium: static data may be larger than 2 GB.
! RUN: %cufort -mcmodel=medium %s -o %t && %t | FileCheck %s
! CHECK: PASS
! RUN: not %cufort %s -o %t.small 2>&1 | FileCheck %s --check-prefix=SMALL
! SMALL: do not fit into 2 GB; make large arrays allocatable, or use -mcmodel=medium
! RUN: %cufort -mcmodel=large %s -o %t.large && %t.large | FileCheck %s
module m
  implicit none
  real(8) :: a(200000000), b(200000000)
end module
program p
  use m
  implicit none
  integer :: i
  do i = 1, size(a), 20000000
    a(i) = i
    b(size(b) - i) = -i
  end do
  do i = 1, size(a), 20000000
    if (a(i) + b(size(b) - i) /= 0 .or. a(i) /= i) stop 1
  end do
  print *, 'PASS'
end program
