! RECORDs of a STRUCTURE of another module, of VAX Fortran: in the module file, by the way of a second module, within
! other structures, and in internal procedures.
! RUN: rm -rf %t && split-file %s %t && cd %t
! RUN: cat first.f90 second.f90 program.f90 > all.f90 && %cufort -Mpreprocess all.f90 -o all && ./all | FileCheck program.f90
! RUN: rm *.mod && %cufort -Mpreprocess -c first.f90 && %cufort -c second.f90 && %cufort -Mpreprocess -c program.f90
! RUN: %cufort first.o second.o program.o -o parts && ./parts | FileCheck program.f90
! RUN: rm *.mod && %cufort -c first.f90 && %cufort -c second.f90 && %cufort -DBOTH -Mpreprocess -c program.f90
! RUN: %cufort first.o second.o program.o -o both && ./both | FileCheck program.f90
! RUN: not %cufort -c unknown.f90 2>&1 | FileCheck unknown.f90

!--- first.f90
module structures_first
  structure /point/
    integer i
    real x(3) /1.0, 2.0, 3.0/
  end structure
  record /point/ mine
  integer :: other = 4
end module

!--- second.f90
module structures_second
  use structures_first
  record /point/ second
  structure /outer/
    record /point/ a(2)
    integer k
  end structure
contains
  subroutine set(r, n)
    record /point/ r
    integer, value :: n
    r%i = n
    r%x(2) = n + 0.5
  end subroutine
end module

!--- program.f90
! CHECK: PASS
program test
#ifdef BOTH
  use structures_first
#endif
  use structures_second
  implicit none
  record /point/ r
  record /outer/ o
  integer :: n
  real :: random
  call random_number(random)
  n = int(1000 * random)
  call set(r, n)
  second = r
  o%a(2) = second
  o%k = 7
  call inner
  if (mine%i /= n + 1 .or. any(mine%x /= [1.0, n + 1.5, 3.0])) stop 1
  if (o%a(2)%i /= n .or. o%a(2)%x(3) /= 3 .or. o%a(1)%x(1) /= 1 .or. other /= 4) stop 2
  print *, 'PASS'
contains
  subroutine inner
    record /point/ q
    q = o%a(2)
    q%i = q%i + 1
    q%x(2) = q%x(2) + 1
    mine = q
  end subroutine
end program

!--- unknown.f90
subroutine s
  use structures_first
  ! CHECK: unknown.f90:[[#@LINE+1]]:10: error: Derived type '/pint/' not found
  record /pint/ r
end subroutine
