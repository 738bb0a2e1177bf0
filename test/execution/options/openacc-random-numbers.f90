! Random numbers in compute regions of OpenACC, which run on the host: cuRAND's, from the first on.
! RUN: %cufort -acc %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
program test
  use openacc_curand
  implicit none
  integer, parameter :: n = 1000, words(4) = [624778773, 1867875844, -555296014, 1954919316]
  type(curandStateXORWOW) :: h
  type(curandStatePhilox4_32_10) :: p
  type(curandStateSobol32) :: s
  integer(8) :: seed, sequence, offset
  integer :: i, first(4), directions(32)
  real :: u(n), z(n), q(n)
  seed = 1234
  sequence = 0
  offset = 0
  !$acc parallel num_gangs(1) vector_length(1) copy(u, z, first) private(h)
  call curand_init(seed, sequence, offset, h)
  !$acc loop seq
  do i = 1, 4
    first(i) = curand(h)
  end do
  !$acc loop seq
  do i = 1, n
    u(i) = curand_uniform(h)
    z(i) = curand_normal(h)
  end do
  !$acc end parallel
  !$acc parallel loop private(p) copyout(q)
  do i = 1, n
    call curand_init(seed, i, 0, p)
    q(i) = curandUniformPhilox4_32_10(p)
  end do
  if (any(first /= words)) stop 1
  if (any(u <= 0 .or. u > 1) .or. abs(sum(u) / n - 0.5) > 5 * sqrt(1.0 / 12 / n)) stop 2
  if (abs(sum(z) / n) > 5 / sqrt(real(n)) .or. abs(sum(z**2) / n - 1) > 5 * sqrt(2.0 / n)) stop 3
  if (any(q <= 0 .or. q > 1) .or. abs(sum(q) / n - 0.5) > 5 * sqrt(1.0 / 12 / n)) stop 4
  directions = [(ishft(1, 32 - i), i = 1, 32)]
  call curand_init(directions, 0, s)
  do i = 1, n
    q(i) = curand_uniform(s)
  end do
  if (any(abs(q(1:4) - [0.0, 0.5, 0.75, 0.25]) > 1e-6)) stop 5
  print *, 'PASS'
end program
