// What type-based alias information says of device code.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cufort::codegen {

/// Takes away what Flang's pass fir-add-alias-tags has said of procedures with arguments that have other names. In the
/// kernel of a CUF loop an allocatable target is a local descriptor to Flang, and told apart from every pointer. The
/// same for procedures that allocate, and for stores with cufx::anyNameAttribute.
std::unique_ptr<mlir::Pass> createDropAliasTagsOfTargets();

} // namespace cufort::codegen
