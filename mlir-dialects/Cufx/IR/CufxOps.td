// Operations of the cufx dialect.
#ifndef CUFORT_CUFX_OPS_TD
#define CUFORT_CUFX_OPS_TD

include "mlir-dialects/Cufx/IR/CufxDialect.td"
include "mlir-dialects/Cufx/IR/CufxEnums.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

class Cufx_Op<string mnemonic, list<Trait> traits = []> : Op<Cufx_Dialect, mnemonic, traits>;

// A word of memory in device code: a FIR reference, or an LLVM pointer once FIR has been lowered.
def Cufx_Memory : AnyTypeOf<[AnyType], "reference to device memory">;

def Cufx_Number : AnyTypeOf<[I32, I64, F32, F64], "32- or 64-bit integer or real">;
def Cufx_AtomicNumber : AnyTypeOf<[I32, I64, F16, F32, F64], "32- or 64-bit integer, or real of at most 64 bits">;

//===----------------------------------------------------------------------===//
// Who am I
//===----------------------------------------------------------------------===//

def Cufx_ExtentOp : Cufx_Op<"extent", [Pure]> {
  let summary = "Component of threadidx, blockidx, blockdim or griddim, or of their like for clusters";
  let description = [{
    The hardware's value: indices count from 0. What Fortran sees for `thread_idx` and `block_idx` is one more; the
    pass that raises predefined variables adds it, so that `blockidx%x - 1` folds away. `cluster_block_idx` is the
    index of the block in its cluster, and `cluster_dim` are the cluster's extents in blocks: 1 without cluster_dims.

    ```mlir
    %t = cufx.extent thread_idx x
    ```

    Pure: the value cannot change while a thread runs, so copies may be merged and moved.
  }];
  let arguments = (ins Cufx_Extent:$what, Cufx_Axis:$axis);
  let results = (outs I32:$value);
  let assemblyFormat = "$what $axis attr-dict";
}

def Cufx_ShareOp : Cufx_Op<"share", [Pure]> {
  let summary = "Which iterations of a loop of a CUF kernel a thread does";
  let description = [{
    Of the iterations of `do i = lower, upper, step`, counted from 0, the thread does number `first`, and then every
    `stride`-th one up to the last one that `last` allows, which stands for `upper`.

    ```mlir
    %first, %stride, %last = cufx.share x %place by %threads of %lower to %upper step %step
    ```

    On a GPU these are `place`, the thread's place on the axis, `threads`, how many there are on it, and `upper`. On the
    emulated device, where threads take turns, they are iterations that follow each other.
  }];
  let arguments = (ins Cufx_Axis:$axis, Index:$place, Index:$threads, Index:$lower, Index:$upper, Index:$step);
  let results = (outs Index:$first, Index:$stride, Index:$last);
  let assemblyFormat = "$axis $place `by` $threads `of` $lower `to` $upper `step` $step attr-dict";
}

