// Loops of a module in which nothing else is of Flang's dialect cuf.
// RUN: %cufort-opt --cufx-outline-kernel-loops %s | FileCheck %s
// CHECK: cuf.proc_attr = #cuf.cuda_proc<global>
func.func @sum(%lb: index, %ub: index, %a: !fir.box<!fir.array<?xf32>>, %s: !fir.ref<f32>, %stream: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b = arith.constant 128 : i64
  %step = arith.constant 1 : index
  cufx.kernel_loops from(%lb) to(%ub) step(%step) axes [0] grid(%zero, %one, %one) block(%b, %one, %one) stream(%stream) reduce [0](%s : !fir.ref<f32>) {
  ^bb0(%i: index):
    %2 = fir.array_coor %a %i : (!fir.box<!fir.array<?xf32>>, index) -> !fir.ref<f32>
    %3 = fir.load %2 : !fir.ref<f32>
    %4 = fir.load %s : !fir.ref<f32>
    %5 = arith.addf %3, %4 : f32
    fir.store %5 to %s : !fir.ref<f32>
    cufx.loops_end
  }
  return
}
