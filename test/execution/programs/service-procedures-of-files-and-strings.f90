! Procedures that programs call without an interface: rtc, ltime, gmtime, ctime, drand, drandm, gerror, rindex, stat
! and lstat.
! RUN: rm -rf %t.d && mkdir %t.d && %cufort %s -o %t && cd %t.d && env CUFORT_DEVICE=emulated TZ=XST-5:30 %t | FileCheck %s
! CHECK: PASS
program main
  implicit none
  integer :: seed
  seed = 20241
  call check_times
  call check_calendar
  call check_random
  call check_strings
  call check_files
  print *, 'PASS'
contains
  ! A multiplicative generator of its own, so that the library's stays untouched.
  integer function some(low, high)
    integer, intent(in) :: low, high
    seed = int(mod(16807_8 * seed, 2147483647_8))
    some = low + int(mod(int(seed, 8), int(high, 8) - low + 1))
  end function
  subroutine check_times
    double precision :: rtc, before
    integer :: time
    before = rtc()
    if (abs(before - time()) > 2) stop 1
    if (rtc() < before) stop 2
  end subroutine
  subroutine check_calendar
    character(24) :: ctime, text
    character(30) :: long
    character(3) :: name, days(0:6) = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
    integer :: i, seconds, here(9), there(9), day, expected(9)
    do i = 1, 500
      seconds = some(0, huge(0))
      call gmtime(seconds, there)
      call ltime(seconds, here)
      call split(seconds, expected)
      if (any(there /= expected)) stop 3
      ! The zone is five hours and a half ahead.
      if (seconds > huge(0) - 20000) cycle
      call split(seconds + 19800, expected)
      if (any(here /= expected)) stop 4
      text = ctime(seconds)
      read(text, '(a3, 5x, i2)') name, day
      if (name /= days(here(7)) .or. day /= here(4)) stop 5
      write(long, '(i2.2, ":", i2.2, ":", i2.2, 1x, i4)') here(3), here(2), here(1), 1900 + here(6)
      if (text(12:) /= long) stop 6
    end do
  end subroutine
  ! The parts of a time by counting years and months.
  subroutine split(seconds, parts)
    integer, intent(in) :: seconds
    integer, intent(out) :: parts(9)
    integer :: days, year, month, lengths(12)
    days = seconds / 86400
    parts(1:3) = [mod(seconds, 60), mod(seconds / 60, 60), mod(seconds / 3600, 24)]
    parts(7) = mod(days + 4, 7)   ! 1970 began with a Thursday
    year = 1970
    do while (days >= length(year))
      days = days - length(year)
      year = year + 1
    end do
    parts(8) = days
    lengths = [31, length(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    month = 1
    do while (days >= lengths(month))
      days = days - lengths(month)
      month = month + 1
    end do
    parts(4:6) = [days + 1, month - 1, year - 1900]
    parts(9) = 0
  end subroutine
  integer function length(year)
    integer, intent(in) :: year
    length = merge(366, 365, mod(year, 4) == 0 .and. (mod(year, 100) /= 0 .or. mod(year, 400) == 0))
  end function
  ! Numbers of 48 bits, each from the one before; both functions have the same sequence.
  subroutine check_random
    double precision :: drand, drandm, x
    integer(8) :: state
    integer :: i, start
    start = some(1, 100000)
    state = ior(ishft(int(start, 8), 16), int(z'330e', 8))
    x = drand(start)
    do i = 1, 1000
      state = next(state)
      if (abs(x - state / 2d0**48) > 1d-14) stop 7
      if (mod(i, 3) == 0) then
        x = drandm(0)
      else
        x = drand(0)
      end if
    end do
    if (drandm(start) == x .or. drand(start) /= next(ior(ishft(int(start, 8), 16), int(z'330e', 8))) / 2d0**48) stop 8
  end subroutine
  ! 25214903917 * state + 11 modulo 2**48 without an overflow.
  integer(8) function next(state)
    integer(8), intent(in) :: state
    integer(8), parameter :: factor = int(z'5deece66d', 8), half = 2_8**24
    next = mod(state, half) * mod(factor, half) + 11 &
        + half * mod(mod(state, half) * (factor / half) + state / half * mod(factor, half), half)
    next = mod(next, 2_8**48)
  end function
  subroutine check_strings
    integer :: rindex, i, n, m
    character(40) :: text, message
    character(5) :: part
    character(2) :: short
    do i = 1, 300
      n = some(1, 40)
      m = some(1, 3)
      call fill(text(1:n))
      call fill(part(1:m))
      if (rindex(text(1:n), part(1:m)) /= index(text(1:n), part(1:m), back=.true.)) stop 9
    end do
    call chdir('no-such-folder')
    call gerror(message)
    if (message /= 'No such file or directory') stop 10
    call chdir('no-such-folder')
    call gerror(short)
    if (short /= 'No') stop 11
  end subroutine
  subroutine fill(text)
    character(*), intent(out) :: text
    integer :: i
    do i = 1, len(text)
      text(i:i) = achar(iachar('a') + some(0, 1))
    end do
  end subroutine
  subroutine check_files
    integer :: stat, lstat, values(13), link(13), status, bytes, time
    character(:), allocatable :: content
    bytes = some(1000, 9000)
    content = repeat('x', bytes)
    open(10, file='some file', access='stream', form='unformatted', status='replace')
    write(10) content
    close(10)
    call execute_command_line('ln -sf "some file" a_link && chmod 640 "some file"', exitstat=status)
    if (status /= 0) stop 12
    if (stat('some file   ', values) /= 0) stop 13
    if (values(8) /= bytes .or. values(3) /= int(o'100640') .or. values(4) /= 1) stop 14
    if (values(13) * 512 < 0 .or. abs(values(10) - time()) > 100 .or. values(12) < 512) stop 15
    if (stat('a_link', link) /= 0) stop 16
    if (any(link /= values)) stop 17
    if (lstat('a_link', link) /= 0) stop 18
    if (link(8) /= len('some file') .or. link(2) == values(2) .or. iand(link(3), int(o'170000')) /= int(o'120000')) stop 19
    if (stat('nothing', values) /= 2) stop 20
  end subroutine
end program
