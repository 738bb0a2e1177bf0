// Components that lie on the device, and functions that return device pointers.
#pragma once

#include "flang/Semantics/semantics.h"
#include <string>
#include <vector>

namespace cufort::frontend {

/// Returns the components of derived types with ATTRIBUTES(DEVICE) as "type.component", of all scopes that `context`
/// has read. FIR's types do not say where the memory of a component is.
std::vector<std::string> deviceComponents(Fortran::semantics::SemanticsContext &context);

/// Returns the functions whose results are pointers with ATTRIBUTES(DEVICE), and the pointers to such, as FIR names
/// them; components as "type.component", and dummy procedures as "procedure#n", where n counts arguments from 0.
std::vector<std::string> deviceFunctions(Fortran::semantics::SemanticsContext &context);

} // namespace cufort::frontend
