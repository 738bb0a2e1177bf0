#include "runtime/Emulated/EmulatedDriver.h"
#include "runtime/Emulated/EmulatedContext.h"

namespace cufort::rt {

const DriverTable &emulatedDriver() {
  static const DriverTable table = [] {
    DriverTable made;
    made.loadsWholeImage = true;
    emulated::addDeviceFunctions(made);
    emulated::addModuleFunctions(made);
    emulated::addLaunchFunctions(made);
    emulated::addStreamFunctions(made);
    emulated::addMemoryFunctions(made);
    emulated::addCopyFunctions(made);
    emulated::addFillFunctions(made);
    emulated::addArrayFunctions(made);
    emulated::addGraphFunctions(made);
    completeTable(made);
    return made;
  }();
  return table;
}

void letEmulatedDeviceUseHostMemory() { emulated::DeviceMemory::allowHostMemory(); }

} // namespace cufort::rt
