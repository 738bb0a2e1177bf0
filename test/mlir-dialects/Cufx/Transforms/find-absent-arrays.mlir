// An optional array of a kernel is absent if its descriptor has no memory. Device procedures get absent descriptors as
// Fortran passes them.
// RUN: %cufort-opt --cufx-find-absent-arrays %s | FileCheck %s

// CHECK-LABEL: func.func @kernel
// CHECK-SAME: (%[[A:.*]]: !fir.box<!fir.array<?xf32>> {fir.optional}, %[[B:.*]]: !fir.box<!fir.array<?xf32>>
// CHECK: %[[MEMORY:.*]] = fir.box_addr %[[A]]
// CHECK: %[[PRESENT:.*]] = fir.is_present %[[MEMORY]]
// CHECK: %[[ABSENT:.*]] = fir.absent !fir.box<!fir.array<?xf32>>
// CHECK: %[[SEEN:.*]] = arith.select %[[PRESENT]], %[[A]], %[[ABSENT]]
// CHECK: fir.is_present %[[SEEN]]
// CHECK: fir.is_present %[[B]]
func.func @kernel(%a: !fir.box<!fir.array<?xf32>> {fir.optional}, %b: !fir.box<!fir.array<?xf32>>) -> (i1, i1) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = fir.is_present %a : (!fir.box<!fir.array<?xf32>>) -> i1
  %1 = fir.is_present %b : (!fir.box<!fir.array<?xf32>>) -> i1
  return %0, %1 : i1, i1
}

// CHECK-LABEL: func.func @procedure
// CHECK-NOT: arith.select
func.func @procedure(%a: !fir.box<!fir.array<?xf32>> {fir.optional}) -> i1 attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  %0 = fir.is_present %a : (!fir.box<!fir.array<?xf32>>) -> i1
  return %0 : i1
}
