! A program's own procedures and COMMON blocks with names of service procedures, beside service procedures that lie in
! the same files of the library.
! RUN: %cufort %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
program main
  implicit none
  integer, external :: stat, rindex, lstat, getpid, getuid
  double precision, external :: drand, drandm
  double precision :: x
  integer :: values(13), parts(9), shared(30), others(5)
  character(20) :: message
  common /ltime/ shared
  common /signal/ others
  shared = 7
  others = 0
  call random_number(x)
  if (stat(3) /= 6 .or. rindex(x) /= 1 .or. drand(x) /= 2 * x) stop 1
  if (lstat('.', values) /= 0) stop 2
  call gmtime(86400, parts)
  if (any(parts /= [0, 0, 0, 2, 0, 70, 5, 1, 0])) stop 3
  x = drandm(5)
  if (x <= 0 .or. x >= 1 .or. drandm(5) /= x) stop 4
  call chdir('no-such-folder')
  call gerror(message)
  if (message /= 'No such file or dire') stop 5
  call itime
  if (any(shared /= 8)) stop 6
  if (getpid(4) /= 12 .or. getuid() < 0 .or. any(others /= 4)) stop 7
  print *, 'PASS'
end program
integer function stat(n)
  integer, intent(in) :: n
  stat = 2 * n
end function
integer function getpid(n)
  integer, intent(in) :: n
  common /signal/ others
  integer :: others(5)
  others = n
  getpid = 3 * n
end function
integer function rindex(x)
  double precision, intent(in) :: x
  rindex = ceiling(x)
end function
double precision function drand(x)
  double precision, intent(in) :: x
  drand = 2 * x
end function
subroutine itime
  common /ltime/ shared
  integer :: shared(30)
  shared = shared + 1
end subroutine
