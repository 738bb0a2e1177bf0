! EXIT without an argument, declared EXTERNAL: of the library, and a procedure of the program's own.
! RUN: rm -rf %t && split-file %s %t && cd %t
! RUN: %cufort library.f90 -o library && ./library | FileCheck library.f90
! RUN: %cufort with-status.f90 -o with-status && not ./with-status 3 && ./with-status 0
! RUN: %cufort own.f90 exit.f90 -o own && ./own | FileCheck own.f90

!--- library.f90
! CHECK: PASS
! CHECK-NOT: FAIL
program test
  implicit none
  external :: exit
  integer :: i
  real :: x(10)
  call random_number(x)
  print *, 'PASS'
  do i = 1, 10
    if (x(i) >= 0 .and. i > 3) call exit
  end do
  print *, 'FAIL'
  stop 1
end program

!--- with-status.f90
! The first call decides what Flang thinks of the others.
program test
  implicit none
  external :: exit
  character(1) :: argument
  call get_command_argument(1, argument)
  if (argument == '3') call exit(3)
  call exit
  stop 1
end program

!--- own.f90
! CHECK: own
! CHECK: PASS
program test
  implicit none
  external :: exit
  call exit
  print *, 'PASS'
end program

!--- exit.f90
subroutine exit
  print *, 'own'
end subroutine
