! SPREAD with a DIM= that the result does not have, in Fortran without CUDA.
! RUN: %check-error
program p
  implicit none
  real :: h(3,3), w(3)
! CHECK:{{.*}}spread-without-cuda.f90:[[#@LINE+3]]:17: error: The value of DIM= (3) may not be greater than 2
! CHECK-NEXT:    h = spread(w, 3, 3)
! CHECK-NEXT:                  ^
  h = spread(w, 3, 3)
end program
