C     Fixed-form source with CUDA Fortran switched on by an option.
C ITEMS: OP-001, OP-002, OP-017
C RUN: %cufort -cuda %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
C CHECK: PASS
      module fixed_kernels
      contains
      attributes(global) subroutine daxpy_kernel(n, a, x, y)
      integer, value :: n
      double precision, value :: a
      double precision, device :: x(*), y(*)
      i = (blockidx%x - 1) * blockdim%x + threadidx%x
      if (i .le. n) y(i) = y(i)
     &                   + a * x(i)
      end subroutine
      end module
      program test
      use fixed_kernels
      parameter (n = 500)
      double precision x(n), y(n), z(n)
      double precision, device :: xd(n), yd(n)
      call random_number(x)
      call random_number(y)
      xd = x
      yd = y
      call daxpy_kernel<<<(n + 127) / 128, 128>>>(n, 2.5d0, xd, yd)
      z = yd
      do 10 i = 1, n
        if (dabs(z(i) - (y(i) + 2.5d0 * x(i))) .gt. 1d-14) then
          print *, 'FAIL: element', i
          stop 1
        end if
   10 continue
      print *, 'PASS'
      end
