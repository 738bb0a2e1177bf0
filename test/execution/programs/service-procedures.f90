! Procedures that programs call without an interface: dtime, etime, itime, timef, secnds and ran.
! RUN: %cufort %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
program main
  implicit none
  integer, parameter :: n = 20000
  real :: dtime, etime, ran, secnds
  double precision :: timef
  real :: times(2), total(2), first, second, sum1, largest, smallest, since
  double precision :: start, value
  integer :: clock(3), before(8), after(8), seed, again, i, seconds
  integer(8) :: exact

  start = timef()
  since = secnds(0.0)
  first = dtime(times)
  if (abs(first - sum(times)) > 1e-5) stop 1
  value = work(300)
  second = dtime(times)
  if (second < 0.25 .or. abs(second - sum(times)) > 1e-5) stop 2
  if (any(times < 0)) stop 3
  ! All of it is the sum of its parts.
  sum1 = etime(total)
  if (abs(first + second - sum1) > 0.1) stop 4
  if (timef() - start < 250 .or. timef() - start < 1000 * (secnds(since) - 1)) stop 5

  call date_and_time(values=before)
  call itime(clock)
  call date_and_time(values=after)
  seconds = 3600 * clock(1) + 60 * clock(2) + clock(3)
  ! Not compared if midnight is between them.
  if (after(3) == before(3) .and. (seconds < daytime(before) .or. seconds > daytime(after))) stop 6

  ! The sequence by arithmetic in 64 bits, and from the same seed again.
  seed = 12345
  exact = seed
  sum1 = 0
  largest = 0
  smallest = 1
  do i = 1, n
    first = ran(seed)
    exact = iand(69069 * exact + 1, int(z'ffffffff', 8))
    if (iand(int(seed, 8), int(z'ffffffff', 8)) /= exact) stop 7
    if (abs(first - real(exact, 8) / 2d0**32) > 1d-7) stop 8
    sum1 = sum1 + first
    largest = max(largest, first)
    smallest = min(smallest, first)
  end do
  if (abs(sum1 / n - 0.5) > 0.02 .or. largest >= 1 .or. largest < 0.99 .or. smallest > 0.01) stop 9
  again = 12345
  do i = 1, n
    first = ran(again)
  end do
  if (again /= seed) stop 10
  if (value < 0) stop 11
  print *, 'PASS'
contains
  ! Works for some milliseconds of processor time.
  double precision function work(milliseconds)
    integer, intent(in) :: milliseconds
    real :: from, now
    call cpu_time(from)
    now = from
    work = 0
    do while (now - from < milliseconds / 1000.0)
      work = work + sqrt(real(now, 8))
      call cpu_time(now)
    end do
  end function
  integer function daytime(values)
    integer, intent(in) :: values(8)
    daytime = 3600 * values(5) + 60 * values(6) + values(7)
  end function
end program
