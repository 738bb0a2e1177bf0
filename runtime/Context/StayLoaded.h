#pragma once

namespace cufort::rt {

/// Keeps the shared library that `address` is in until the program ends, also after its dlclose: exit handlers,
/// threads and what is known of device code lead there. No effect for addresses in the program itself.
void keepLoaded(const void *address);

} // namespace cufort::rt
