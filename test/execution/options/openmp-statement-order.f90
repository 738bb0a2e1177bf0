! Iterations of an OpenMP loop are independent; the statements of one are not.
! RUN: %cufort -O3 -mp %s -o %t && %t | FileCheck %s
! CHECK: PASS
module orders
  implicit none
contains
  subroutine add(n, k, g, o)
    integer, intent(in) :: n, k
    real :: g(2, n), o(n)
    integer :: i
    !$omp parallel do simd
    do i = 1, n
      g(k, i) = i + g(1, i)
      o(i) = g(2, i)
    end do
  end subroutine
end module

program main
  use orders
  implicit none
  integer, parameter :: n = 1003
  real :: g(2, n), o(n), start(2, n)
  integer :: i, k
  logical :: isRight
  call random_number(start)
  isRight = .true.
  do k = 1, 2
    g = start
    call add(n, k, g, o)
    isRight = isRight .and. all(o == merge(start(2, :), start(1, :) + [(i, i = 1, n)], k == 1))
  end do
  print *, merge('PASS', 'FAIL', isRight)
end program
