// Launches and the host side of reductions become calls of the runtime, with the place in the source.
// RUN: %cufort-opt --cufx-lower-host-operations %s | FileCheck %s

func.func private @kernel(!fir.ref<f32>, i32, !fir.box<!fir.array<?xf32>>) attributes {cuf.proc_attr = #cuf.cuda_proc<global>}
func.func private @no_parameters() attributes {cuf.proc_attr = #cuf.cuda_proc<global>}

// Each parameter has a slot on the stack that holds its value, a descriptor as a whole; the launch gets their addresses.
// CHECK-LABEL: func.func @parameters
// CHECK-SAME: (%[[G:.*]]: i64, %[[B:.*]]: i64, %[[X:.*]]: !fir.ref<f32>, %[[N:.*]]: i32, %[[BOX:.*]]: !fir.box<!fir.array<?xf32>>)
func.func @parameters(%g: i64, %b: i64, %x: !fir.ref<f32>, %n: i32, %box: !fir.box<!fir.array<?xf32>>) {
  // CHECK-DAG: %[[ARRAY:.*]] = fir.alloca !fir.array<3x!fir.llvm_ptr<i8>>
  // CHECK-DAG: %[[SLOT0:.*]] = fir.alloca !fir.llvm_ptr<i8>
  // CHECK-DAG: %[[SLOT1:.*]] = fir.alloca i32
  // CHECK-DAG: %[[SLOT2:.*]] = fir.alloca !fir.box<!fir.array<?xf32>>
  // CHECK: %[[STUB:.*]] = fir.address_of(@kernel)
  // CHECK: %[[KERNEL:.*]] = fir.convert %[[STUB]] : {{.*}} -> !fir.llvm_ptr<i8>
  // CHECK: %[[POINTER:.*]] = fir.convert %[[X]] : (!fir.ref<f32>) -> !fir.llvm_ptr<i8>
  // CHECK: fir.store %[[POINTER]] to %[[SLOT0]]
  // CHECK: %[[AT0:.*]] = fir.convert %[[SLOT0]]
  // CHECK: fir.store %[[N]] to %[[SLOT1]]
  // CHECK: %[[AT1:.*]] = fir.convert %[[SLOT1]]
  // CHECK: fir.store %[[BOX]] to %[[SLOT2]]
  // CHECK: %[[AT2:.*]] = fir.convert %[[SLOT2]]
  // CHECK: %[[BYTES:.*]] = arith.constant 4 : i64
  // CHECK: fir.call @cufortNoteStrides(%[[AT2]], %[[BYTES]])
  // CHECK: %[[E0:.*]] = fir.coordinate_of %[[ARRAY]], %{{.*}}
  // CHECK: fir.store %[[AT0]] to %[[E0]]
  // CHECK: %[[E1:.*]] = fir.coordinate_of %[[ARRAY]], %{{.*}}
  // CHECK: fir.store %[[AT1]] to %[[E1]]
  // CHECK: %[[E2:.*]] = fir.coordinate_of %[[ARRAY]], %{{.*}}
  // CHECK: fir.store %[[AT2]] to %[[E2]]
  // CHECK: %[[LINE:.*]] = arith.constant [[#@LINE+3]] : i32
  // CHECK: %[[PARAMETERS:.*]] = fir.convert %[[ARRAY]]
  // CHECK: fir.call @cufortLaunchKernel(%[[KERNEL]], %[[G]], %[[G]], %[[G]], %[[B]], %[[B]], %[[B]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[PARAMETERS]], %{{.*}}, %[[LINE]])
  cufx.launch @kernel grid(%g, %g, %g) block(%b, %b, %b)
      args(%x, %n, %box : !fir.ref<f32>, i32, !fir.box<!fir.array<?xf32>>)
  return
}

// CHECK-LABEL: func.func @configuration
// CHECK-SAME: (%[[G:.*]]: i64, %[[BYTES:.*]]: i64, %[[STREAM:.*]]: i64)
func.func @configuration(%g: i64, %bytes: i64, %stream: i64) {
  // Nothing but grid and block: no cluster, no bytes, the default stream.
  // CHECK: %[[C:.*]] = arith.constant 0 : i64
  // CHECK: %[[ZERO:.*]] = fir.convert %{{.*}} : (i64) -> i32
  // CHECK: fir.call @cufortLaunchKernel(%{{[^ ]*}}, %[[G]], %[[G]], %[[G]], %[[G]], %[[G]], %[[G]], %[[C]],
  cufx.launch @no_parameters grid(%g, %g, %g) block(%g, %g, %g)
  // CHECK: %[[C4:.*]] = arith.constant 4 : i64
  // CHECK: %[[C2:.*]] = arith.constant 2 : i64
  // CHECK: %[[C1:.*]] = arith.constant 1 : i64
  // CHECK: %[[YES:.*]] = arith.constant 1 : i64
  // CHECK: %[[COOPERATIVE:.*]] = fir.convert %[[YES]] : (i64) -> i32
  // CHECK: fir.call @cufortLaunchKernel(%{{[^ ]*}}, %[[G]], %[[G]], %[[G]], %[[G]], %[[G]], %[[G]], %[[C4]], %[[C2]], %[[C1]], %[[BYTES]], %[[STREAM]], %[[COOPERATIVE]],
  cufx.launch @no_parameters grid(%g, %g, %g) block(%g, %g, %g) shared(%bytes) stream(%stream) cluster [4, 2, 1] cooperative
  return
}

// Scratch and results are for a count of reductions; the runtime knows their bytes.
// CHECK-LABEL: func.func @reductions
// CHECK-SAME: (%[[BLOCKS:.*]]: i64, %[[STREAM:.*]]: i64, %[[HOST:.*]]: !fir.ref<i8>)
func.func @reductions(%blocks: i64, %stream: i64, %host: !fir.ref<i8>) {
  // CHECK: %[[WIDE:.*]] = arith.constant 3 : i64
  // CHECK: %[[COUNT:.*]] = fir.convert %[[WIDE]] : (i64) -> i32
  // CHECK: %[[MEMORY:.*]] = fir.call @cufortReductionScratch(%[[COUNT]], %[[BLOCKS]], %[[STREAM]], %{{.*}}, %{{.*}})
  // CHECK: %[[SCRATCH:.*]] = fir.convert %[[MEMORY]] : (!fir.llvm_ptr<i8>) -> !fir.ref<i8>
  %scratch = cufx.reduction_scratch blocks %blocks count 3 stream(%stream) -> !fir.ref<i8>
  // CHECK: %[[RESULTS:.*]] = arith.constant 3 : i64
  // CHECK: %[[DEFAULT:.*]] = arith.constant 0 : i64
  // CHECK: %[[TO:.*]] = fir.convert %[[HOST]] : (!fir.ref<i8>) -> !fir.llvm_ptr<i8>
  // CHECK: %[[FROM:.*]] = fir.convert %[[SCRATCH]] : (!fir.ref<i8>) -> !fir.llvm_ptr<i8>
  // CHECK: %[[NUMBER:.*]] = fir.convert %[[RESULTS]] : (i64) -> i32
  // CHECK: fir.call @cufortReductionFetch(%[[TO]], %[[FROM]], %[[NUMBER]], %[[DEFAULT]], %{{.*}}, %{{.*}})
  cufx.reduction_fetch %scratch to %host count 3 : !fir.ref<i8>, !fir.ref<i8>
  return
}

// CHECK-LABEL: func.func @waits
// CHECK-SAME: (%[[A:.*]]: !fir.ref<f32>)
func.func @waits(%a: !fir.ref<f32>) {
  // CHECK: %[[ADDRESS:.*]] = fir.convert %[[A]] : (!fir.ref<f32>) -> !fir.llvm_ptr<i8>
  // CHECK: fir.call @cufortWaitForManaged(%[[ADDRESS]], %{{.*}}, %{{.*}})
  cufx.wait_for_managed %a : !fir.ref<f32>
  // CHECK: %[[NULL:.*]] = fir.zero_bits
  // CHECK: fir.call @cufortWaitForManaged(
  cufx.wait_for_managed
  return
}
