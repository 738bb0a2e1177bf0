// Kernels that leave to the host what it can calculate from their parameters.
#pragma once

#include "codegen/DeviceLink/KernelVersion.h"

namespace cufort::codegen {

/// Has the host calculate for `version` what it can: its function may become another one, with more parameters.
void calculateOnHost(KernelVersion &version);

/// Returns a version of `kernel`, which has no others, for which the host calculates, if that saves threads enough.
std::optional<KernelVersion> createHostValuesVersion(llvm::Function &kernel);

} // namespace cufort::codegen
