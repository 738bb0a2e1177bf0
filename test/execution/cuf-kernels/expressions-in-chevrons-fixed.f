! The same as expressions-in-chevrons.cuf in fixed form, where blanks mean nothing.
! RUN: %cufort -cuda %s -o %t && env CUFORT_DEVICE=emulated %t | FileCheck %s
! CHECK: PASS
      program test
      implicit none
      integer, parameter :: n = 100
      integer, device :: a_d(n)
      integer a(n), i, t
      a_d = 0
      t = 32
!$cuf kernel do<<<(n+t-1)/t,(t+t)/2>>>
      do i = 1, n
        a_d(i) = a_d(i) + i
      end do
!$cuf kernel do <<< (n + t
!$cuf&  - 1) / t, t >>>
      do 10 i = 1, n
        a_d(i) = a_d(i) + i
   10 continue
      a = a_d
      if (any(a .ne. [(2*i, i = 1, n)])) stop 1
      print *, 'PASS'
      end program
