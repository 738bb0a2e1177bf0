! -Mfprelaxed: estimates of reciprocals instead of divisions and square roots, right to some bits less.
! RUN: %cufort -O2 -Mfprelaxed %s -o %t && %t | FileCheck %s
! CHECK: PASS
! RUN: %cufort -O2 -Mfprelaxed -S %s -o - | FileCheck %s --check-prefix=ESTIMATES
! RUN: %cufort -O2 -S %s -o - | FileCheck %s --check-prefix=EXACT
! ESTIMATES-LABEL: scale_:
! ESTIMATES: rcp{{[sp]}}s
! ESTIMATES: rsqrt{{[sp]}}s
! EXACT-LABEL: scale_:
! EXACT-NOT: rcp{{[sp]}}s
! EXACT-NOT: rsqrt{{[sp]}}s
! EXACT: ret
subroutine scale(n, x, y, z)
  implicit none
  integer :: n, i
  real :: x(n), y(n), z(n)
  do i = 1, n
    z(i) = x(i) / y(i)
  end do
  do i = 1, n
    y(i) = sqrt(y(i))
  end do
end subroutine
program p
  implicit none
  integer, parameter :: n = 1003
  real :: x(n), y(n), y0(n), z(n)
  call random_number(x)
  call random_number(y)
  x = x - 0.5
  y = y + 0.1
  y0 = y
  call scale(n, x, y, z)
  if (any(abs(z - real(dble(x) / dble(y0))) > 1e-5 * abs(z))) stop 1
  if (any(abs(y - real(sqrt(dble(y0)))) > 1e-5 * y)) stop 2
  print *, 'PASS'
end program
