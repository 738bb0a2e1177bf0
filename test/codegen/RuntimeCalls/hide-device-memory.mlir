// Flang's code generation does not see that memory is the device's: it would keep descriptors in managed memory.
// RUN: %cufort-opt --cufx-hide-device-memory %s | FileCheck %s --implicit-check-not=_FortranACUFMemAlloc --implicit-check-not=cuf.data_attr

// CHECK: func.func private @cufortMemAlloc(i64, i32, !fir.ref<i8>, i32) -> !fir.llvm_ptr<i8>
func.func private @_FortranACUFMemAlloc(i64, i32, !fir.ref<i8>, i32) -> !fir.llvm_ptr<i8>

// CHECK-LABEL: func.func @host(%{{.*}}: !fir.ref<f32> {fir.bindc_name = "a"}, %{{.*}}: i64,
func.func @host(%a: !fir.ref<f32> {cuf.data_attr = #cuf.cuda<device>, fir.bindc_name = "a"}, %n: i64, %k: i32,
                %file: !fir.ref<i8>) {
  // CHECK: fir.call @cufortMemAlloc(
  %0 = fir.call @_FortranACUFMemAlloc(%n, %k, %file, %k) : (i64, i32, !fir.ref<i8>, i32) -> !fir.llvm_ptr<i8>
  return
}
