// Every kind of reduction and type: the neutral element in the kernel, and how the host combines.
// RUN: %cufort-opt --cufx-outline-kernel-loops -split-input-file %s | FileCheck %s
// Kinds: 0 add, 1 mul, 2 max, 3 min, 4 iand, 5 ior, 6 ieor, 7 land, 8 lor.

// CHECK-LABEL: func.func @integer_sum
// CHECK: cufx.reduction_fetch
// CHECK: arith.addi
// CHECK-LABEL: func.func @_QQcufkernel_integer_sum_1
// CHECK: %[[PART:.*]] = fir.alloca i64
// CHECK: %[[NEUTRAL:.*]] = arith.constant 0 : i64
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce add %{{.*}} : i64, !fir.ref<i8>
func.func @integer_sum(%n: index, %s: !fir.ref<i64>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [0](%s : !fir.ref<i64>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @complex_sum
// CHECK: cufx.reduction_fetch
// CHECK: fir.addc
// CHECK-LABEL: func.func @_QQcufkernel_complex_sum_1
// CHECK: %[[PART:.*]] = fir.alloca complex<f32>
// CHECK: %[[RE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[IM:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[Z:.*]] = fir.undefined
// CHECK: %[[Z1:.*]] = fir.insert_value %[[Z]], %[[RE]], [0 : index]
// CHECK: %[[NEUTRAL:.*]] = fir.insert_value %[[Z1]], %[[IM]], [1 : index]
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce add %{{.*}} : complex<f32>, !fir.ref<i8>
func.func @complex_sum(%n: index, %s: !fir.ref<complex<f32>>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [0](%s : !fir.ref<complex<f32>>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @product
// CHECK: cufx.reduction_fetch
// CHECK: arith.mulf
// CHECK-LABEL: func.func @_QQcufkernel_product_1
// CHECK: %[[PART:.*]] = fir.alloca f32
// CHECK: %[[NEUTRAL:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce mul %{{.*}} : f32, !fir.ref<i8>
func.func @product(%n: index, %s: !fir.ref<f32>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [1](%s : !fir.ref<f32>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @integer_product
// CHECK: cufx.reduction_fetch
// CHECK: arith.muli
// CHECK-LABEL: func.func @_QQcufkernel_integer_product_1
// CHECK: %[[PART:.*]] = fir.alloca i8
// CHECK: %[[NEUTRAL:.*]] = arith.constant 1 : i8
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce mul %{{.*}} : i8, !fir.ref<i8>
func.func @integer_product(%n: index, %s: !fir.ref<i8>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [1](%s : !fir.ref<i8>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @complex_product
// CHECK: cufx.reduction_fetch
// CHECK: fir.mulc
// CHECK-LABEL: func.func @_QQcufkernel_complex_product_1
// CHECK: %[[PART:.*]] = fir.alloca complex<f64>
// CHECK: %[[RE:.*]] = arith.constant 1.000000e+00 : f64
// CHECK: %[[IM:.*]] = arith.constant 0.000000e+00 : f64
// CHECK: %[[Z:.*]] = fir.undefined
// CHECK: %[[Z1:.*]] = fir.insert_value %[[Z]], %[[RE]], [0 : index]
// CHECK: %[[NEUTRAL:.*]] = fir.insert_value %[[Z1]], %[[IM]], [1 : index]
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce mul %{{.*}} : complex<f64>, !fir.ref<i8>
func.func @complex_product(%n: index, %s: !fir.ref<complex<f64>>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [1](%s : !fir.ref<complex<f64>>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @real_maximum
// CHECK: cufx.reduction_fetch
// CHECK: %[[LEFT:.*]] = arith.cmpf ogt, %[[OLD:.*]], %[[NEW:.*]] :
// CHECK: arith.select %[[LEFT]], %[[OLD]], %[[NEW]]
// CHECK-LABEL: func.func @_QQcufkernel_real_maximum_1
// CHECK: %[[PART:.*]] = fir.alloca f32
// CHECK: %[[NEUTRAL:.*]] = arith.constant 0xFF800000 : f32
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce max %{{.*}} : f32, !fir.ref<i8>
func.func @real_maximum(%n: index, %s: !fir.ref<f32>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [2](%s : !fir.ref<f32>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @real_minimum
// CHECK: cufx.reduction_fetch
// CHECK: %[[LEFT:.*]] = arith.cmpf olt, %[[OLD:.*]], %[[NEW:.*]] :
// CHECK: arith.select %[[LEFT]], %[[OLD]], %[[NEW]]
// CHECK-LABEL: func.func @_QQcufkernel_real_minimum_1
// CHECK: %[[PART:.*]] = fir.alloca f64
// CHECK: %[[NEUTRAL:.*]] = arith.constant 0x7FF0000000000000 : f64
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce min %{{.*}} : f64, !fir.ref<i8>
func.func @real_minimum(%n: index, %s: !fir.ref<f64>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [3](%s : !fir.ref<f64>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @integer_minimum
// CHECK: cufx.reduction_fetch
// CHECK: %[[LEFT:.*]] = arith.cmpi slt, %[[OLD:.*]], %[[NEW:.*]] :
// CHECK: arith.select %[[LEFT]], %[[OLD]], %[[NEW]]
// CHECK-LABEL: func.func @_QQcufkernel_integer_minimum_1
// CHECK: %[[PART:.*]] = fir.alloca i16
// CHECK: %[[NEUTRAL:.*]] = arith.constant 32767 : i16
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce min %{{.*}} : i16, !fir.ref<i8>
func.func @integer_minimum(%n: index, %s: !fir.ref<i16>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [3](%s : !fir.ref<i16>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @bits_of_all
// CHECK: cufx.reduction_fetch
// CHECK: arith.andi %{{.*}} : i32
// CHECK-LABEL: func.func @_QQcufkernel_bits_of_all_1
// CHECK: %[[PART:.*]] = fir.alloca i32
// CHECK: %[[NEUTRAL:.*]] = arith.constant -1 : i32
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce iand %{{.*}} : i32, !fir.ref<i8>
func.func @bits_of_all(%n: index, %s: !fir.ref<i32>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [4](%s : !fir.ref<i32>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @bits_of_any
// CHECK: cufx.reduction_fetch
// CHECK: arith.ori %{{.*}} : i32
// CHECK-LABEL: func.func @_QQcufkernel_bits_of_any_1
// CHECK: %[[PART:.*]] = fir.alloca i32
// CHECK: %[[NEUTRAL:.*]] = arith.constant 0 : i32
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce ior %{{.*}} : i32, !fir.ref<i8>
func.func @bits_of_any(%n: index, %s: !fir.ref<i32>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [5](%s : !fir.ref<i32>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @parity
// CHECK: cufx.reduction_fetch
// CHECK: arith.xori %{{.*}} : i64
// CHECK-LABEL: func.func @_QQcufkernel_parity_1
// CHECK: %[[PART:.*]] = fir.alloca i64
// CHECK: %[[NEUTRAL:.*]] = arith.constant 0 : i64
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce ieor %{{.*}} : i64, !fir.ref<i8>
func.func @parity(%n: index, %s: !fir.ref<i64>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [6](%s : !fir.ref<i64>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @all_true
// CHECK: cufx.reduction_fetch
// CHECK: %[[L:.*]] = fir.convert %{{.*}} : (!fir.logical<4>) -> i1
// CHECK: %[[R:.*]] = fir.convert %{{.*}} : (!fir.logical<4>) -> i1
// CHECK: %[[B:.*]] = arith.andi %[[L]], %[[R]] : i1
// CHECK: fir.convert %[[B]] : (i1) -> !fir.logical<4>
// CHECK-LABEL: func.func @_QQcufkernel_all_true_1
// CHECK: %[[PART:.*]] = fir.alloca !fir.logical<4>
// CHECK: %[[TRUTH:.*]] = arith.constant true
// CHECK: %[[NEUTRAL:.*]] = fir.convert %[[TRUTH]] : (i1) -> !fir.logical<4>
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce land %{{.*}} : !fir.logical<4>, !fir.ref<i8>
func.func @all_true(%n: index, %s: !fir.ref<!fir.logical<4>>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [7](%s : !fir.ref<!fir.logical<4>>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}

// -----

// CHECK-LABEL: func.func @any_true
// CHECK: cufx.reduction_fetch
// CHECK: %[[L:.*]] = fir.convert %{{.*}} : (!fir.logical<4>) -> i1
// CHECK: %[[R:.*]] = fir.convert %{{.*}} : (!fir.logical<4>) -> i1
// CHECK: %[[B:.*]] = arith.ori %[[L]], %[[R]] : i1
// CHECK: fir.convert %[[B]] : (i1) -> !fir.logical<4>
// CHECK-LABEL: func.func @_QQcufkernel_any_true_1
// CHECK: %[[PART:.*]] = fir.alloca !fir.logical<4>
// CHECK: %[[TRUTH:.*]] = arith.constant false
// CHECK: %[[NEUTRAL:.*]] = fir.convert %[[TRUTH]] : (i1) -> !fir.logical<4>
// CHECK: fir.store %[[NEUTRAL]] to %[[PART]]
// CHECK: cufx.grid_reduce lor %{{.*}} : !fir.logical<4>, !fir.ref<i8>
func.func @any_true(%n: index, %s: !fir.ref<!fir.logical<4>>, %e: i64) attributes {cuf.proc_attr = #cuf.cuda_proc<host>} {
  cufx.kernel_loops from(%n) to(%n) step(%n) axes [0] grid(%e, %e, %e) block(%e, %e, %e) reduce [8](%s : !fir.ref<!fir.logical<4>>) {
  ^bb0(%index: index):
    cufx.loops_end
  }
  return
}
