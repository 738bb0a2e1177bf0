// Scratch memory of a launch with `count` reductions, as the runtime makes it and kernels use it, in slots of 16 bytes:
//   slots -count .. -1      one each: lock and state (emulated device); that of the first of reductions that end together
//                           counts blocks that have delivered (GPU).
//                           Zero before and after a launch; on the emulated device only before. Other launches with
//                           other counts use the memory, too, so they lie where no launch has anything else.
//   slot 0                  the address of `count` CufortReductionResult in host memory, which the device writes
//   then for reduction r, from slot 1 + r*blocks on: one partial result for each block (GPU)
#pragma once

#define CUFORT_REDUCTION_SLOT_BYTES 16

/// The result of one reduction.
struct CufortReductionResult {
  unsigned char value[CUFORT_REDUCTION_SLOT_BYTES];
  unsigned isThere; ///< set by a GPU behind `value`; 0 before the launch
  unsigned unused[3];
};
