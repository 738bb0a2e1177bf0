// RUN: cufort-opt --cufx-refresh-device-addresses %s | FileCheck %s

fir.global @weight {data_attr = #cuf.cuda<device>} : f32
func.func private @choose()
func.func private @cufort_cudaGetDevice()
func.func private @use(!fir.ref<f32>)

// CHECK-LABEL: func.func @behind_a_call
func.func @behind_a_call() {
  // CHECK: %[[NAME:.*]] = fir.address_of(@weight)
  // CHECK: %[[FIRST:.*]]:2 = hlfir.declare %[[NAME]]
  // CHECK: call @use(%[[FIRST]]#0)
  // CHECK-NEXT: %[[AGAIN:.*]] = fir.address_of(@weight)
  // CHECK-NEXT: %[[SECOND:.*]]:2 = hlfir.declare %[[AGAIN]] {data_attr = #cuf.cuda<device>, uniq_name = "weight"}
  // CHECK-NEXT: hlfir.assign %{{.*}} to %[[SECOND]]#0
  // CHECK-NEXT: call @cufort_cudaGetDevice
  // CHECK-NEXT: hlfir.assign %{{.*}} to %[[SECOND]]#0
  %value = arith.constant 1.0 : f32
  %name = fir.address_of(@weight) : !fir.ref<f32>
  %weight:2 = hlfir.declare %name {data_attr = #cuf.cuda<device>, uniq_name = "weight"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  fir.call @use(%weight#0) : (!fir.ref<f32>) -> ()
  hlfir.assign %value to %weight#0 : f32, !fir.ref<f32>
  fir.call @cufort_cudaGetDevice() : () -> ()
  hlfir.assign %value to %weight#0 : f32, !fir.ref<f32>
  return
}

// CHECK-LABEL: func.func @in_loops
func.func @in_loops(%n: index) {
  // The first loop calls nothing: the declaration in front of it serves all rounds.
  // CHECK: hlfir.declare
  // CHECK: fir.do_loop
  // CHECK-NEXT: hlfir.assign
  // CHECK: fir.do_loop
  // CHECK-NEXT: fir.address_of
  // CHECK-NEXT: hlfir.declare
  // CHECK-NEXT: hlfir.assign
  // CHECK-NEXT: call @choose
  // CHECK: }
  // CHECK-NEXT: fir.address_of
  // CHECK-NEXT: hlfir.declare
  // CHECK-NEXT: hlfir.assign
  %one = arith.constant 1 : index
  %value = arith.constant 1.0 : f32
  %name = fir.address_of(@weight) : !fir.ref<f32>
  %weight:2 = hlfir.declare %name {data_attr = #cuf.cuda<device>, uniq_name = "weight"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  fir.do_loop %i = %one to %n step %one {
    hlfir.assign %value to %weight#0 : f32, !fir.ref<f32>
  }
  fir.do_loop %i = %one to %n step %one {
    hlfir.assign %value to %weight#0 : f32, !fir.ref<f32>
    fir.call @choose() : () -> ()
  }
  hlfir.assign %value to %weight#0 : f32, !fir.ref<f32>
  return
}

fir.global @counter {data_attr = #cuf.cuda<managed>} : i32
// CHECK-LABEL: func.func @managed
func.func @managed() {
  // CHECK: call @choose()
  // CHECK-NEXT: fir.address_of(@counter)
  // CHECK-NEXT: hlfir.declare
  // CHECK-NEXT: hlfir.assign
  %value = arith.constant 1 : i32
  %name = fir.address_of(@counter) : !fir.ref<i32>
  %counter:2 = hlfir.declare %name {data_attr = #cuf.cuda<managed>, uniq_name = "counter"} : (!fir.ref<i32>) -> (!fir.ref<i32>, !fir.ref<i32>)
  fir.call @choose() : () -> ()
  hlfir.assign %value to %counter#0 : i32, !fir.ref<i32>
  return
}

// Not where the procedure begins: the device may be chosen first.
// CHECK-LABEL: func.func @where_first_used
func.func @where_first_used() {
  // CHECK: call @choose
  // CHECK-NEXT: %[[NAME:.*]] = cufx.each_device "in_each"
  // CHECK-NEXT: %[[VARIABLE:.*]]:2 = hlfir.declare %[[NAME]]
  // CHECK-NEXT: hlfir.assign %{{.*}} to %[[VARIABLE]]#0
  %value = arith.constant 1.0 : f32
  %name = cufx.each_device "in_each" : !fir.ref<f32>
  %variable:2 = hlfir.declare %name {data_attr = #cuf.cuda<device>, uniq_name = "in_each"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  fir.call @choose() : () -> ()
  hlfir.assign %value to %variable#0 : f32, !fir.ref<f32>
  return
}

// Device code calls nothing that chooses a device: what the loops use is declared in front of them.
// CHECK-LABEL: func.func @in_a_cuf_kernel
func.func @in_a_cuf_kernel(%n: index) {
  // CHECK: call @choose
  // CHECK-NEXT: cufx.each_device "in_each"
  // CHECK-NEXT: hlfir.declare
  // CHECK-NEXT: cuf.kernel
  // CHECK-NOT: each_device
  // CHECK: return
  %c1 = arith.constant 1 : index
  %c1_i32 = arith.constant 1 : i32
  %name = cufx.each_device "in_each" : !fir.ref<f32>
  %variable:2 = hlfir.declare %name {data_attr = #cuf.cuda<device>, uniq_name = "in_each"} : (!fir.ref<f32>) -> (!fir.ref<f32>, !fir.ref<f32>)
  fir.call @choose() : () -> ()
  cuf.kernel<<<*, *>>> (%i : index) = (%c1 : index) to (%n : index) step (%c1 : index) {
    fir.call @use(%variable#0) : (!fir.ref<f32>) -> ()
    fir.call @use(%variable#0) : (!fir.ref<f32>) -> ()
    "fir.end"() : () -> ()
  }
  return
}
