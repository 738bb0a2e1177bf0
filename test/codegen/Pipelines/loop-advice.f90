! Advice for loops of the host that the optimizer cannot follow is no reason for a warning.
! RUN: %cufort -O3 -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning
subroutine s(n, a, k)
  integer, intent(in) :: n, k(n)
  real(8) :: a(n, n)
  integer :: i, j
  do j = 1, n
    !dir$ ivdep
    do i = 1, n
      a(k(i), j) = a(i, j) + i
    end do
    !dir$ unroll
    do i = 1, n
      a(k(i), j) = a(i, j) + i
      if (a(i, j) > 3) return
    end do
  end do
end subroutine
