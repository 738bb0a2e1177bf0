! With -i8, NUMERIC_STORAGE_SIZE means nothing: a warning says so where a source names it, and only there.
! RUN: rm -rf %t && split-file %s %t && cd %t
! RUN: %cufort -i8 -Werror -c kinds.f90 && %cufort -i8 -Werror -c user.f90 && %cufort -cuda -i8 -Werror -c user.f90
! RUN: %cufort -i8 -c named.f90 2>&1 | FileCheck %s --implicit-check-not=warning:
! CHECK: named.f90:4:12: warning: NUMERIC_STORAGE_SIZE from ISO_FORTRAN_ENV is not well-defined
! CHECK-NEXT: print *, numeric_storage_size
! CHECK-NEXT: ^
! RUN: %cufort -Werror -c named.f90

!--- kinds.f90
module kinds
  use, intrinsic :: iso_fortran_env
  integer, parameter :: w = real64
end module

!--- user.f90
program user
  use kinds
  print *, w
end program

!--- named.f90
program named
  use kinds
  use iso_fortran_env
  print *, numeric_storage_size
end program
