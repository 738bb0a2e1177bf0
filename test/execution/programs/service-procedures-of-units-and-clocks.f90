! Procedures that programs call without an interface: irtc, isatty and times.
! RUN: rm -rf %t.d && mkdir %t.d && %cufort %s -o %t && cd %t.d && env CUFORT_DEVICE=emulated %t < /dev/null | FileCheck %s
! CHECK: PASS
program main
  implicit none
  logical :: isatty
  integer(8) :: irtc, start, ticks(4), later(4)
  integer :: times, begin, i
  double precision :: rtc, seconds
  real :: from, now, x

  start = irtc()
  seconds = rtc()
  if (abs(start / 1d9 - seconds) > 1 .or. irtc() < start) stop 1

  ! Processor time by another clock, in hundredths of a second.
  ticks = -1
  begin = times(ticks)
  if (any(ticks < 0)) stop 2
  call cpu_time(from)
  now = from
  x = 0
  do while (now - from < 0.3)
    x = x + sqrt(now)
    call cpu_time(now)
  end do
  i = times(later)
  if (sum(later(1:2)) - sum(ticks(1:2)) < 28 .or. i - begin < 28 .or. x < 0) stop 3
  if (any(later(3:4) /= ticks(3:4))) stop 4
  if (irtc() - start < 300000000_8) stop 5

  ! Neither /dev/null, nor a pipe, nor a file is a terminal; a unit that is not connected is none, either.
  open(37, file='text')
  if (isatty(5) .or. isatty(6) .or. isatty(37) .or. isatty(38)) stop 6
  close(37, status='delete')
  print *, 'PASS'
end program
