! With -traceback a program that ends by a signal or by an error writes the calls that led there: with lines if there
! are some and addr2line to find them, else their names.
! RUN: rm -rf %t && split-file %s %t && cd %t && %cufort -O0 -g -traceback program.cuf -o lines && %cufort -O0 -Mtraceback program.cuf -o names && %cufort -O0 -g program.cuf -o silent
! RUN: env CUFORT_DEVICE=emulated not --crash ./lines signal 2>&1 | FileCheck %s --check-prefixes=SIGNAL,%if addr2line %{LINES%} %else %{NAMES%}
! RUN: env CUFORT_DEVICE=emulated not --crash ./names signal 2>&1 | FileCheck %s --check-prefixes=SIGNAL,NAMES
! SIGNAL: cufort: the program ends by signal 11 (Segmentation fault)
! SIGNAL-NEXT: cufort: the calls that led to this, the innermost first:
! LINES-NEXT: 1 {{ *}}calls::assign at {{.*}}program.cuf:5{{$}}
! LINES-NEXT: 2 {{ *}}calls::far at {{.*}}program.cuf:11{{$}}
! LINES-NEXT: 3 {{ *}}main program at {{.*}}program.cuf:27{{$}}
! NAMES-NEXT: 1 {{ *}}calls::assign {{in|at}} {{.*}}
! NAMES-NEXT: 2 {{ *}}calls::far {{in|at}} {{.*}}
! NAMES-NEXT: 3 {{ *}}main program {{in|at}} {{.*}}

! An error that the runtime of this compiler finds, and one that Fortran's does.
! RUN: env CUFORT_DEVICE=emulated not ./names error 2>&1 | FileCheck %s --check-prefix=ERROR
! ERROR: program.cuf:17: allocate: {{.*}} is already allocated
! ERROR-NEXT: cufort: the calls that led to this, the innermost first:
! ERROR-NEXT: 1 {{ *}}calls::again {{in|at}} {{.*}}
! ERROR-NEXT: 2 {{ *}}main program {{in|at}} {{.*}}
! RUN: env CUFORT_DEVICE=emulated not --crash ./names input 2>&1 | FileCheck %s --check-prefix=INPUT
! INPUT: Bad character
! INPUT: cufort: the program ends by signal 6 (Aborted)
! INPUT-NEXT: cufort: the calls that led to this, the innermost first:
! INPUT-NEXT: 1 {{ *}}main program {{in|at}} {{.*}}

! Nothing of that without the option.
! RUN: env CUFORT_DEVICE=emulated not --crash ./silent signal 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
! RUN: env CUFORT_DEVICE=emulated not ./silent error 2>&1 | FileCheck %s --check-prefix=SILENT
! SILENT-NOT: calls

!--- program.cuf
module calls
contains
  subroutine assign(a, i)
    integer :: a(:), i
    a(i) = 3
  end subroutine
  subroutine far(a)
    integer :: a(:)
    integer :: i
    i = 1000000000
    call assign(a, i)
    print *, a(1)
  end subroutine
  subroutine again()
    real, device, allocatable :: c(:)
    allocate(c(3))
    allocate(c(4))
  end subroutine
end module
program p
  use calls
  character(8) :: what
  integer :: a(3) = 0, n
  integer, device :: d(4)
  call get_command_argument(1, what)
  d = a(1)
  if (what == 'signal') call far(a)
  if (what == 'error') call again()
  what = 'x'
  read (what, *) n
  print *, n
end program
