! saxpy.cuf without its CUDA parts, for the comparison of compile times.
module saxpy_kernel
  implicit none
contains
  subroutine saxpy(n, a, x, y)
    integer, value :: n
    real, value :: a
    real, intent(in) :: x(n)
    real :: y(n)
    integer :: i
    do i = 1, n
      y(i) = a * x(i) + y(i)
    end do
  end subroutine
end module

program benchmark
  use saxpy_kernel
  implicit none
  integer, parameter :: n = 2**26, warm = 5, runs = 50
  real, allocatable :: x(:), y(:)
  integer(8) :: first, last, rate
  integer :: k
  allocate(x(n), y(n))
  x = 1.0
  y = 2.0
  call system_clock(count_rate=rate)
  do k = 1, warm + runs
    call system_clock(first)
    call saxpy(n, 0.5, x, y)
    call system_clock(last)
    if (k > warm) print '(a,f12.6)', 'sample ', (last - first) * 1d3 / rate
  end do
  if (any(y /= 2.0 + 0.5 * (warm + runs))) error stop 'wrong result'
end program
