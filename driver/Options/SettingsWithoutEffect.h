// Settings that are understood and not yet obeyed.
#pragma once

#include "driver/Options/Invocation.h"
#include "driver/Options/Messages.h"

namespace cufort::driver {

/// Warns, once each, of what `invocation` asks for in vain.
void warnOfSettingsWithoutEffect(const Invocation &invocation, Messages &messages);

} // namespace cufort::driver
