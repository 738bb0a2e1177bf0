// When host code looks up the address of a device variable.
#pragma once

#include "mlir/Pass/Pass.h"

namespace cufort::codegen {

/// Returns the pass that gives each declaration of a device variable a name of its own, next to it. Flang's conversion
/// of cuf looks the address up where the name is, and equal names of a procedure have become one, in front of calls
/// that choose another device. With VOLATILE, what the declaration yields is made volatile behind it.
/// Requires: cufx-refresh-device-addresses has run. What follows must not merge equal operations before the conversion.
std::unique_ptr<mlir::Pass> createLookUpWhereDeclared();

} // namespace cufort::codegen
