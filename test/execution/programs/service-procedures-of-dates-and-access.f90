! Both forms of IDATE, and ACCESS, beside a procedure of the object of Flang's runtime that has an ACCESS as well.
! RUN: rm -rf %t.d && mkdir %t.d && %cufort %s -o %t && cd %t.d && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
program main
  implicit none
  integer :: access
  integer :: date(3), month, day, year, now(8), later(8)
  do
    call date_and_time(values=now)
    call idate(date)
    call idate(month, day, year)
    call date_and_time(values=later)
    if (now(3) == later(3)) exit
  end do
  if (any(date /= [now(3), now(2), now(1)])) stop 1
  if (month /= now(2) .or. day /= now(3) .or. year /= mod(now(1), 100)) stop 2

  open(37, file='a file')
  call flush(37)
  if (access('a file', 'rw') /= 0 .or. access('a file   ', ' ') /= 0 .or. access('a file', '') /= 0) stop 3
  if (access('a file', 'x') == 0) stop 4
  if (access('no file', ' ') == 0 .or. access('no file', 'r') == 0) stop 5
  if (access('a file', 'q') == 0) stop 6
  close(37, status='delete')
  if (access('a file', ' ') == 0) stop 7
  print *, 'PASS'
end program
