! -Mbounds and -Mchkptr: checks of one array on several lines name their own line, also in included files, and so does a
! traceback, with and without optimisation.
! RUN: rm -rf %t && split-file %s %t && cd %t
! RUN: %cufort -O2 -g -traceback -Mbounds -Mchkptr main.f90 -o fast && %cufort -O0 -g -traceback -Mbounds -Mchkptr main.f90 -o slow
! RUN: ./fast 0 | FileCheck %s && ./slow 0 | FileCheck %s
! CHECK: PASS
! RUN: not ./fast 1 2>&1 | FileCheck %s --check-prefix=ONE && not ./slow 1 2>&1 | FileCheck %s --check-prefix=ONE
! ONE: main.f90:7: subscript 11 of 'x' is outside 1:10 (dimension 1)
! ONE: 1 {{.*}}main.f90:7
! RUN: not ./fast 2 2>&1 | FileCheck %s --check-prefix=TWO && not ./slow 2 2>&1 | FileCheck %s --check-prefix=TWO
! TWO: main.f90:8: subscript 11 of 'x' is outside 1:10 (dimension 1)
! TWO: 1 {{.*}}main.f90:8
! RUN: not ./fast 3 2>&1 | FileCheck %s --check-prefix=THREE && not ./slow 3 2>&1 | FileCheck %s --check-prefix=THREE
! THREE: more.inc:1: subscript 11 of 'x' is outside 1:10 (dimension 1)
! RUN: not ./fast 4 2>&1 | FileCheck %s --check-prefix=FOUR && not ./slow 4 2>&1 | FileCheck %s --check-prefix=FOUR
! FOUR: main.f90:10: 'p' is not allocated or associated
! FOUR: 1 {{.*}}main.f90:10
! RUN: not ./fast 5 2>&1 | FileCheck %s --check-prefix=FIVE && not ./slow 5 2>&1 | FileCheck %s --check-prefix=FIVE
! FIVE: main.f90:11: 'p' is not allocated or associated
! FIVE: 1 {{.*}}main.f90:11

!--- more.inc
  x(k(3)) = x(1) + 1

!--- main.f90
module lines_of_checks
contains
  subroutine access(x, k, p)
    real :: x(10)
    integer :: k(5)
    real, pointer :: p(:)
    x(k(1)) = x(1) + 1
    x(k(2)) = x(1) + 1
    include 'more.inc'
    if (k(4) > 10) p(1) = 1
    if (k(5) > 10) p(1) = 1
  end subroutine
end module
program main
  use lines_of_checks
  real :: x(10), expected(10)
  integer :: k(5), which
  real, pointer :: p(:)
  character(1) :: argument
  call random_number(x)
  expected = [x(1) + 1, x(1) + 2, x(1) + 2, x(4:)]
  nullify(p)
  k = [1, 2, 3, 4, 5]
  call get_command_argument(1, argument)
  read (argument, *) which
  if (which > 0) k(which) = 11
  call access(x, k, p)
  if (any(abs(x - expected) > 1e-6)) stop 1
  print *, 'PASS'
end program
