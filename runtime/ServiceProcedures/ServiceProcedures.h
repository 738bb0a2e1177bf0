// Procedures of UNIX and VAX Fortran that programs call without an interface, and that Flang's runtime lacks.
#pragma once

#include <cstdint>

extern "C" {

/// DTIME: processor seconds since the last call, or since the start; `times` gets those of the program and of the
/// system for it.
float dtime_(float *times);

/// ITIME: hour, minute and second of the local time.
void itime_(std::int32_t *time);

/// TIMEF: milliseconds of real time since the first call.
double timef_();

/// RAN: the next of the numbers from 0 to below 1 that follow from `seed`, as on VAX.
float ran_(std::int32_t *seed);
}
