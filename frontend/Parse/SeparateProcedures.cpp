// A procedure that begins with MODULE PROCEDURE in a submodule has its arguments from the interface in the module.
// Flang copies them, and leaves the procedure's own attributes behind: kernels and device procedures would be host
// code. The function that copies is wrapped by the linker (--wrap, see CMakeLists.txt).

#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

using namespace Fortran;

#define MAP_SUBPROGRAM                                                                                                 \
  "_ZN7Fortran9semantics25MapSubprogramToNewSymbolsERKNS0_6SymbolERS1_RNS0_5ScopeEPNS0_21SymbolAndTypeMappingsE"

namespace {

bool isForDevice(const semantics::SubprogramDetails &procedure) {
  auto attributes = procedure.cudaSubprogramAttrs();
  return attributes && *attributes != common::CUDASubprogramAttrs::Host;
}

/// Makes what module cudadevice has known in `scope`, as Flang does where it meets the attributes of a procedure.
void useDeviceModule(semantics::Scope &scope) {
  for (const semantics::SymbolRef &symbol : scope.context().GetCUDADeviceScope().GetSymbols())
    if (!scope.FindSymbol(symbol->name())) {
      auto used = scope.try_emplace(symbol->name(), semantics::Attrs{}, semantics::UseDetails{symbol->name(), *symbol});
      used.first->second->flags() = symbol->flags();
    }
}

using MapSubprogram = void(const semantics::Symbol &, semantics::Symbol &, semantics::Scope &, void *);

} // namespace

MapSubprogram flangMapSubprogram asm("__real_" MAP_SUBPROGRAM);
MapSubprogram mapSubprogram asm("__wrap_" MAP_SUBPROGRAM);

void mapSubprogram(const semantics::Symbol &interface, semantics::Symbol &procedure, semantics::Scope &scope,
                   void *mappings) {
  const auto *from = interface.detailsIf<semantics::SubprogramDetails>();
  auto *to = procedure.detailsIf<semantics::SubprogramDetails>();
  bool isSeparate = from && to && to->moduleInterface() == &interface && from->cudaSubprogramAttrs();
  if (isSeparate) {
    to->set_cudaSubprogramAttrs(*from->cudaSubprogramAttrs());
    to->set_cudaLaunchBounds(std::vector<int64_t>(from->cudaLaunchBounds()));
    to->set_cudaClusterDims(std::vector<int64_t>(from->cudaClusterDims()));
  }
  flangMapSubprogram(interface, procedure, scope, mappings);
  if (isSeparate && isForDevice(*to))
    useDeviceModule(scope);
}
