// The operations of the cufx dialect about data that host and device share.
#pragma once

#include "mlir-dialects/Cufx/IR/CufxDialect.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Cufx/IR/CufxHostOps.h.inc"
