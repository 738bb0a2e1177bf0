// Reads of threadidx, blockidx, blockdim and griddim become reads of the thread's identity.
// RUN: %cufort-opt --cufx-raise-device-intrinsics %s | FileCheck %s

!dim3 = !fir.type<_QM__fortran_builtinsT__builtin_dim3{x:i32,y:i32,z:i32}>
fir.global @_QM__fortran_builtinsE__builtin_threadidx : !dim3
fir.global @_QM__fortran_builtinsE__builtin_blockidx : !dim3
fir.global @_QM__fortran_builtinsE__builtin_blockdim : !dim3
fir.global @_QM__fortran_builtinsE__builtin_griddim : !dim3

// Indices count from 1 in Fortran and from 0 in the operation.
// CHECK-LABEL: func.func @indices
func.func @indices() -> (i32, i32) attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NOT: fir.address_of
  %0 = fir.address_of(@_QM__fortran_builtinsE__builtin_threadidx) : !fir.ref<!dim3>
  %1:2 = hlfir.declare %0 {uniq_name = "_QM__fortran_builtinsE__builtin_threadidx"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  // CHECK: %[[T:.*]] = cufx.extent thread_idx x
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: %[[TX:.*]] = arith.addi %[[T]], %[[ONE]] : i32
  %2 = hlfir.designate %1#0{"x"} : (!fir.ref<!dim3>) -> !fir.ref<i32>
  %tx = fir.load %2 : !fir.ref<i32>
  %3 = fir.address_of(@_QM__fortran_builtinsE__builtin_blockidx) : !fir.ref<!dim3>
  %4:2 = hlfir.declare %3 {uniq_name = "_QM__fortran_builtinsE__builtin_blockidx"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  // CHECK: %[[B:.*]] = cufx.extent block_idx y
  // CHECK: %[[ONE:.*]] = arith.constant 1 : i32
  // CHECK: %[[BY:.*]] = arith.addi %[[B]], %[[ONE]] : i32
  %5 = hlfir.designate %4#0{"y"} : (!fir.ref<!dim3>) -> !fir.ref<i32>
  %by = fir.load %5 : !fir.ref<i32>
  // CHECK: return %[[TX]], %[[BY]]
  return %tx, %by : i32, i32
}

// CHECK-LABEL: func.func @extents
func.func @extents() -> (i32, i32) attributes {cuf.proc_attr = #cuf.cuda_proc<device>} {
  // CHECK-NOT: fir.address_of
  %0 = fir.address_of(@_QM__fortran_builtinsE__builtin_blockdim) : !fir.ref<!dim3>
  %1:2 = hlfir.declare %0 {uniq_name = "_QM__fortran_builtinsE__builtin_blockdim"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  // CHECK: %[[DIM:.*]] = cufx.extent block_dim z
  %2 = hlfir.designate %1#0{"z"} : (!fir.ref<!dim3>) -> !fir.ref<i32>
  %dim = fir.load %2 : !fir.ref<i32>
  %3 = fir.address_of(@_QM__fortran_builtinsE__builtin_griddim) : !fir.ref<!dim3>
  %4:2 = hlfir.declare %3 {uniq_name = "_QM__fortran_builtinsE__builtin_griddim"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  // CHECK: %[[GRID:.*]] = cufx.extent grid_dim x
  %5 = hlfir.designate %4#0{"x"} : (!fir.ref<!dim3>) -> !fir.ref<i32>
  %grid = fir.load %5 : !fir.ref<i32>
  // CHECK: return %[[DIM]], %[[GRID]]
  return %dim, %grid : i32, i32
}

// A use other than reading a component gets a copy, with the values that Fortran sees.
func.func private @use(!fir.ref<!dim3>) attributes {cuf.proc_attr = #cuf.cuda_proc<device>}
// CHECK-LABEL: func.func @whole_variable
func.func @whole_variable() attributes {cuf.proc_attr = #cuf.cuda_proc<global>} {
  // CHECK-NOT: fir.address_of
  // CHECK: %[[COPY:.*]] = fir.alloca !fir.type<_QM__fortran_builtinsT__builtin_dim3
  // CHECK: fir.coordinate_of %[[COPY]], x
  // CHECK: cufx.extent thread_idx x
  // CHECK: %[[X:.*]] = arith.addi
  // CHECK: fir.store %[[X]]
  // CHECK: fir.coordinate_of %[[COPY]], y
  // CHECK: cufx.extent thread_idx y
  // CHECK: fir.coordinate_of %[[COPY]], z
  // CHECK: cufx.extent thread_idx z
  // CHECK: %[[VAR:.*]]:2 = hlfir.declare %[[COPY]]
  // CHECK: fir.call @use(%[[VAR]]#0)
  %0 = fir.address_of(@_QM__fortran_builtinsE__builtin_threadidx) : !fir.ref<!dim3>
  %1:2 = hlfir.declare %0 {uniq_name = "_QM__fortran_builtinsE__builtin_threadidx"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  fir.call @use(%1#0) : (!fir.ref<!dim3>) -> ()
  return
}

// A host procedure has no identity.
// CHECK-LABEL: func.func @host
func.func @host() -> i32 {
  // CHECK: fir.address_of(@_QM__fortran_builtinsE__builtin_threadidx)
  // CHECK-NOT: cufx.extent
  // CHECK: return
  %0 = fir.address_of(@_QM__fortran_builtinsE__builtin_threadidx) : !fir.ref<!dim3>
  %1:2 = hlfir.declare %0 {uniq_name = "_QM__fortran_builtinsE__builtin_threadidx"} : (!fir.ref<!dim3>) -> (!fir.ref<!dim3>, !fir.ref<!dim3>)
  %2 = hlfir.designate %1#0{"x"} : (!fir.ref<!dim3>) -> !fir.ref<i32>
  %3 = fir.load %2 : !fir.ref<i32>
  return %3 : i32
}
