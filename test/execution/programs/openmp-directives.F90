! Directives of OpenMP and lines that begin with !$ are compiled for the threads of the host.
! ITEMS: OP-021
! RUN: %cufort -mp %s -o %t 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
! QUIET-NOT: deprecated
! RUN: env OMP_NUM_THREADS=5 %t | FileCheck %s
! RUN: %cufort -mp -E %s > %t.f90 && %cufort -mp %t.f90 -o %t && env OMP_NUM_THREADS=5 %t | FileCheck %s
! RUN: %cufort %s -o %t && %t | FileCheck %s --check-prefix=WITHOUT
! CHECK: PASS
! WITHOUT: without threads
module shared_data
  implicit none
  integer :: mine = 7
  !$omp threadprivate(mine)
end module
program directives
  use shared_data
  !$ use omp_lib
  implicit none
  integer, external :: most_threads
  integer, parameter :: n = 1000
  real(8) :: x(n), y(n), s, most
  integer :: i, j, threads, entered, ranks(0:4), table(30, 40), parts(3)
  threads = 1
  !$ threads = omp_get_max_threads()
  !$ if (threads /= most_threads()) stop 7
  if (threads == 1) then
    print *, 'without threads'
    stop
  end if
  call random_number(x)
  s = 0
  most = -1
  !$omp parallel do reduction(+:s) reduction(max:most) schedule(dynamic, 7)
  do i = 1, n
    s = s + x(i)
    most = max(most, x(i))
  end do
  if (abs(s - sum(x)) > 1d-9 .or. most /= maxval(x)) stop 1
  ranks = 0
  entered = 0
  !$omp parallel private(i) copyin(mine)
  !$ i = omp_get_thread_num()
  ranks(i) = ranks(i) + mine
  mine = i
  !$omp critical
  entered = entered + 1
  !$omp end critical
  !$omp barrier
  !$omp master
  if (entered /= threads) stop 2
  !$omp end master
  !$omp end parallel
  if (threads /= 5 .or. any(ranks /= 7) .or. mine /= 0) stop 3
  !$omp parallel do collapse(2) default(none) shared(table) private(i, j)
  do j = 1, 40
    do i = 1, 30
      table(i, j) = i * j
    end do
  end do
  if (sum(table) /= 465 * 820) stop 4
  parts = 0
  !$omp parallel sections
  !$omp section
  parts(1) = 1
  !$omp section
  parts(2) = 2
  !$omp end parallel sections
  !$omp parallel
  !$omp single
  do i = 1, 100
    !$omp task firstprivate(i)
    !$omp atomic
    parts(3) = parts(3) + i
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (any(parts /= [1, 2, 5050])) stop 5
  !$omp parallel workshare
  y = 2 * x
  !$omp end parallel workshare
  !$omp simd
  do i = 1, n
    y(i) = y(i) - x(i)
  end do
  if (any(abs(y - x) > 1d-15)) stop 6
  print *, 'PASS'
end program
integer function most_threads()
  implicit none
#ifdef _OPENMP
  include 'omp_lib.h'
  most_threads = omp_get_max_threads()
#else
  most_threads = 1
#endif
end function
