// Passes over modules that hold CUDA Fortran: from what Flang's lowering leaves to a host part and a device part.
#ifndef CUFORT_CUFX_PASSES_TD
#define CUFORT_CUFX_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseDeviceIntrinsics : Pass<"cufx-raise-device-intrinsics", "::mlir::ModuleOp"> {
  let summary = "Turn intrinsic calls and predefined variables of device code into cufx";
  let description = [{
    Calls of the interfaces in module cudadevice, whose binding labels begin with `__cufx_`, become cufx operations,
    and loads from the components of threadidx, blockidx, blockdim and griddim become `cufx.extent`.

    ```mlir
    %r = fir.call @__cufx_atomicadd_i4(%m, %v) : (!fir.ref<i32>, i32) -> i32
    // becomes
    %r = cufx.atomic_rmw add %m, %v : !fir.ref<i32>, i32 -> i32
    ```

    Requires: HLFIR as Flang's lowering leaves it.
    Ensures: no call of a `__cufx_` label is left.
    Fails when: a label is not known, which means that module cudadevice and this pass disagree.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
                           "::mlir::func::FuncDialect", "::fir::FIROpsDialect"];
}

def SeparateBothSides : Pass<"cufx-separate-both-sides", "::mlir::ModuleOp"> {
  let summary = "Give procedures for host and device a body for each side";
  let description = [{
    ```mlir
    func.func @p() attributes {cuf.proc_attr = #cuf.cuda_proc<host_device>} { ... }
    // becomes
    func.func @p.device() attributes {cuf.proc_attr = #cuf.cuda_proc<device>} { ... }
    func.func @p() attributes {cuf.proc_attr = #cuf.cuda_proc<host>} { ... }
    ```

    The passes behind this one do with each body what they do with other code of its side: the host transfers the device
    data that it reads.

    Ensures: device code of this source calls the copies. `cufx-split-device-code` takes the suffix away.
  }];
}

def AssociateInitialTargets : Pass<"cufx-associate-initial-targets", "::mlir::ModuleOp"> {
  let summary = "Associate pointers with initial device targets at start";
  let description = [{
    ```mlir
    fir.global @p : !fir.box<!fir.ptr<f32>> { ... the address of the device variable @x ... }
    // becomes
    fir.global @p : !fir.box<!fir.ptr<f32>> { ... null ... }
    func.func @cufort.associate.p() { ... p => x ... }
    ```

    Requires: `cufx-split-device-code` has not run: the device gets a copy of the descriptor.
    Ensures: no initial value of a descriptor has the address of a variable of the device.
  }];
  let dependentDialects = ["::cuf::CUFDialect", "::mlir::func::FuncDialect", "::fir::FIROpsDialect"];
}

def RaiseComplexFunctions : Pass<"cufx-raise-complex-functions", "::mlir::ModuleOp"> {
  let summary = "Call the device library for functions of complex numbers";
  let description = [{
    ```mlir
    %r = fir.call @csqrt(%z) : (complex<f64>) -> complex<f64>
    // becomes
    fir.store %z to %v : !fir.ref<complex<f64>>
    fir.call @__cufx_csqrt_c8(%v) : (!fir.ref<complex<f64>>) -> ()
    %r = fir.load %v : !fir.ref<complex<f64>>
    ```

    Requires: `cufx-raise-device-intrinsics` has run, since the labels of the library begin as those of the intrinsics
    do, and `cufx-separate-both-sides`.
  }];
  let dependentDialects = ["::mlir::complex::ComplexDialect", "::mlir::func::FuncDialect", "::fir::FIROpsDialect"];
}

def RaiseMainVariables : Pass<"cufx-raise-main-variables", "::mlir::ModuleOp"> {
  let summary = "Let each device have one of the device variables of the main program";
  let description = [{
    ```mlir
    %a = cuf.alloc !fir.array<10xf32> {data_attr = #cuf.cuda<device>, uniq_name = "_QFEa"}
    // becomes
    %a = cufx.each_device "_QFEa" : !fir.ref<!fir.array<10xf32>>
    ```
    Variables of types with initial values stay as they are.
  }];
  let dependentDialects = ["::fir::FIROpsDialect", "::cufort::cufx::CufxDialect"];
}

