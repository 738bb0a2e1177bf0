// Scalars that the host assigns to components in device memory.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace cufort::cufx {

/// Makes transfers of the host's assignments of scalars to what components with the device attribute hold. Lowering
/// does so where it goes by the attribute of the component, and not where it goes by that of the object: managed dummy
/// arguments, and types of which only pointers are in device memory.
void transferScalarsToComponents(mlir::ModuleOp module);

} // namespace cufort::cufx
