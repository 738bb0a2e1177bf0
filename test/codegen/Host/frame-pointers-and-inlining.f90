! -Mframe: all procedures keep a frame pointer. -Mnoinline: none is inlined.
! RUN: %cufort -O2 -emit=host-llvm %s -o - | FileCheck %s --check-prefix=PLAIN --implicit-check-not=frame-pointer
! RUN: %cufort -O2 -Mframe -emit=host-llvm %s -o - | FileCheck %s --check-prefix=FRAME
! RUN: %cufort -O2 -Mnoinline -emit=host-llvm %s -o - | FileCheck %s --check-prefix=CALL
! PLAIN: define {{.*}} @outer_(
! PLAIN-NOT: call
! PLAIN: define {{.*}} @inner_(
! FRAME: define {{.*}} @outer_({{.*}} [[FRAME:#[0-9]+]]
! FRAME: define {{.*}} @inner_({{.*}} [[FRAME]]
! FRAME: attributes [[FRAME]] = {{.*}}"frame-pointer"="all"
! CALL: define {{.*}} @outer_({{.*}} [[NOT:#[0-9]+]]
! CALL: call {{.*}} @inner_(
! CALL: define {{.*}} @inner_({{.*}} [[NOT]]
! CALL: attributes [[NOT]] = {{.*}}noinline
subroutine outer(x)
  real :: x
  call inner(x)
end subroutine
subroutine inner(x)
  real :: x
  x = 2 * x
end subroutine
