// What follows the descriptor of an allocatable array of a module where the device image has it in constant memory:
//
//   origin   where an element with all subscripts 0 would be: base - lower bound 1 * stride 1 - lower bound 2 * stride
//   2 ...
//
// The host calculates it once, in place of all threads. A variable of the image that is as long as the descriptor has
// none.
//
// In a descriptor with an origin a version below 0 says that strides are plain (CUFORT_PLAIN_STRIDES). Arrays with the
// same such version have the same strides. Launches look at it.
#pragma once

#define CUFORT_ORIGIN_BYTES 8
