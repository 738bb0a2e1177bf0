! Every value but zero is true, with and without -Munixlogical.
! RUN: %cufort -Munixlogical %s -o %t 2>&1 | count 0
! RUN: %t | FileCheck %s
! RUN: %cufort %s -o %t && %t | FileCheck %s
! CHECK: PASS
program p
  implicit none
  integer, volatile :: k
  integer :: i
  logical :: l
  do i = 1, 4
    k = 2**i
    l = transfer(k, l)
    if (.not. l) stop 1
    if (l .neqv. .true.) stop 2
  end do
  k = 0
  l = transfer(k, l)
  if (l) stop 3
  print *, 'PASS'
end program
