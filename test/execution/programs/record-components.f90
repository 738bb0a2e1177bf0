! Components of RECORDs, of VAX Fortran, behind a point in program units other than that of the STRUCTURE, beside
! operators, numbers and texts that look like them.
! RUN: rm -rf %t && split-file %s %t && cd %t
! RUN: %cufort free.f90 -o free && ./free | FileCheck free.f90
! RUN: %cufort fixed.f -o fixed && ./fixed | FileCheck fixed.f

!--- free.f90
! CHECK: PASS
module records
  implicit none
  structure /point/
    integer x, y
    real*8 e5, weight(3) /1.0, 2.0, 3.0/
    character*4 name
  end structure
  structure /line/
    record /point/ from, to
    integer eq, near
  end structure
  record /point/ of_module
  record /line/ l(3)
  interface operator(.near.)
    module procedure is_near
  end interface
contains
  logical function is_near(a, b)
    integer, intent(in) :: a, b
    is_near = abs(a - b) < 2
  end function
  subroutine set(p, n)
    record /point/ p
    integer, intent(in) :: n
    p.x = n
    p.y = -n
    p.e5 = 1.e5 + n
    p.weight(2) = 2.5 * n
    p.name = 'p.x'
    of_module.x = p.x + 1
  end subroutine
end module
program test
  use records
  implicit none
  integer :: i, x, y
  real :: r
  call random_number(r)
  x = int(1000 * r)
  y = x + 1
  do i = 1, 3
    call set(l(i).from, x + i)
    call set(l(i).to, x - i)
    l(i).eq = i
    l(i).near = 2 * i
  end do
  call check
  if (.not. (x.near.y) .or. x.eq.y) stop 1
  print *, 'PASS'
contains
  subroutine check
    do i = 1, 3
      if (l(i).from.x /= x + i .or. l(i).from.y /= -x - i .or. l(i).to.x.ne.x - i) stop 2
      if (l(i).from.e5 /= 1.e5 + x + i .or. l(i).to.weight(2) /= 2.5d0 * (x - i)) stop 3
      if (l(i).to.weight(1) /= 1 .or. l(i).to.weight(3) /= 3 .or. l(i).from.name /= 'p.x') stop 4
      if (l(i).eq /= i .or. l(i).near /= 2 * i) stop 5
    end do
    if (of_module.x /= x - 3 + 1) stop 6
  end subroutine
end program

!--- fixed.f
! CHECK: PASS
      program test
      structure /pair/
        integer k(2)
        real r e a l
        structure /inner/ deep
          logical l
        end structure
      end structure
      record /pair/ p
      p.k(1) = 3
      p . k(2) = 4
      p.real = 2.5
      p.deep.l = .true.
      call check
      print *, 'PASS'
      contains
      subroutine check
      if (p.k(1).ne.3.or.p.k(2).ne.4) stop 1
      if (p.real.lt.2.4.or..not.p.deep.l) stop 2
      p.deep.l = p.k(1).eq.p.k(2)
      if (p.deep.l) stop 3
      end subroutine
      end program
