// What the functions have in common that compiled code calls.
#pragma once

/// One instruction or a few: they become part of every caller, so that what they are given stays in registers and
/// constant.
#define CUFX_ENTRY extern "C" __attribute__((always_inline))
