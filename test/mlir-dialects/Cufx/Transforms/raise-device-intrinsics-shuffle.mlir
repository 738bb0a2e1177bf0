// Calls of the shuffle functions become operations whose lanes count from 0, with segment and clamp packed as in PTX.
// RUN: %cufort-opt --cufx-raise-device-intrinsics --canonicalize %s | FileCheck %s --implicit-check-not='fir.call @__cufx_'

// Without a mask: all lanes, -1. Without a width: one segment of 32 lanes, so the clamp is the last lane, or the
// first for shuffles up.
// CHECK-LABEL: func.func @whole_warp
// CHECK-SAME: (%[[V:.*]]: i32, %[[N:.*]]: i32)
func.func @whole_warp(%v: i32, %n: i32) -> (i32, i32, i32, i32) {
  // CHECK-DAG: %[[MASK:.*]] = arith.constant -1 : i32
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 31 : i32
  // CHECK-DAG: %[[FIRST:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // The lane of __shfl counts from 1.
  // CHECK: %[[LANE:.*]] = arith.subi %[[N]], %[[ONE]] : i32
  // CHECK: cufx.shuffle idx %[[MASK]], %[[V]], %[[LANE]], %[[LAST]] : i32 -> i32
  %idx = fir.call @__cufx_shfl_i4(%v, %n) : (i32, i32) -> i32
  // CHECK: cufx.shuffle up %[[MASK]], %[[V]], %[[N]], %[[FIRST]] : i32 -> i32
  %up = fir.call @__cufx_shfl_up_i4(%v, %n) : (i32, i32) -> i32
  // CHECK: cufx.shuffle down %[[MASK]], %[[V]], %[[N]], %[[LAST]] : i32 -> i32
  %down = fir.call @__cufx_shfl_down_i4(%v, %n) : (i32, i32) -> i32
  // CHECK: cufx.shuffle xor %[[MASK]], %[[V]], %[[N]], %[[LAST]] : i32 -> i32
  %xor = fir.call @__cufx_shfl_xor_i4(%v, %n) : (i32, i32) -> i32
  return %idx, %up, %down, %xor : i32, i32, i32, i32
}

// CHECK-LABEL: func.func @lanes_of_a_mask
// CHECK-SAME: (%[[M:.*]]: i32, %[[V:.*]]: f64, %[[N:.*]]: i32)
func.func @lanes_of_a_mask(%m: i32, %v: f64, %n: i32) -> (f64, f64, f64, f64) {
  // CHECK: %[[LANE:.*]] = arith.subi %[[N]], %{{.*}} : i32
  // CHECK: cufx.shuffle idx %[[M]], %[[V]], %[[LANE]], %{{.*}} : f64 -> f64
  %idx = fir.call @__cufx_shfl_sync_r8(%m, %v, %n) : (i32, f64, i32) -> f64
  // CHECK: cufx.shuffle up %[[M]], %[[V]], %[[N]], %{{.*}} : f64 -> f64
  %up = fir.call @__cufx_shfl_up_sync_r8(%m, %v, %n) : (i32, f64, i32) -> f64
  // CHECK: cufx.shuffle down %[[M]], %[[V]], %[[N]], %{{.*}} : f64 -> f64
  %down = fir.call @__cufx_shfl_down_sync_r8(%m, %v, %n) : (i32, f64, i32) -> f64
  // CHECK: cufx.shuffle xor %[[M]], %[[V]], %[[N]], %{{.*}} : f64 -> f64
  %xor = fir.call @__cufx_shfl_xor_sync_r8(%m, %v, %n) : (i32, f64, i32) -> f64
  return %idx, %up, %down, %xor : f64, f64, f64, f64
}

// Segments of 16 lanes: 32 - 16 in bits 8 to 12 of the clamp.
// CHECK-LABEL: func.func @constant_width
func.func @constant_width(%m: i32, %v: f32, %n: i32) -> (f32, f32) {
  %w = arith.constant 16 : i32
  // CHECK-DAG: %[[UP:.*]] = arith.constant 4096 : i32
  // CHECK-DAG: %[[DOWN:.*]] = arith.constant 4127 : i32
  // CHECK: cufx.shuffle up %{{.*}}, %{{.*}}, %{{.*}}, %[[UP]]
  %up = fir.call @__cufx_shfl_up_w_r4(%v, %n, %w) : (f32, i32, i32) -> f32
  // CHECK: cufx.shuffle down %{{.*}}, %{{.*}}, %{{.*}}, %[[DOWN]]
  %down = fir.call @__cufx_shfl_down_sync_w_r4(%m, %v, %n, %w) : (i32, f32, i32, i32) -> f32
  return %up, %down : f32, f32
}

// CHECK-LABEL: func.func @variable_width
// CHECK-SAME: (%[[V:.*]]: i64, %[[N:.*]]: i32, %[[W:.*]]: i32)
func.func @variable_width(%v: i64, %n: i32, %w: i32) -> i64 {
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 31 : i32
  // CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : i32
  // CHECK-DAG: %[[WARP:.*]] = arith.constant 32 : i32
  // CHECK: %[[SEGMENT:.*]] = arith.subi %[[WARP]], %[[W]] : i32
  // CHECK: %[[HIGH:.*]] = arith.shli %[[SEGMENT]], %[[EIGHT]] : i32
  // CHECK: %[[CLAMP:.*]] = arith.ori %[[HIGH]], %[[LAST]] : i32
  // CHECK: cufx.shuffle xor %{{.*}}, %[[V]], %[[N]], %[[CLAMP]] : i64 -> i64
  %xor = fir.call @__cufx_shfl_xor_w_i8(%v, %n, %w) : (i64, i32, i32) -> i64
  return %xor : i64
}

// The bits of a half move in an integer.
// CHECK-LABEL: func.func @half
// CHECK-SAME: (%[[V:.*]]: f16, %[[N:.*]]: i32)
func.func @half(%v: f16, %n: i32) -> f16 {
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[V]] : f16 to i16
  // CHECK: %[[WORD:.*]] = arith.extui %[[BITS]] : i16 to i32
  // CHECK: %[[OTHER:.*]] = cufx.shuffle xor %{{.*}}, %[[WORD]], %[[N]], %{{.*}} : i32 -> i32
  // CHECK: arith.trunci %[[OTHER]] : i32 to i16
  %xor = fir.call @__cufx_shfl_xor_r2(%v, %n) : (f16, i32) -> f16
  return %xor : f16
}
