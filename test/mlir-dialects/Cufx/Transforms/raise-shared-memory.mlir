// Shared variables get a size in bytes, or an offset into the bytes that the launch gives.
// RUN: %cufort-opt --cufx-raise-shared-memory %s | FileCheck %s

!pair = !fir.type<_QMmTpair{a:f64,b:i32}>

module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.endianness" = "little">} {

// The name of the procedure keeps variables of equal name in two kernels apart.
// CHECK-LABEL: func.func @static_variables
func.func @static_variables() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NEXT: cufx.shared "static_variables_tile" bytes 4224 align 4 -> !fir.ref<!fir.array<33x32xf32>>
  %0 = cuf.shared_memory !fir.array<33x32xf32> {bindc_name = "tile", uniq_name = "_QMmFkEtile"} -> !fir.ref<!fir.array<33x32xf32>>
  // CHECK-NEXT: cufx.shared "static_variables_sum" bytes 8 align 8 -> !fir.ref<f64>
  %1 = cuf.shared_memory f64 {bindc_name = "sum", uniq_name = "_QMmFkEsum"} -> !fir.ref<f64>
  // CHECK-NEXT: cufx.shared "static_variables_flag" bytes 1 align 1 -> !fir.ref<!fir.logical<1>>
  %2 = cuf.shared_memory !fir.logical<1> {bindc_name = "flag", uniq_name = "_QMmFkEflag"} -> !fir.ref<!fir.logical<1>>
  // Elements of 12 bytes stand 16 bytes apart.
  // CHECK-NEXT: cufx.shared "static_variables_pairs" bytes 48 align 8 -> !fir.ref<!fir.array<3x!fir.type<_QMmTpair{a:f64,b:i32}>>>
  %3 = cuf.shared_memory !fir.array<3x!pair> {bindc_name = "pairs", uniq_name = "_QMmFkEpairs"} -> !fir.ref<!fir.array<3x!pair>>
  // CHECK-NEXT: cufx.shared "static_variables_z" bytes 32 align 8 -> !fir.ref<!fir.array<2xcomplex<f64>>>
  %4 = cuf.shared_memory !fir.array<2xcomplex<f64>> {bindc_name = "z", uniq_name = "_QMmFkEz"} -> !fir.ref<!fir.array<2xcomplex<f64>>>
  return
}

// An array without elements has an address too.
// CHECK-LABEL: func.func @no_elements
func.func @no_elements() attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // CHECK-NEXT: cufx.shared "no_elements_none" bytes 1 align 4
  %0 = cuf.shared_memory !fir.array<0xf32> {bindc_name = "none", uniq_name = "_QMmFkEnone"} -> !fir.ref<!fir.array<0xf32>>
  return
}

// What every block has without being asked: 48 KiB.
// CHECK-LABEL: func.func @all_of_it
func.func @all_of_it() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NEXT: cufx.shared "all_of_it_s" bytes 49152 align 4
  %0 = cuf.shared_memory !fir.array<12288xf32> {bindc_name = "s", uniq_name = "_QMmFkEs"} -> !fir.ref<!fir.array<12288xf32>>
  return
}

// Arrays of assumed size all start where dynamic shared memory starts.
// CHECK-LABEL: func.func @assumed_size
func.func @assumed_size() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  %0 = fir.assumed_size_extent : index
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[ZERO]] -> !fir.ref<!fir.array<?xf64>>
  %1 = cuf.shared_memory !fir.array<?xf64>, %0 : index {bindc_name = "d", uniq_name = "_QMmFkEd"} -> !fir.ref<!fir.array<?xf64>>
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[ZERO]] -> !fir.ref<!fir.array<?xi32>>
  %2 = cuf.shared_memory !fir.array<?xi32>, %0 : index {bindc_name = "i", uniq_name = "_QMmFkEi"} -> !fir.ref<!fir.array<?xi32>>
  // Flang also writes the extent as -1.
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[ZERO]] -> !fir.ref<!fir.array<?xi16>>
  %3 = arith.constant -1 : index
  %4 = cuf.shared_memory !fir.array<?xi16>, %3 : index {bindc_name = "h", uniq_name = "_QMmFkEh"} -> !fir.ref<!fir.array<?xi16>>
  return
}

// Automatic arrays follow each other: the second starts behind the n elements of the first.
// CHECK-LABEL: func.func @automatic
// CHECK-SAME: (%[[N:.*]]: index)
func.func @automatic(%n: index) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[SIZE:.*]] = arith.constant 8 : i64
  // CHECK: %[[COUNT:.*]] = fir.convert %[[N]] : (index) -> i64
  // CHECK: %[[BYTES:.*]] = arith.muli %[[SIZE]], %[[COUNT]] : i64
  // CHECK: %[[END:.*]] = arith.addi %[[ZERO]], %[[BYTES]] : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[ZERO]] -> !fir.ref<!fir.array<?xf64>>
  %0 = cuf.shared_memory !fir.array<?xf64>, %n : index {bindc_name = "a", uniq_name = "_QMmFkEa"} -> !fir.ref<!fir.array<?xf64>>
  // CHECK: %[[UP:.*]] = arith.addi %[[END]], %{{.*}} : i64
  // CHECK: %[[NEXT:.*]] = arith.andi %[[UP]], %{{.*}} : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[NEXT]] -> !fir.ref<!fir.array<?xf64>>
  %1 = cuf.shared_memory !fir.array<?xf64>, %n : index {bindc_name = "b", uniq_name = "_QMmFkEb"} -> !fir.ref<!fir.array<?xf64>>
  return
}

// Constant extents of the type count as well: 4 bytes * 4 * n.
// CHECK-LABEL: func.func @automatic_with_a_constant_extent
// CHECK-SAME: (%[[N:.*]]: index)
func.func @automatic_with_a_constant_extent(%n: index) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK: %[[SIZE:.*]] = arith.constant 4 : i64
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[SIZE]], %[[FOUR]] : i64
  // CHECK: %[[COUNT:.*]] = fir.convert %[[N]] : (index) -> i64
  // CHECK: %[[BYTES:.*]] = arith.muli %[[COLUMN]], %[[COUNT]] : i64
  // CHECK: %[[END:.*]] = arith.addi %{{.*}}, %[[BYTES]] : i64
  // CHECK: cufx.shared "dynamic"
  %0 = cuf.shared_memory !fir.array<4x?xf32>, %n : index {bindc_name = "a", uniq_name = "_QMmFkEa"} -> !fir.ref<!fir.array<4x?xf32>>
  return
}

// An array of assumed size between automatic ones neither moves nor is moved.
// CHECK-LABEL: func.func @assumed_size_and_automatic
func.func @assumed_size_and_automatic(%n: index) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK: cufx.shared "dynamic"
  %0 = cuf.shared_memory !fir.array<?xf32>, %n : index {bindc_name = "a", uniq_name = "_QMmFkEa"} -> !fir.ref<!fir.array<?xf32>>
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: cufx.shared "dynamic" align 16 offset %[[ZERO]]
  // CHECK: %[[NEXT:.*]] = arith.andi
  %1 = fir.assumed_size_extent : index
  %2 = cuf.shared_memory !fir.array<?xf32>, %1 : index {bindc_name = "d", uniq_name = "_QMmFkEd"} -> !fir.ref<!fir.array<?xf32>>
  // CHECK: cufx.shared "dynamic" align 16 offset %[[NEXT]]
  %3 = cuf.shared_memory !fir.array<?xf32>, %n : index {bindc_name = "b", uniq_name = "_QMmFkEb"} -> !fir.ref<!fir.array<?xf32>>
  return
}

}
