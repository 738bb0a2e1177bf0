! Separate module procedures beside their interfaces in Fortran without CUDA: recursive, elemental and BIND(C) ones, those
! of operators, and those of a submodule that has the interface itself.
! RUN: %cufort %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
module numbers_beside_interfaces
  implicit none
  integer, parameter :: k = 4
  interface
    module subroutine top(x)
      real(k), intent(inout) :: x
    end subroutine
    recursive module function fact(n) result(r)
      integer, value :: n
      integer :: r
    end function
    elemental module function twice(x)
      real, intent(in) :: x
      real :: twice
    end function
    module subroutine cc(x) bind(c, name='my_cc')
      real, value :: x
    end subroutine
  end interface
  interface operator(.plus.)
    pure module function plus(a, b)
      real, intent(in) :: a, b
      real :: plus
    end function
  end interface
  real :: seen = 0
contains
  module procedure fact
    if (n <= 1) then
      r = 1
    else
      r = n * fact(n-1)
    end if
  end procedure
  module procedure twice
    twice = 2*x
  end procedure twice
  module procedure plus
    plus = a + b
  end procedure
  module procedure cc
    use iso_fortran_env, only: real64
    real(real64) :: y
    y = x
    seen = seen + real(y)
  end procedure
end module
submodule (numbers_beside_interfaces) more_numbers
  implicit none
  interface
    module subroutine inner(x)
      real, intent(inout) :: x
    end subroutine
  end interface
contains
  module procedure top
    call inner(x)
    x = x + 1
  end procedure
  module procedure inner
    x = x * 10
  end procedure
end submodule
program p
  use numbers_beside_interfaces
  implicit none
  real :: x
  interface
    subroutine ext(x) bind(c, name='my_cc')
      real, value :: x
    end subroutine
  end interface
  x = 2
  call top(x)
  if (x /= 21) stop 1
  if (fact(5) /= 120) stop 2
  if (any(twice([1., 2.]) /= [2., 4.])) stop 3
  if ((1. .plus. 2.) /= 3) stop 4
  call cc(2.)
  call ext(3.)
  if (seen /= 5) stop 5
  print *, 'PASS'
end program
