! A program's own IDATE and ACCESS in other files, with the arguments of the service procedures.
! RUN: rm -rf %t.d && split-file %s %t.d && cd %t.d && %cufort main.f90 own.f90 -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! RUN: %cufort -c own.f90 -o own.o && ar rc libown.a own.o && %cufort main.f90 -L. -lown -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS

!--- main.f90
program main
  implicit none
  integer, external :: access
  integer :: i, j, k
  call idate(i, j, k)
  if (i /= 101 .or. j /= 102 .or. k /= 103) stop 1
  if (access('one', 'two ') /= 34) stop 2
  print *, 'PASS'
end program
!--- own.f90
subroutine idate(i, j, k)
  integer, intent(out) :: i, j, k
  i = 101
  j = 102
  k = 103
end subroutine
integer function access(name, mode)
  character(*), intent(in) :: name, mode
  access = 10 * len(name) + len(mode)
end function