def RefreshDeviceAddresses : Pass<"cufx-refresh-device-addresses", "::mlir::ModuleOp"> {
  let summary = "Let host code look up device variables again where the device may have changed";
  let description = [{
    ```mlir
    %a = fir.address_of(@a) : !fir.ref<f32>
    %a1:2 = hlfir.declare %a {data_attr = #cuf.cuda<device>, uniq_name = "a"}
    fir.call @set_device() : () -> ()
    hlfir.assign %x to %a1#0 : f32, !fir.ref<f32>
    // the assignment is to %a3 of
    %a2 = fir.address_of(@a) : !fir.ref<f32>
    %a3:2 = hlfir.declare %a2 {data_attr = #cuf.cuda<device>, uniq_name = "a"}
    ```
  }];
  let dependentDialects = ["::fir::FIROpsDialect", "::hlfir::hlfirDialect"];
}

def FindAbsentArrays : Pass<"cufx-find-absent-arrays", "::mlir::ModuleOp"> {
  let summary = "Let kernels see which of their optional arrays a launch has left out";
  let description = [{
    ```mlir
    func.func @k(%a: !fir.box<!fir.array<?xf32>> {fir.optional})
    // its uses of %a become uses of
    %memory = fir.box_addr %a : (!fir.box<!fir.array<?xf32>>) -> !fir.ref<!fir.array<?xf32>>
    %present = fir.is_present %memory : (!fir.ref<!fir.array<?xf32>>) -> i1
    %absent = fir.absent !fir.box<!fir.array<?xf32>>
    %seen = arith.select %present, %a, %absent : !fir.box<!fir.array<?xf32>>
    ```

    Requires: launches pass a descriptor without memory for an absent array, as `cufort-lower-host-operations` does.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def InlineRuntimeCalls : Pass<"cufx-inline-runtime-calls", "::mlir::ModuleOp"> {
  let summary = "Do without calls of Fortran's runtime library for what is plain memory";
  let description = [{
    TRANSFER of scalars in device code becomes a load through a converted address, and structure constructors of types
    without pointers or allocatables lose the initialisation of their temporary. The device library has neither. Cray
    pointees of device code keep their descriptor on the stack, and are associated by a store of the address. ALLOCATE
    and DEALLOCATE in device code call the device library, and derived types are initialised, copied and freed component
    by component, since device code has no descriptions of types. Assignments to whole variables that the host allocates
    use the memory that these have, or end the kernel. Assignments of arrays to and from shared memory become loops.

    ```mlir
    fir.call @_FortranATransfer(%result, %source, %mold, %file, %line)
    // becomes
    %0 = fir.convert %address : (!fir.ref<f32>) -> !fir.ref<i32>
    %1 = fir.load %0 : !fir.ref<i32>
    ```

    Requires: HLFIR as Flang's lowering leaves it.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect",
                           "::hlfir::hlfirDialect", "::mlir::DLTIDialect"];
}

def CheckAccesses : Pass<"cufx-check-accesses", "::mlir::ModuleOp"> {
  let summary = "Check the subscripts and pointers of array references where the program runs";
  let description = [{
    Before every element or section of an array, its subscripts are compared with the bounds; before every reference
    through a pointer or an allocatable variable, its address with null.

    ```mlir
    %e = hlfir.designate %a (%i)
    // becomes
    %bad = ... %i < %lower or %i > %upper
    fir.if %bad {
      cufx.subscript_error "a" dim 1 %i in %lower to %upper
    }
    %e = hlfir.designate %a (%i)
    ```

    The last dimension of an assumed-size array has no upper bound. With `host-subscripts` the extents of both sides of
    a cuf.data_transfer between arrays are compared, too.
  }];
  let options = [
    Option<"hostSubscripts", "host-subscripts", "bool", "false", "Check the subscripts of host code">,
    Option<"deviceSubscripts", "device-subscripts", "bool", "false", "Check the subscripts of device code">,
    Option<"pointers", "pointers", "bool", "false", "Check pointers and allocatable variables">];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def RaiseDevicePrint : Pass<"cufx-raise-device-print", "::mlir::ModuleOp"> {
  let summary = "Turn list-directed output of device code into cufx.print";
  let description = [{
    The sequence of Fortran runtime calls of one `print *` or `write(*,*)` in device code becomes one `cufx.print`.
    `stop` and `error stop` become `cufx.trap`.

    Requires: runs before device code is split off.
    Fails when: an output list holds what device code cannot print.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def RaiseSharedMemory : Pass<"cufx-raise-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Turn cuf.shared_memory into cufx.shared with sizes and offsets";
  let description = [{
    Static shared variables get their size in bytes. Assumed-size shared arrays all start at offset 0 of dynamic
    shared memory; automatic ones follow each other in the order of their declaration (CUDA Fortran guide 3.2.6).

    Requires: FIR.
    Fails when: a procedure declares more static shared memory than any device has.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect",
                           "::mlir::DLTIDialect"];
}

def EvaluateMasksFirst : Pass<"cufx-evaluate-masks-first", "::mlir::ModuleOp"> {
  let summary = "Evaluate masks of DO CONCURRENT before the iterations change what they read";
  let description = [{
    Flang's lowering evaluates the mask of a DO CONCURRENT in each iteration. Fortran wants it evaluated for all index
    values before the first iteration. Where the difference may be seen, a loop of its own does that.

    ```mlir
    fir.do_concurrent.loop (%i) = (%lower) to (%upper) step (%c1) {
      %mask = ...
      fir.if %mask { ... }
    }
    // becomes
    %values = fir.allocmem !fir.array<?xi8>, %count
    fir.do_concurrent.loop (%i) = (%lower) to (%upper) step (%c1) {
      %mask = ...
      fir.store %mask to %values[%i]
    }
    fir.do_concurrent.loop (%i) = (%lower) to (%upper) step (%c1) {
      %mask = fir.load %values[%i]
      fir.if %mask { ... }
    }
    fir.freemem %values
    ```

    Requires: HLFIR with locations, as Flang's lowering leaves it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def AnnotateLoops : Pass<"cufx-annotate-loops", "::mlir::ModuleOp"> {
  let summary = "Give directives of unrolling to loops whose body branches";
  let description = [{
    Flang's lowering gives UNROLL and NOUNROLL to a `fir.do_loop`. A DO construct with EXIT, CYCLE, GOTO or DO WHILE in it
    becomes blocks, and loses them. The branches back to a header at the place of a DO statement that
    `cufx.unroll_directives` names get the annotation.

    ```mlir
    ^bb1:
      cf.cond_br %more, ^bb2, ^bb3 loc("a.cuf":5:3)
    ^bb2:
      cf.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = <disable = false, full = true>>}
    ```

    Requires: FIR or HLFIR with locations, as it comes from Flang's lowering.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def DropSequentialLoops : Pass<"cufx-drop-sequential-loops", "::mlir::ModuleOp"> {
  let summary = "Let a thread of a branching CUF kernel run one iteration";
  let description = [{
    Where the body of a CUF kernel branches, Flang's lowering leaves the loops themselves in the region of
    `cuf.kernel`, as blocks. They are made to run once, for the iteration that the block arguments name.

    ```mlir
    cuf.kernel<<<*, *>>> (%i : index) = (%lower : index) to (%upper : index) step (%c1 : index) {
      fir.store %trips to %count : !fir.ref<i32>
      fir.store %c1_i32 to %variable : !fir.ref<i32>
      cf.br ^header
    // becomes
      fir.store %c1_i32 to %count : !fir.ref<i32>
      fir.store %iteration to %variable : !fir.ref<i32>
      cf.br ^body
    ```

    Requires: HLFIR as Flang's lowering leaves it.
    Fails when: a region of several blocks does not begin with the loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ReduceInLoops : Pass<"cufx-reduce-in-loops", "::mlir::ModuleOp"> {
  let summary = "Functions that reduce arrays in device code become loops that keep no elements";
  let description = [{
    MAXVAL, MINVAL, MAXLOC and MINLOC, and the calls of Fortran's runtime library for FINDLOC, NORM2, IALL, IANY, IPARITY
    and PARITY, go through the elements of their array, and of their mask. Elements of array expressions are made in the
    loop. Flang's form of the former needs the first element twice, the latter need a descriptor, so that both would have
    the expression in memory, which is the heap of the device if its size is not known.

    ```mlir
    %1 = hlfir.maxval %expression : (!hlfir.expr<?xi32>) -> i32
    // becomes
    %1 = fir.do_loop %i = %c1 to %n step %c1 iter_args(%most = %lowest) -> (i32) {
      %element = ...
      %2 = arith.maxsi %most, %element : i32
      fir.result %2 : i32
    }
    ```

    Requires: HLFIR as Flang's lowering leaves it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::fir::FIROpsDialect",
                           "::hlfir::hlfirDialect", "::mlir::DLTIDialect"];
}

def WhereInLoops : Pass<"cufx-where-in-loops", "::mlir::ModuleOp"> {
  let summary = "WHERE in device code goes through its elements once";
  let description = [{
    Where no element needs another one of what is assigned to, masks and assignments are done for one element after the
    other. Flang's form of a mask that reads what is assigned to has it in memory.

    ```mlir
    hlfir.where { ... hlfir.yield %mask } do { hlfir.region_assign { ... hlfir.yield %value } to { ... hlfir.yield %a } }
    // becomes
    fir.do_loop %i = %c1 to %n step %c1 {
      fir.if %element_of_mask { fir.store %element_of_value to %element_of_a }
    }
    ```

    Requires: HLFIR as Flang's lowering leaves it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fir::FIROpsDialect", "::hlfir::hlfirDialect"];
}

def AssignShiftedSections : Pass<"cufx-assign-shifted-sections", "::mlir::ModuleOp"> {
  let summary = "Assignments of device code to sections from their neighbours need no memory";
  let description = [{
    An assignment as in `a(2:n-1) = a(1:n-2) + a(3:n)`, from an expression that reads other sections of the same line of
    an array, a known number of elements away, becomes a loop. It goes in the direction in which no element is needed any
    more when it is written, or hands on the few that are needed as they were.

    ```mlir
    hlfir.assign %value to %section
    // becomes
    fir.do_loop %i = %c1 to %n step %c1 {
      fir.store %element_of_value to %element_of_section
    }
    ```

    Requires: HLFIR as Flang's lowering leaves it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::fir::FIROpsDialect", "::hlfir::hlfirDialect"];
}

def RebaseRearranged : Pass<"cufx-rebase-rearranged", "::mlir::ModuleOp"> {
  let summary = "Give the arguments of CSHIFT and RESHAPE lower bounds of 1";
  let description = [{
    Flang 22 writes these functions out as if the lower bounds of their arguments were 1.

    ```mlir
    %r = hlfir.cshift %a %n : (!fir.box<!fir.array<8xi32>>, i32) -> !hlfir.expr<8xi32>
    // becomes
    %b = fir.rebox %a : (!fir.box<!fir.array<8xi32>>) -> !fir.box<!fir.array<8xi32>>
    %r = hlfir.cshift %b %n : (!fir.box<!fir.array<8xi32>>, i32) -> !hlfir.expr<8xi32>
    ```

    Requires: HLFIR.
  }];
  let dependentDialects = ["::fir::FIROpsDialect"];
}

def NoteExtremes : Pass<"cufx-note-extremes", "::mlir::ModuleOp"> {
  let summary = "Note which selections of real numbers are MAX and MIN";
  let description = [{
    Their comparisons do not distinguish zeros by their sign.

    ```mlir
    %c = arith.cmpf ogt, %a, %b : f32
    // becomes
    %c = arith.cmpf ogt, %a, %b fastmath<nsz> : f32
    // if what it decides about is
    %m = arith.select %c, %a, %b : f32
    ```

    Requires: HLFIR, before equal values have been merged.
  }];
}

def CorrectOverflowFlags : Pass<"cufx-correct-overflow-flags", "::mlir::ModuleOp"> {
  let summary = "Say of which sums it is known that they do not overflow";
  let description = [{
    Flang 22 says that what it computes for CSHIFT does not overflow as unsigned numbers, where numbers are negative; and
    not that the bounds of arrays do not.

    ```mlir
    %d = arith.subi %shift, %extent overflow<nsw, nuw> : i64
    // becomes
    %d = arith.subi %shift, %extent overflow<nsw> : i64

    %last = arith.subi %n, %c1 : i32   // of real :: a(0:n - 1)
    // becomes
    %last = arith.subi %n, %c1 overflow<nsw> : i32
    ```

    Requires: FIR without HLFIR.
  }];
}

def RepairHostStatements : Pass<"cufx-repair-host-statements", "::mlir::ModuleOp"> {
  let summary = "Make host statements on device data transfer what they read and write";
  let description = [{
    Flang lowers a read of a device scalar in a host expression to a load of the device address. Here such a load
    becomes a transfer into a host temporary and a load of that. A device array in an expression that the host evaluates
    is copied to a host array.

    ```mlir
    %v = fir.load %dev : !fir.ref<f32>
    // becomes
    cuf.data_transfer %dev to %tmp {transfer_kind = device_host}
    %v = fir.load %tmp : !fir.ref<f32>
    ```

    An assignment of an expression of device arrays to a device array becomes a CUF kernel, a product of matrices in it
    cufx.matrix_product. A reduction of a device array, or of such an expression, becomes a CUF kernel, or works on a
    host copy of the array.

    Requires: HLFIR as Flang's lowering leaves it.
    Ensures: no load or store of the host names a device or constant variable directly.
    Fails when: the host would have to calculate with device arrays and host arrays, and assign to a device array.
  }];
  let dependentDialects = ["::cuf::CUFDialect", "::fir::FIROpsDialect", "::hlfir::hlfirDialect",
                           "::cufort::cufx::CufxDialect"];
}

def CheckHostCode : Pass<"cufx-check-host-code", "::mlir::ModuleOp"> {
  let summary = "Report what host code cannot do with device data and procedures";
  let description = [{
    Changes nothing.

    Requires: HLFIR, repaired by `cufx-repair-host-statements`.
    Fails when: host code calls a device procedure, hands device addresses to the I/O library, assigns device data in
    WHERE or FORALL, associates a host pointer with device data or a device pointer with host data, copies between
    types by cudaMemcpy, or defines a device variable in another way than by assignment.
  }];
}

def CheckDeviceCode : Pass<"cufx-check-device-code", "::mlir::ModuleOp"> {
  let summary = "Report what device code cannot do";
  let description = [{
    Changes nothing.

    Requires: output statements of device code are `cufx.print` already.
    Fails when: device code calls a routine of the run-time library that exists on the host only, updates a local
    variable atomically, calculates with real(2) for a GPU that cannot, or has what no GPU can that code is made for.
  }];
  let options = [Option<"minArchitecture", "min-architecture", "unsigned", "0",
                        "Lowest compute capability that code is made for, times ten; 0 if there is none">,
                 Option<"maxArchitecture", "max-architecture", "unsigned", "0",
                        "Highest compute capability that code is made for, times ten; 0 if there is none">];
}

def ScheduleKernelLoops : Pass<"cufx-schedule-kernel-loops", "::mlir::ModuleOp"> {
  let summary = "Turn cuf.kernel into cufx.kernel_loops with schedule and reductions";
  let description = [{
    Chooses the axis of every loop and the block for `*`, and finds the scalars that are reduced or private
    (CUDA Fortran guide 2.11).

    Requires: FIR (HLFIR has been lowered).
    Fails when: a clause asks for a reduction that a CUF kernel cannot do.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def OutlineKernelLoops : Pass<"cufx-outline-kernel-loops", "::mlir::ModuleOp"> {
  let summary = "Turn cufx.kernel_loops into a kernel and its launch";
  let description = [{
    The loops become a grid-stride nest in a new kernel procedure. Host scalars travel by value, descriptors by
    value, device arrays by address. Reductions end in `cufx.grid_reduce` into scratch memory of the launch, which
    the host fetches and combines with the variable.
  }];
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect",
                           "::cuf::CUFDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect"];
}

def RaiseLaunches : Pass<"cufx-raise-launches", "::mlir::ModuleOp"> {
  let summary = "Turn cuf.kernel_launch into cufx.launch";
  let dependentDialects = ["::cufort::cufx::CufxDialect", "::mlir::arith::ArithDialect", "::fir::FIROpsDialect"];
}

def SplitDeviceCode : Pass<"cufx-split-device-code", "::mlir::ModuleOp"> {
  let summary = "Move device procedures and device variables into a gpu.module";
  let description = [{
    Kernels and device procedures, the device variables that the source defines, and declarations of everything
    else that they name, are put into `gpu.module @device`. On the host a kernel leaves an empty procedure, whose
    address is the kernel's identity at run time.

    Fails when: device code names a variable or procedure of the host.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::func::FuncDialect", "::fir::FIROpsDialect"];
}

def DescribeTypes : Pass<"cufx-describe-types", "::mlir::ModuleOp"> {
  let summary = "Give device code descriptions of derived types";
  let description = [{
    SELECT TYPE and calls of type-bound procedures look at the type of an object. Each derived type that has a descriptor
    or a guard in device code, and each type that it extends, gets a constant with the address of that of its parent, and
    those of its device procedures.

    ```mlir
    fir.global linkonce_odr @_QMmE.dt.circle constant : !fir.array<2x!fir.ref<i8>> {
      %0 = fir.address_of(@_QMmE.dt.shape) : !fir.ref<!fir.ref<i8>>
      %1 = fir.convert %0 : (!fir.ref<!fir.ref<i8>>) -> !fir.ref<i8>
      %2 = fir.address_of(@_QMmParea_of_circle) : (!fir.class<...>) -> f32
      ...
    }
    ```

    Requires: `cufx-split-device-code` has run. The operations fir.type_info of the host's part say what types extend.
  }];
  let dependentDialects = ["::fir::FIROpsDialect"];
}

#endif
