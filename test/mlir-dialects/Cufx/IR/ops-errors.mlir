// Operations that make no sense are refused, with the reason.
// RUN: %cufort-opt -verify-diagnostics -split-input-file %s

func.func @barrier_without_predicate() -> i32 {
  // expected-error@+1 {{op has a reduction, a predicate and a result, or none of them}}
  %n = "cufx.barrier"() {reduction = 0 : i32} : () -> i32
  return %n : i32
}

// -----

func.func @barrier_without_result(%p: i32) {
  // expected-error@+1 {{op has a reduction, a predicate and a result, or none of them}}
  cufx.barrier reduce and %p
  return
}

// -----

func.func @barrier_with_result_only() {
  // expected-error@+1 {{op has a reduction, a predicate and a result, or none of them}}
  %n = cufx.barrier : i32
  return
}

// -----

func.func @match_all_without_flag(%m: i32, %v: i32) {
  // expected-error@+1 {{op has a second result if and only if its kind is 'all'}}
  %r = cufx.match all %m, %v : i32
  return
}

// -----

func.func @match_any_with_flag(%m: i32, %v: i32) {
  // expected-error@+1 {{op has a second result if and only if its kind is 'all'}}
  %r, %f = cufx.match any %m, %v : i32 -> i32
  return
}

// -----

func.func @match_of_a_word_of_16_bits(%m: i32, %v: i16) {
  // expected-error@+1 {{operand #1 must be 32- or 64-bit integer or real, but got 'i16'}}
  %r = cufx.match any %m, %v : i16
  return
}

// -----

func.func @shuffle_that_converts(%m: i32, %v: f32, %l: i32) {
  // expected-error@+1 {{op gives a value of the type that it takes}}
  %r = cufx.shuffle idx %m, %v, %l, %l : f32 -> i32
  return
}

// -----

func.func @atomic_that_converts(%p: !fir.ref<i32>, %v: i32) {
  // expected-error@+1 {{op gives a value of the type that it takes}}
  %r = cufx.atomic_rmw add %p, %v : !fir.ref<i32>, i32 -> i64
  return
}

// -----

func.func @atomic_on_another_type(%p: !fir.ref<f32>, %v: i32) {
  // expected-error@+1 {{op updates a 'f32' with a 'i32'}}
  %r = cufx.atomic_rmw add %p, %v : !fir.ref<f32>, i32 -> i32
  return
}

// -----

func.func @bits_of_a_real(%p: !fir.ref<f32>, %v: f32) {
  // expected-error@+1 {{op of kind 'or' works on integers only}}
  %r = cufx.atomic_rmw or %p, %v : !fir.ref<f32>, f32 -> f32
  return
}

// -----

// An LLVM pointer does not say what it points at; the value does.
func.func @wrapping_increment_of_a_real(%p: !llvm.ptr, %v: f64) {
  // expected-error@+1 {{op of kind 'inc' works on integers only}}
  %r = cufx.atomic_rmw inc %p, %v : !llvm.ptr, f64 -> f64
  return
}

// -----

func.func @compare_with_another_type(%p: !fir.ref<i32>, %c: i64, %v: i32) {
  // expected-error@+1 {{op compares, stores and gives values of one type}}
  %r = cufx.atomic_cas %p, %c, %v : !fir.ref<i32>, i64, i32 -> i32
  return
}

// -----

func.func @swap_that_converts(%p: !fir.ref<i32>, %v: i32) {
  // expected-error@+1 {{op compares, stores and gives values of one type}}
  %r = cufx.atomic_cas %p, %v, %v : !fir.ref<i32>, i32, i32 -> f32
  return
}

// -----

func.func @static_and_dynamic(%at: i64) {
  // expected-error@+1 {{op is static with 'bytes' or dynamic with 'offset', not both}}
  %s = cufx.shared "k_s" bytes 16 align 4 offset %at -> !llvm.ptr
  return
}

// -----

func.func @no_bytes() {
  // expected-error@+1 {{op needs at least one byte}}
  %s = cufx.shared "k_s" bytes 0 align 4 -> !llvm.ptr
  return
}

// -----

func.func @alignment_of_three() {
  // expected-error@+1 {{op alignment must be a power of two}}
  %s = cufx.shared "k_s" bytes 16 align 3 -> !llvm.ptr
  return
}

// -----

func.func @alignment_of_zero() {
  // expected-error@+1 {{op alignment must be a power of two}}
  %s = cufx.shared "k_s" bytes 16 align 0 -> !llvm.ptr
  return
}

// -----

func.func private @k()
func.func @cluster_of_two_extents(%n: i64) {
  // expected-error@+1 {{op cluster has three extents}}
  cufx.launch @k grid(%n, %n, %n) block(%n, %n, %n) cluster [2, 1]
  return
}
