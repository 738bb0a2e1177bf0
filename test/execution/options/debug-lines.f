! -Mdlines: lines with D in column 1 are statements, else comments.
! RUN: %cufort -Mdlines %s -o %t && %t | FileCheck %s --check-prefix=ALL
! RUN: %cufort %s -o %t && %t | FileCheck %s
! RUN: %cufort -Mdlines -Mnodlines %s -o %t && %t | FileCheck %s
! ALL: 15
! CHECK: 5
      program main
      integer i, j
      i = 5
D     do 10 j = 1, 4
d     i = i + j
D10   continue
      print *, i
      end program
