// Managed variables of types with components on the device.
#pragma once

namespace Fortran::semantics {
class SemanticsContext;
}

namespace cufort::frontend {

/// Takes the attribute MANAGED from variables whose type has components on the device: lowering puts them into managed
/// memory anyway, and with the attribute it takes their components for managed data. `context` holds a program that has
/// been analysed without errors.
void releaseManagedRecords(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