def Cufx_ClockOp : Cufx_Op<"clock"> {
  let summary = "Cycle counter of the multiprocessor that runs the thread";
  let description = [{
    Two readings must not be merged or moved across other work: hence no purity traits. i32 or i64.
  }];
  let results = (outs AnyTypeOf<[I32, I64]>:$value);
  let assemblyFormat = "attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Waiting for other threads. None of these may be moved, merged or made conditional: no effect traits.
//===----------------------------------------------------------------------===//

def Cufx_BarrierOp : Cufx_Op<"barrier"> {
  let summary = "Block barrier, optionally reducing a predicate over the block";
  let description = [{
    Waits until every thread of the block that has not ended has arrived; memory accesses before it are seen by the
    block after it. With `reduce`, also counts or combines the predicates (non-zero is true) of all threads.

    ```mlir
    cufx.barrier
    %n = cufx.barrier reduce count %p
    ```
  }];
  let arguments = (ins OptionalAttr<Cufx_BarrierReduction>:$reduction, Optional<I32>:$predicate);
  let results = (outs Optional<I32>:$result);
  let assemblyFormat = "(`reduce` $reduction^ $predicate)? attr-dict (`:` type($result)^)?";
  let hasVerifier = 1;
}

def Cufx_WarpBarrierOp : Cufx_Op<"warp_barrier"> {
  let summary = "Barrier of the warp lanes named in a mask";
  let arguments = (ins I32:$mask);
  let assemblyFormat = "$mask attr-dict";
}

def Cufx_ClusterBarrierOp : Cufx_Op<"cluster_barrier"> {
  let summary = "Barrier of all blocks of the cluster";
  let description = [{
    Waits until every thread of the cluster that has not ended has arrived; memory accesses before it, those to shared
    memory of other blocks included, are seen by the cluster after it. Without cluster_dims a cluster is one block.
  }];
  let assemblyFormat = "attr-dict";
}

def Cufx_FenceOp : Cufx_Op<"fence"> {
  let summary = "Order of this thread's memory accesses as others see them";
  let arguments = (ins Cufx_Scope:$scope);
  let assemblyFormat = "$scope attr-dict";
}

//===----------------------------------------------------------------------===//
// Warp operations
//===----------------------------------------------------------------------===//

def Cufx_ActiveMaskOp : Cufx_Op<"active_mask"> {
  let summary = "Lanes of the warp that execute this together, one bit each";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Cufx_VoteOp : Cufx_Op<"vote"> {
  let summary = "all, any or ballot of a predicate over the lanes in a mask";
  let description = [{
    `all` and `any` give 1 or 0; `ballot` gives one bit for each lane. The predicate is a whole integer: any non-zero
    value is true (CUDA Fortran guide 3.6.5), not only bit 0.
  }];
  let arguments = (ins Cufx_VoteKind:$kind, I32:$mask, I32:$predicate);
  let results = (outs I32:$result);
  let assemblyFormat = "$kind $mask `,` $predicate attr-dict";
}

def Cufx_MatchOp : Cufx_Op<"match"> {
  let summary = "Lanes in a mask that hold the same bits";
  let description = [{
    `any` gives the mask of lanes that hold the value of this lane. `all` gives the mask if all lanes hold the same
    value, else 0, and writes .true. or .false. as 1 or 0 into the second result. Reals are compared by their bits.
  }];
  let arguments = (ins Cufx_MatchKind:$kind, I32:$mask, Cufx_Number:$value);
  let results = (outs I32:$result, Optional<I32>:$allEqual);
  let assemblyFormat = "$kind $mask `,` $value attr-dict `:` type($value) (`->` type($allEqual)^)?";
  let hasVerifier = 1;
}

def Cufx_ShuffleOp : Cufx_Op<"shuffle"> {
  let summary = "Value of another lane of the warp";
  let description = [{
    `lane` and `clamp` are the operands b and c of PTX's shfl.sync: lanes count from 0, `clamp` packs the segment
    mask and the last source lane. A lane whose source is outside its segment gets its own value.
  }];
  let arguments = (ins Cufx_ShuffleKind:$kind, I32:$mask, Cufx_Number:$value, I32:$lane, I32:$clamp);
  let results = (outs Cufx_Number:$result);
  let assemblyFormat = "$kind $mask `,` $value `,` $lane `,` $clamp attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Cufx_AtomicRMWOp : Cufx_Op<"atomic_rmw"> {
  let summary = "Atomic update of a word in device or shared memory; gives the old value";
  let description = [{
    Relaxed order, device scope, as CUDA's atomic functions. `inc` and `dec` wrap at the operand:
    `inc`: old >= v ? 0 : old + 1; `dec`: old == 0 or old > v ? v : old - 1, both unsigned.
  }];
  let arguments = (ins Cufx_AtomicKind:$kind, Cufx_Memory:$memory, Cufx_AtomicNumber:$value);
  let results = (outs Cufx_AtomicNumber:$old);
  let assemblyFormat = "$kind $memory `,` $value attr-dict `:` type($memory) `,` type($value) `->` type($old)";
  let hasVerifier = 1;
}

def Cufx_AtomicCASOp : Cufx_Op<"atomic_cas"> {
  let summary = "Atomic compare-and-swap by bits; gives the old value";
  let arguments = (ins Cufx_Memory:$memory, Cufx_Number:$compare, Cufx_Number:$value);
  let results = (outs Cufx_Number:$old);
  let assemblyFormat = [{
    $memory `,` $compare `,` $value attr-dict `:` type($memory) `,` type($compare) `,` type($value) `->` type($old)
  }];
  let hasVerifier = 1;
}

def Cufx_CachedLoadOp : Cufx_Op<"cached_load"> {
  let summary = "Load with a cache hint";
  let arguments = (ins Cufx_LoadHint:$hint, Cufx_Memory:$memory);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$hint $memory attr-dict `:` type($memory) `->` type($value)";
}

def Cufx_CachedStoreOp : Cufx_Op<"cached_store"> {
  let summary = "Store with a cache hint";
  let arguments = (ins Cufx_StoreHint:$hint, AnyType:$value, Cufx_Memory:$memory);
  let assemblyFormat = "$hint $value `to` $memory attr-dict `:` type($value) `,` type($memory)";
}

def Cufx_NanosleepOp : Cufx_Op<"nanosleep"> {
  let summary = "Let the thread wait for about so many nanoseconds";
  let arguments = (ins I32:$nanoseconds);
  let assemblyFormat = "$nanoseconds attr-dict";
}

//===----------------------------------------------------------------------===//
// Matrix products of a warp. All 32 lanes execute them together, with the same operands: no effect traits.
//
// A fragment is the part of a matrix that one lane holds: an array in memory of the thread, 16 elements of f16 (a and
// b), 8 (c), or of f64 1 (a and b) and 2 (c). It becomes registers, as local variables do. Fragments are memory and not
// values because Fortran reads and writes their elements.
//===----------------------------------------------------------------------===//

def Cufx_MatrixElement : TypeAttrOf<AnyTypeOf<[F16, F32, F64], "real(2), real(4) or real(8)">>;

def Cufx_MatrixLoadOp : Cufx_Op<"matrix_load"> {
  let summary = "Loads a matrix into the fragments of a warp";
  let description = [{
    `memory` is the first element of the matrix in global or shared memory, and `leading` counts the elements from one
    column (row) to the next.

    ```mlir
    cufx.matrix_load a m16n16k16 col f16 %a, %lda to %fragment : !fir.ref<f16>, !fir.ref<!t>
    ```
  }];
  let arguments = (ins Cufx_MatrixRole:$role, Cufx_MatrixShape:$shape, Cufx_MatrixOrder:$order,
    Cufx_MatrixElement:$element, Cufx_Memory:$memory, I32:$leading, Cufx_Memory:$fragment);
  let assemblyFormat = [{
    $role $shape $order $element $memory `,` $leading `to` $fragment attr-dict `:` type($memory) `,` type($fragment)
  }];
  let hasVerifier = 1;
}

def Cufx_MatrixStoreOp : Cufx_Op<"matrix_store"> {
  let summary = "Stores the fragments c of a warp as a matrix";
  let arguments = (ins Cufx_MatrixShape:$shape, Cufx_MatrixOrder:$order, Cufx_MatrixElement:$element,
    Cufx_Memory:$fragment, Cufx_Memory:$memory, I32:$leading);
  let assemblyFormat = [{
    $shape $order $element $fragment `to` $memory `,` $leading attr-dict `:` type($fragment) `,` type($memory)
  }];
  let hasVerifier = 1;
}

def Cufx_MatrixMultiplyOp : Cufx_Op<"matrix_multiply"> {
  let summary = "d = a * b + c, or a * b, of the matrices that the fragments of a warp hold";
  let description = [{
    The orders are those in which a and b were loaded: on some devices they decide which lane holds an element. `d` may
    be `c`. Products of f16 are summed up in at least the precision of d.

    ```mlir
    cufx.matrix_multiply m16n16k16 %d f32 = %a col, %b row + %c f32 : !fir.ref<!d>, !fir.ref<!a>, !fir.ref<!b>, !fir.ref<!d>
    ```
  }];
  let arguments = (ins Cufx_MatrixShape:$shape, Cufx_Memory:$d, Cufx_MatrixElement:$dElement, Cufx_Memory:$a,
    Cufx_MatrixOrder:$aOrder, Cufx_Memory:$b, Cufx_MatrixOrder:$bOrder, Optional<AnyType>:$c,
    Cufx_MatrixElement:$cElement);
  let assemblyFormat = [{
    $shape $d $dElement `=` $a $aOrder `,` $b $bOrder `+` ($c^)? $cElement attr-dict `:` type($d) `,` type($a) `,`
    type($b) (`,` type($c)^)?
  }];
  let hasVerifier = 1;
}

def Cufx_SharedOp : Cufx_Op<"shared", [Pure]> {
  let summary = "Address of a shared variable of the block";
  let description = [{
    Static: `bytes` of storage, one instance for each block and `name`. Dynamic (no `bytes`): `offset` bytes into the
    shared memory that the launch asked for; all assumed-size shared arrays have offset 0 (CUDA Fortran guide 3.2.6).
    Pure: within a block the address never changes.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$bytes, I64Attr:$alignment, Optional<I64>:$offset);
  let results = (outs AnyType:$address);
  let assemblyFormat = [{
    $name (`bytes` $bytes^)? `align` $alignment (`offset` $offset^)? attr-dict `->` type($address)
  }];
  let hasVerifier = 1;
}

def Cufx_MapSharedOp : Cufx_Op<"map_shared"> {
  let summary = "Address of a shared variable in another block of the cluster";
  let description = [{
    `address` is that of a shared variable of this block; the result is where the block of the cluster with number
    `rank`, from 0, has it. Good for reads, writes and atomic operations between two cluster barriers, the last of
    which keeps the other block from ending. An integer, since Fortran assigns it to a Cray pointer.

    ```mlir
    %there = cufx.map_shared %variable, %rank : !fir.ref<!fir.array<?xi32>>
    ```
  }];
  let arguments = (ins Cufx_Memory:$address, I32:$rank);
  let results = (outs I64:$mapped);
  let assemblyFormat = "$address `,` $rank attr-dict `:` type($address)";
}

def Cufx_PrintOp : Cufx_Op<"print"> {
  let summary = "One list-directed output line from device code";
  let description = [{
    `format` is what vprintf takes; operands are its arguments: i32, i64, f64 or the address of a NUL-terminated
    string. The whole line is written at once (CUDA Fortran guide 3.6.8).
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$values);
  let assemblyFormat = "$format (`,` $values^)? attr-dict (`:` type($values)^)?";
}

def Cufx_TrapOp : Cufx_Op<"trap"> {
  let summary = "Ends the kernel with an error";
  let arguments = (ins StrAttr:$what);
  let assemblyFormat = "$what attr-dict";
}

//===----------------------------------------------------------------------===//
// Failed checks, in host and device code
//===----------------------------------------------------------------------===//

def Cufx_SubscriptErrorOp : Cufx_Op<"subscript_error"> {
  let summary = "Says that a subscript is out of bounds, and ends the program or the kernel";
  let description = [{
    `dimension` counts from 1; 0 means the characters of a string. The place in the source is the location of the
    operation.
  }];
  let arguments = (ins StrAttr:$variable, I32Attr:$dimension, I64:$subscript, I64:$lower, I64:$upper);
  let assemblyFormat = "$variable `dim` $dimension $subscript `in` $lower `to` $upper attr-dict";
}

def Cufx_ExtentErrorOp : Cufx_Op<"extent_error"> {
  let summary = "Says that the sides of a transfer differ in an extent, and ends the program";
  let description = [{
    `dimension` counts from 1. The place in the source is the location of the operation.
  }];
  let arguments = (ins I32Attr:$dimension, I64:$source, I64:$target);
  let assemblyFormat = "`dim` $dimension $source `to` $target attr-dict";
}

def Cufx_NullErrorOp : Cufx_Op<"null_error"> {
  let summary = "Says that a pointer or allocatable has no target, and ends the program or the kernel";
  let arguments = (ins StrAttr:$variable);
  let assemblyFormat = "$variable attr-dict";
}

//===----------------------------------------------------------------------===//
// Host side
//===----------------------------------------------------------------------===//

def Cufx_LaunchOp : Cufx_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Asynchronous launch of a kernel";
  let description = [{
    Grid extents of -1 ask the runtime for as many blocks as can be resident. `cluster` is the block cluster of a
    kernel with cluster_dims. Arguments are copied before the operation ends, descriptors by value.

    ```mlir
    cufx.launch @k grid(%gx, %gy, %gz) block(%bx, %by, %bz) args(%a : !fir.ref<f32>)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, I64:$gridX, I64:$gridY, I64:$gridZ, I64:$blockX, I64:$blockY,
    I64:$blockZ, Optional<I64>:$sharedBytes, Optional<I64>:$stream, Variadic<AnyType>:$arguments,
    OptionalAttr<DenseI64ArrayAttr>:$cluster, UnitAttr:$cooperative);
  let assemblyFormat = [{
    $kernel `grid` `(` $gridX `,` $gridY `,` $gridZ `)` `block` `(` $blockX `,` $blockY `,` $blockZ `)`
    (`shared` `(` $sharedBytes^ `)`)? (`stream` `(` $stream^ `)`)? (`cluster` $cluster^)?
    (`cooperative` $cooperative^)? (`args` `(` $arguments^ `:` type($arguments) `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Cufx_KernelLoopsOp : Cufx_Op<"kernel_loops", [AttrSizedOperandSegments]> {
  let summary = "Loop nest of a CUF kernel, mapped onto grid and block";
  let description = [{
    Loops are listed outermost first; block argument i is the loop variable of loop i, of type index. `axes` names
    for each loop the axis of grid and block that it runs over: 0 x, 1 y, 2 z, or -1 for a loop that every thread
    runs by itself. A loop on an axis strides by the number of threads on that axis, so any grid is right.

    A grid extent of 0 is replaced by what covers all iterations. `reductions` are host or device scalars; each
    thread combines its iterations into a private copy, and the copies are combined with the variable by the kind of
    the same position in `reductionKinds`. `privates` are scalars whose value before and after the loops is not seen.

    Bounds are those of Fortran's DO: iterations = max(0, (ub - lb + step) / step). The body may have several
    blocks (GOTO within an iteration); each way out ends in cufx.loops_end.
  }];
  let arguments = (ins Variadic<Index>:$lowerBounds, Variadic<Index>:$upperBounds, Variadic<Index>:$steps,
    Variadic<I64>:$grid, Variadic<I64>:$block, Optional<I64>:$stream, Variadic<AnyType>:$reductions,
    Variadic<AnyType>:$privates, DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$reductionKinds);
  let regions = (region MinSizedRegion<1>:$body);
  let assemblyFormat = [{
    `from` `(` $lowerBounds `)` `to` `(` $upperBounds `)` `step` `(` $steps `)` `axes` $axes
    `grid` `(` $grid `)` `block` `(` $block `)` (`stream` `(` $stream^ `)`)?
    (`reduce` $reductionKinds `(` $reductions^ `:` type($reductions) `)`)?
    (`private` `(` $privates^ `:` type($privates) `)`)?
    $body attr-dict
  }];
  let hasVerifier = 1;
}

def Cufx_LoopsEndOp : Cufx_Op<"loops_end", [Terminator, Pure]> {
  let summary = "End of one iteration of a cufx.kernel_loops";
  let assemblyFormat = "attr-dict";
}

def Cufx_ReductionScratchOp : Cufx_Op<"reduction_scratch"> {
  let summary = "Zeroed device memory for the reductions of one launch";
  let description = [{
    For `count` reductions over `blocks` blocks; lives until the matching cufx.reduction_fetch or
    cufx.reduction_release.
  }];
  let arguments = (ins I64:$blocks, I32Attr:$count, Optional<I64>:$stream);
  let results = (outs AnyType:$scratch);
  let assemblyFormat = "`blocks` $blocks `count` $count (`stream` `(` $stream^ `)`)? attr-dict `->` type($scratch)";
}

def Cufx_ReductionFetchOp : Cufx_Op<"reduction_fetch"> {
  let summary = "Waits for the launch and copies its reduced values to host memory";
  let description = [{
    Slot i of `host`, 16 bytes each, receives the value of reduction i. Gives the scratch memory back.
  }];
  let arguments = (ins AnyType:$host, AnyType:$scratch, I32Attr:$count, Optional<I64>:$stream);
  let assemblyFormat = [{
    $scratch `to` $host `count` $count (`stream` `(` $stream^ `)`)? attr-dict `:` type($scratch) `,` type($host)
  }];
}

def Cufx_ReductionReleaseOp : Cufx_Op<"reduction_release"> {
  let summary = "Gives the scratch memory of a launch back that leaves its reduced values in device memory";
  let description = [{
    Later launches on the stream may use the memory. Does not wait for the launch, except if `wait`: then the values are
    managed variables, which the host may read next. A stream that is being captured is not waited for.
  }];
  let arguments = (ins AnyType:$scratch, UnitAttr:$wait, Optional<I64>:$stream);
  let assemblyFormat = "$scratch (`wait` $wait^)? (`stream` `(` $stream^ `)`)? attr-dict `:` type($scratch)";
}

def Cufx_GridReduceOp : Cufx_Op<"grid_reduce"> {
  let summary = "Combines one value of every thread of the grid into the reduction scratch of the launch";
  let description = [{
    Every thread of the grid executes it once, in uniform control flow. After the kernel the result is number
    `index` of those of `scratch` (layout: runtime/ABI/ReductionScratch.h), or has been combined with `variable`, an address
    of device memory.
  }];
  let arguments = (ins Cufx_ReductionKind:$kind, AnyType:$value, AnyType:$scratch, I32Attr:$index,
                       Optional<AnyType>:$variable);
  let assemblyFormat = [{
    $kind $value `into` $scratch `[` $index `]` (`combined` `with` $variable^ `:` type($variable))? attr-dict
    `:` type($value) `,` type($scratch)
  }];
}

def Cufx_MatrixProductOp : Cufx_Op<"matrix_product"> {
  let summary = "Multiplies matrices in device memory";
  let description = [{
    Host code, in the order of the default stream. The three are descriptors; `left` and `right`, one of which may be a
    vector, are transposed first if the attribute says so. `result` overlaps with neither.
  }];
  let arguments = (ins AnyType:$result, AnyType:$left, AnyType:$right, UnitAttr:$leftTransposed,
                       UnitAttr:$rightTransposed);
  let assemblyFormat = [{
    $left (`transposed` $leftTransposed^)? `,` $right (`transposed` $rightTransposed^)? `to` $result attr-dict `:`
    type($left) `,` type($right) `,` type($result)
  }];
}

def Cufx_ThreadsAtOnceOp : Cufx_Op<"threads_at_once", [Pure]> {
  let summary = "How many threads the current device can have at a time";
  let description = "Host code. More than there can be iterations on the emulated device: a thread has one of them.";
  let results = (outs I64:$threads);
  let assemblyFormat = "attr-dict";
}

def Cufx_ReductionGridOp : Cufx_Op<"reduction_grid"> {
  let summary = "How many blocks a kernel that reduces `count` variables best has on each axis";
  let description = [{
    Host code. `needed` are the blocks that would give each iteration a thread, 1 on axes that the program gives extents
    for: `given` is their product. The launch will have these arguments, but for what it gets scratch memory by, which
    is null here.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64:$neededX, I64:$neededY, I64:$neededZ, I64:$given, I64:$blockX,
                       I64:$blockY, I64:$blockZ, I32Attr:$count, Variadic<AnyType>:$arguments);
  let results = (outs I64:$x, I64:$y, I64:$z);
  let assemblyFormat = [{
    $kernel `needed` `(` $neededX `,` $neededY `,` $neededZ `)` `given` $given
    `block` `(` $blockX `,` $blockY `,` $blockZ `)` `count` $count
    (`arguments` `(` $arguments^ `:` type($arguments) `)`)? attr-dict
  }];
}

def Cufx_PermuteOp : Cufx_Op<"permute"> {
  let summary = "Copies an array in device memory with its dimensions in another order";
  let description = [{
    Host code, in the order of the default stream. Both are descriptors. Bits 4 * d to 4 * d + 3 of `order` are the
    number, counted from 1, of the dimension of `result` that dimension d of `source` becomes, counted from 0.
    `done` is false if nothing was copied, because the shapes do not fit or another kernel does as well.
  }];
  let arguments = (ins AnyType:$result, AnyType:$source, I64:$order);
  let results = (outs I1:$done);
  let assemblyFormat = "$source `to` $result `order` $order attr-dict `:` type($source) `,` type($result)";
}

def Cufx_UseStreamOfOp : Cufx_Op<"use_stream_of"> {
  let summary = "Lets the thread's default stream be that of a variable";
  let description = [{
    Host code. The stream is the one that cudaforSetDefaultStream gave the variable at device address `target`, or else
    the one at `source`; the thread's own if neither has one. Gives what was the thread's default stream.
  }];
  let arguments = (ins AnyType:$target, Optional<AnyType>:$source);
  let results = (outs I64:$before);
  let assemblyFormat = [{
    $target (`or` $source^)? attr-dict `:` type($target) (`,` type($source)^)?
  }];
}

def Cufx_UseStreamOp : Cufx_Op<"use_stream"> {
  let summary = "Lets the thread's default stream be `stream`, a value from cufx.use_stream_of";
  let arguments = (ins I64:$stream);
  let assemblyFormat = "$stream attr-dict";
}

def Cufx_VariablesHaveStreamsOp : Cufx_Op<"variables_have_streams"> {
  let summary = "True if some variable may have a default stream of its own (cudaforSetDefaultStream)";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

#endif
