! Service procedures of UNIX that a program declares EXTERNAL, though most of them are intrinsic without.
! RUN: %cufort %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
module received
  implicit none
  integer :: last = 0
contains
  subroutine note(number)
    integer, intent(in) :: number
    last = number
  end subroutine
end module
program main
  implicit none
  call processes
  call environment
  call files
  call clocks
  call numbers
  print *, 'PASS'
  call leave
contains
  subroutine leave
    external :: exit
    call exit(0)
  end subroutine
  subroutine processes
    use received
    integer, external :: getpid, getuid, getgid, system, kill, signal
    integer, parameter :: user1 = 10
    integer :: number
    character(40) :: command
    open (11, file='/proc/self/stat', action='read')
    read (11, *) number
    close (11)
    if (getpid() /= number) stop 1
    write (command, '(a,i0,a,i0)') 'test $(id -u) = ', getuid(), ' -a $(id -g) = ', getgid()
    if (system(command) /= 0 .or. system('exit 3') /= 3) stop 2
    if (kill(getpid(), 0) /= 0 .or. kill(2147483647, 0) == 0) stop 3
    if (signal(user1, note, -1) /= 0) stop 4
    if (kill(getpid(), user1) /= 0 .or. last /= user1) stop 5
    if (signal(user1, note, 1) /= 2 .or. signal(user1, note, 0) /= 1) stop 6
  end subroutine
  subroutine environment
    integer, external :: putenv, getcwd, chdir, lnblnk
    external :: getenv
    character(4) :: value
    character(300) :: before, folder
    call getenv('CUFORT_TEST_NOTHING', value)
    if (value /= ' ') stop 11
    if (putenv('CUFORT_TEST_NOTHING=a=b ') /= 0 .or. putenv('none') == 0) stop 12
    call getenv('CUFORT_TEST_NOTHING  ', value)
    if (value /= 'a=b') stop 13
    if (getcwd(before) /= 0 .or. chdir('/ ') /= 0 .or. getcwd(folder) /= 0 .or. folder /= '/') stop 14
    if (chdir(before) /= 0 .or. chdir('/no-such-folder') == 0) stop 15
    if (lnblnk('ab c  ') /= 4 .or. lnblnk('  ') /= 0) stop 16
  end subroutine
  subroutine files
    integer, external :: getpid, unlink, rename, chmod, ftell, fseek, fstat
    external :: perror
    integer :: values(13)
    character(40) :: name
    logical :: isThere
    write (name, '(a,i0)') 'service-procedures-', getpid()
    open (12, file=name, access='stream', form='unformatted')
    write (12) spread(7, 1, 25)
    flush (12)
    if (ftell(12) /= 100 .or. fstat(12, values) /= 0 .or. values(8) /= 100) stop 21
    if (fseek(12, 8, 0) /= 0 .or. ftell(12) /= 8) stop 22
    if (fseek(12, 4, 1) /= 0 .or. ftell(12) /= 12) stop 23
    close (12)
    if (rename(name, trim(name)//'-new') /= 0 .or. rename(name, 'any') == 0) stop 24
    if (chmod(trim(name)//'-new', int(o'400')) /= 0) stop 25
    open (12, file=trim(name)//'-new', action='read')
    if (fstat(12, values) /= 0 .or. iand(values(3), int(o'777')) /= int(o'400')) stop 26
    close (12)
    if (unlink(trim(name)//'-new') /= 0 .or. unlink(name) == 0) stop 27
    call perror('expected')
    inquire (file=trim(name)//'-new', exist=isThere)
    if (isThere) stop 28
  end subroutine
  subroutine clocks
    integer, external :: time
    real, external :: etime, second
    double precision, external :: rtc
    external :: sleep, date
    real :: times(2), used
    integer :: values(8)
    character(11) :: today
    double precision :: start
    start = rtc()
    call sleep(1)
    if (rtc() - start < 0.9) stop 31
    if (time() < start .or. time() > rtc()) stop 32
    used = etime(times)
    if (abs(used - sum(times)) > 1e-5 .or. second() < used .or. second() > used + 1) stop 33
    call date_and_time(values=values)
    call date(today)
    if (today(3:3) /= '-' .or. today(7:7) /= '-' .or. today(10:) /= ' ') stop 34
    if (values(5) > 0 .and. number_in(today(:2)) /= values(3)) stop 35
    if (number_in(today(8:9)) /= mod(values(1), 100)) stop 36
  end subroutine
  integer function number_in(text)
    character(*), intent(in) :: text
    read (text, *) number_in
  end function
  subroutine numbers
    integer, external :: irand, irandm
    real, external :: rand, random
    real :: first, sum
    integer :: i, k
    call srand(5)
    first = rand()
    k = irand()
    call srand(5)
    if (rand() /= first .or. irand() /= k .or. irand() == k) stop 41
    first = random(7)
    k = irandm(0)
    if (random(7) /= first .or. irandm(0) /= k) stop 42
    sum = 0
    do i = 1, 10000
      first = random(0)
      if (first < 0 .or. first >= 1) stop 43
      sum = sum + first
    end do
    if (abs(sum / 10000 - 0.5) > 0.03) stop 44
  end subroutine
end program
