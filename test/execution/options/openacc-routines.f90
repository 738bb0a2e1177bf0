! The runtime routines of OpenACC beside CUDA Fortran: devices are CUDA's, queues are streams that kernels run on, and
! data is where the host has it.
! RUN: %cufort -acc -cuda %s -o %t && env CUFORT_DEVICE=emulated %t 0 | FileCheck %s
! RUN: %cufort -cuda -O0 %s -o %t.noacc && env CUFORT_DEVICE=emulated %t.noacc 0 | FileCheck %s
! CHECK: PASS
! RUN: not env CUFORT_DEVICE=emulated %t 1 2>&1 | FileCheck %s --check-prefix=DEVICE
! DEVICE: cufort: acc_set_device_num: invalid device ordinal
module openacc_routines
contains
  attributes(global) subroutine step(a, b, n)
    integer, value :: n
    integer :: a(n), b(n), i
    i = blockDim%x * (blockIdx%x - 1) + threadIdx%x
    if (i <= n) b(i) = 3 * a(i) + i
  end subroutine
end module

program main
  use openacc
  use accel_lib, only: number_of_devices => acc_get_num_devices
  use cudafor
  use openacc_routines
  implicit none
  integer, parameter :: n = 5000
  integer, managed, allocatable :: a(:), b(:), c(:)
  integer, device, pointer :: a_d(:)
  integer, allocatable :: expected(:)
  real :: x(n)
  integer(cuda_stream_kind) :: stream, own
  integer(cuda_count_kind) :: free, total
  character(80) :: text
  integer :: i, count, ierr
  call get_command_argument(1, text)
  if (text == '1') call acc_set_device_num(1000, acc_device_nvidia)

  ierr = cudaGetDeviceCount(count)
  call acc_init(acc_device_default)
  if (acc_get_num_devices(acc_get_device_type()) /= count) stop 1
  if (number_of_devices(acc_device_host) /= 1 .or. acc_get_num_devices(acc_device_none) /= 0) stop 2
  call acc_set_device_num(count - 1, acc_device_nvidia)
  ierr = cudaGetDevice(i)
  if (i /= count - 1 .or. acc_get_device_num(acc_device_nvidia) /= i) stop 3
  ierr = cudaMemGetInfo(free, total)
  if (acc_get_property(i, acc_device_nvidia, acc_property_memory) /= total) stop 4
  call acc_get_property_string(i, acc_device_nvidia, acc_property_name, text)
  if (text == '') stop 5
  if (.not. acc_on_device(acc_device_host) .or. acc_on_device(acc_device_not_host)) stop 6

  stream = acc_get_cuda_stream(1)
  if (stream /= acc_get_cuda_stream(1) .or. stream == acc_get_cuda_stream(2)) stop 7
  if (acc_get_cuda_stream(acc_async_sync) /= 0) stop 8
  call acc_set_default_async(2)
  if (acc_get_cuda_stream(acc_async_noval) /= acc_get_cuda_stream(acc_get_default_async())) stop 9
  ierr = cudaStreamCreate(own)
  call acc_set_cuda_stream(3, own)
  if (acc_get_cuda_stream(3) /= own) stop 10

  allocate(a(n), b(n), c(n), expected(n))
  call random_number(x)
  a = int(1000 * x)
  b = -1
  c = -1
  !$acc data copyin(a) create(b) copyout(c)
  call acc_copyin(a)
  call acc_create(b, 4 * n)
  call acc_update_device_async(a, 1)
  if (.not. acc_is_present(a)) stop 11
  expected = 3 * (3 * a + [(i, i = 1, n)]) + [(i, i = 1, n)]
  call c_f_pointer(acc_deviceptr(a), a_d, [n])
  call step<<<(n + 127) / 128, 128, 0, acc_get_cuda_stream(1)>>>(a_d, b, n)
  call acc_wait_async(1, 3)
  call step<<<(n + 127) / 128, 128, 0, acc_get_cuda_stream(3)>>>(b, c, n)
  call acc_wait(3)
  if (.not. acc_async_test(1) .or. .not. acc_async_test(3)) stop 12
  !$acc end data
  if (any(c /= expected)) stop 13
  call step<<<(n + 127) / 128, 128, 0, acc_get_cuda_stream(35)>>>(c, b, n)
  call acc_wait_all
  if (.not. acc_async_test_all()) stop 14
  if (any(b /= 3 * expected + [(i, i = 1, n)])) stop 15
  call acc_delete(b)
  call acc_shutdown(acc_device_default)
  print *, 'PASS'
end program
