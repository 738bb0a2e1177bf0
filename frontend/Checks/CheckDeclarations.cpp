// Declarations of device data and of kernels (CUDA Fortran guide 2.5, 2.6, 3.1, 3.2).

#include "flang/Evaluate/fold.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/DeviceLimits.h"
#include "frontend/Checks/ValueFinder.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using common::CUDADataAttr;
using common::CUDASubprogramAttrs;
using cufort::frontend::dataAttribute, cufort::frontend::isDeviceOnly, cufort::frontend::isHiddenFromHost;
using cufort::frontend::isInKernel, cufort::frontend::ValueFinder;

namespace {

constexpr intmax_t constantMemory = 65536;
/// Of one thread.
constexpr intmax_t localMemory = 512 * 1024;
constexpr intmax_t parameterSpace = 4096;
/// Of blocks: what every device with clusters can run together, and what a kernel may ask some of them for.
constexpr intmax_t portableCluster = 8;
constexpr intmax_t maxCluster = 16;

bool isKernel(const semantics::SubprogramDetails &procedure) {
  auto attributes = procedure.cudaSubprogramAttrs();
  return attributes == CUDASubprogramAttrs::Global || attributes == CUDASubprogramAttrs::Grid_Global;
}

bool isInterfaceBody(const semantics::Scope &scope) {
  const auto *details = scope.symbol() ? scope.symbol()->detailsIf<semantics::SubprogramDetails>() : nullptr;
  return details && details->isInterface();
}

class DeclarationChecker {
public:
  explicit DeclarationChecker(semantics::SemanticsContext &context) : context(context) {}

  /// Checks `scope` and those in it. Modules that have been read from files were checked when they were compiled.
  void check(const semantics::Scope &scope) {
    if (scope.IsModuleFile() || scope.IsIntrinsicModules())
      return;
    for (const auto &[name, symbol] : scope) {
      if (const auto *object = symbol->detailsIf<semantics::ObjectEntityDetails>())
        checkVariable(*symbol, *object, scope);
      else if (const auto *procedure = symbol->detailsIf<semantics::SubprogramDetails>())
        checkProcedure(*symbol, *procedure);
      else if (const auto *namelist = symbol->detailsIf<semantics::NamelistDetails>())
        checkNamelist(*symbol, *namelist);
    }
    for (const semantics::Scope &child : scope.children())
      check(child);
  }

private:
  void checkPinned(const semantics::Symbol &symbol, const semantics::ObjectEntityDetails &object,
                   const semantics::Scope &scope) {
    if (isDeviceOnly(scope))
      context.Say(symbol.name(),
                  "The variable '%s' of a device procedure cannot be pinned: it is no host memory"_err_en_US,
                  symbol.name());
    else if (!object.isDummy() && symbol.Rank() == 0 && semantics::IsAllocatableOrPointer(symbol))
      context.Say(symbol.name(), "Object '%s' with ATTRIBUTES(PINNED) should be an array"_warn_en_US, symbol.name());
  }

  void checkVariable(const semantics::Symbol &symbol, const semantics::ObjectEntityDetails &object,
                     const semantics::Scope &scope) {
    auto attribute = object.cudaDataAttr();
    checkKind(symbol);
    // Components have an initial value in each object.
    bool isOfProcedure = !scope.IsDerivedType() && semantics::FindCUDADeviceContext(&scope);
    bool initialised = object.init().has_value();
    bool saved = symbol.attrs().test(semantics::Attr::SAVE) || (scope.hasSAVE() && !object.isDummy());
    if (initialised)
      checkInitialValue(symbol, *object.init());
    if (symbol.attrs().test(semantics::Attr::PARAMETER))
      return checkNamedConstant(symbol, attribute, scope);
    checkResult(symbol, attribute, scope);
    checkForBothSides(symbol, attribute, scope);
    if (attribute == CUDADataAttr::Shared && initialised)
      context.Say(symbol.name(), "The shared variable '%s' cannot have an initial value"_err_en_US, symbol.name());
    else if (isOfProcedure && initialised)
      context.Say(
          symbol.name(),
          "The variable '%s' of a device procedure cannot have an initial value: all threads would share it; write PARAMETER, or assign the value in a statement"_err_en_US,
          symbol.name());
    else if (isOfProcedure && saved)
      context.Say(
          symbol.name(),
          "The variable '%s' of a device procedure cannot have the SAVE attribute: all threads would share it"_err_en_US,
          symbol.name());
    if (attribute == CUDADataAttr::Shared && !object.isDummy() && isInKernel(scope))
      checkExtents(symbol, object);
    checkSharedComponents(symbol, attribute, scope);
    bool isForHost = attribute == CUDADataAttr::Managed || attribute == CUDADataAttr::Unified;
    if (isForHost && isDeviceOnly(scope) && !object.isDummy())
      context.Say(
          symbol.name(),
          "The variable '%s' of a device procedure cannot be managed or unified: only the host allocates such data"_err_en_US,
          symbol.name());
    if (attribute == CUDADataAttr::Pinned)
      checkPinned(symbol, object, scope);
    if (isDeviceOnly(scope) && symbol.attrs().test(semantics::Attr::VALUE) && symbol.Rank() > 0)
      context.Say(
          symbol.name(),
          "The argument '%s' of a device procedure cannot be an array with VALUE; make it a component of a derived type, or leave VALUE away"_err_en_US,
          symbol.name());
    if (semantics::FindCUDADeviceContext(&scope) && object.IsAssumedRank() && !isInterfaceBody(scope))
      context.Say(
          symbol.name(),
          "The argument '%s' of a device procedure cannot be of assumed rank; write a procedure for each rank, under one generic name"_err_en_US,
          symbol.name());
    // Flang gives variables of device procedures the device attribute.
    bool isLocal = !object.isDummy() && (!attribute || attribute == CUDADataAttr::Device);
    if (isLocal && isDeviceOnly(scope) && static_cast<intmax_t>(symbol.size()) > localMemory)
      context.Say(symbol.name(), "The variable '%s' needs %jd bytes in each thread; GPUs have at most %jd"_warn_en_US,
                  symbol.name(), static_cast<intmax_t>(symbol.size()), localMemory);
    checkSavedManaged(symbol, attribute, saved, initialised, scope);
    checkBindC(symbol, attribute);
    if (attribute == CUDADataAttr::Constant && static_cast<intmax_t>(symbol.size()) > constantMemory)
      context.Say(symbol.name(), "The constant variable '%s' needs %jd bytes; devices have %jd"_err_en_US,
                  symbol.name(), static_cast<intmax_t>(symbol.size()), constantMemory);
  }

  /// Flang gives those of device procedures the device attribute.
  void checkNamedConstant(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute,
                          const semantics::Scope &scope) {
    if (attribute && !semantics::FindCUDADeviceContext(&scope))
      context.Say(
          symbol.name(),
          "The named constant '%s' cannot be device data: device code knows its value, as host code does"_err_en_US,
          symbol.name());
  }

  /// A launch has the values of arguments only; what it passes by reference is in device memory.
  void checkExtents(const semantics::Symbol &symbol, const semantics::ObjectEntityDetails &object) {
    auto isPassedByReference = [](const semantics::Symbol &variable) {
      return semantics::IsDummy(variable) && !variable.attrs().test(semantics::Attr::VALUE);
    };
    for (const semantics::ShapeSpec &extent : object.shape())
      for (const semantics::Bound *bound : {&extent.lbound(), &extent.ubound()}) {
        const semantics::MaybeSubscriptIntExpr &expr = bound->GetExplicit();
        const semantics::Symbol *dummy = expr ? ValueFinder(context, isPassedByReference)(*expr) : nullptr;
        if (!dummy)
          continue;
        context.Say(
            symbol.name(),
            "The extents of the shared array '%s' cannot depend on '%s', which is passed by reference: give it VALUE, or pass the extent in an argument with VALUE"_err_en_US,
            symbol.name(), dummy->name());
        return;
      }
  }

  /// Kernels initialise them before anything else (InitialiseSharedMemory).
  void checkSharedComponents(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute,
                             const semantics::Scope &scope) {
    const semantics::DerivedTypeSpec *type = symbol.GetType() ? symbol.GetType()->AsDerived() : nullptr;
    if (attribute == CUDADataAttr::Shared && type && type->HasDefaultInitialization() && isDeviceOnly(scope) &&
        !isInKernel(scope) && !semantics::IsDummy(symbol))
      context.Say(
          symbol.name(),
          "The components of the shared variable '%s' do not have their initial values here, where not all threads of a block may come together: assign them"_warn_en_US,
          symbol.name());
  }

  /// CUDA Fortran allows SAVE in host procedures for allocatable data only, as for device data; here it works.
  void checkSavedManaged(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute, bool saved,
                         bool initialised, const semantics::Scope &scope) {
    if ((saved || initialised) && attribute == CUDADataAttr::Managed &&
        scope.kind() == semantics::Scope::Kind::Subprogram && !semantics::IsAllocatableOrPointer(symbol))
      context.Say(
          symbol.name(),
          "The managed variable '%s' of a host procedure has the SAVE attribute%s: other compilers allow that for allocatable variables only"_warn_en_US,
          symbol.name(), saved ? "" : " by its initial value");
  }

  /// Where managed memory is, is known when the program runs.
  void checkBindC(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute) {
    if (attribute == CUDADataAttr::Managed && symbol.attrs().test(semantics::Attr::BIND_C) &&
        !semantics::IsAllocatableOrPointer(symbol))
      context.Say(
          symbol.name(),
          "C code sees another variable than '%s', which is managed: pass it to C functions as an argument"_warn_en_US,
          symbol.name());
  }

  /// Host code knows of a result only what it can see: where managed memory is allocated, or a pointer.
  void checkResult(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute,
                   const semantics::Scope &scope) {
    if (!attribute || !semantics::IsFunctionResult(symbol) || semantics::IsPointer(symbol) ||
        semantics::FindCUDADeviceContext(&scope))
      return;
    bool isManaged = attribute == CUDADataAttr::Managed || attribute == CUDADataAttr::Unified;
    if (!isManaged || !semantics::IsAllocatable(symbol))
      context.Say(
          symbol.name(),
          "The result '%s' of a host function cannot be device data, unless it is a pointer, or managed and allocatable: use a subroutine"_err_en_US,
          symbol.name());
  }

  /// In device code such variables belong to each thread, and on the host to all.
  void checkForBothSides(const semantics::Symbol &symbol, std::optional<CUDADataAttr> attribute,
                         const semantics::Scope &scope) {
    bool isManaged = attribute == CUDADataAttr::Managed;
    if ((!isManaged && attribute != CUDADataAttr::Device) || semantics::IsDummy(symbol) ||
        semantics::IsFunctionResult(symbol) || semantics::IsAllocatableOrPointer(symbol) ||
        !semantics::FindCUDADeviceContext(&scope) || isDeviceOnly(scope))
      return;
    context.Say(
        symbol.name(),
        "The variable '%s' of a procedure for host and device cannot have the %s attribute, unless it is allocatable or a pointer: make it an argument, or write a procedure for each side"_err_en_US,
        symbol.name(), isManaged ? "managed" : "device");
  }

  /// The initial value of a pointer component is an address that is known when the program is linked. Pointers that are
  /// variables are associated before the program begins (AssociateInitialTargets), those of main programs by its first
  /// statements (InitialValues).
  void checkInitialValue(const semantics::Symbol &symbol, const semantics::SomeExpr &value) {
    bool isVariable = semantics::IsPointer(symbol) && !symbol.owner().IsDerivedType();
    for (const semantics::Symbol &part : evaluate::CollectSymbols(value)) {
      auto attribute = dataAttribute(part.GetUltimate());
      if (attribute != CUDADataAttr::Device && attribute != CUDADataAttr::Managed)
        continue;
      if (isVariable && (dataAttribute(symbol) || attribute == CUDADataAttr::Managed))
        continue;
      context.Say(
          symbol.name(),
          "The %s '%s' cannot point to '%s': device and managed variables have no address before the program runs; associate the pointer in a statement"_err_en_US,
          symbol.attrs().test(semantics::Attr::PARAMETER) ? "named constant" : "initial value of", symbol.name(),
          part.name());
      return;
    }
  }

  /// Flang takes kind 3 for bfloat16, which neither the code generators nor the run-time library know.
  void checkKind(const semantics::Symbol &symbol) {
    constexpr int64_t bfloat16Kind = 3;
    const auto *type = symbol.GetType() ? symbol.GetType()->AsIntrinsic() : nullptr;
    if (!type || (type->category() != common::TypeCategory::Real && type->category() != common::TypeCategory::Complex))
      return;
    if (evaluate::ToInt64(type->kind()) == bfloat16Kind)
      context.Say(symbol.name(), "'%s': numbers of kind 3 (bfloat16) are not available"_err_en_US, symbol.name());
  }

  void checkProcedure(const semantics::Symbol &symbol, const semantics::SubprogramDetails &procedure) {
    if (!isKernel(procedure))
      return;
    checkLaunchBounds(symbol, procedure.cudaLaunchBounds());
    const std::vector<int64_t> &bounds = procedure.cudaLaunchBounds();
    checkClusterDims(symbol, procedure.cudaClusterDims(), bounds.size() > 2 ? bounds[2] : maxCluster);
    checkParameters(symbol, procedure);
  }

  /// That the operands are positive has been checked where they stand (LaunchAttributes.h).
  void checkLaunchBounds(const semantics::Symbol &kernel, const std::vector<int64_t> &bounds) {
    if (bounds.empty())
      return;
    if (bounds[0] > cufort::frontend::maxThreadsPerBlock)
      context.Say(kernel.name(), "launch_bounds of '%s': a block can have at most %jd threads, not %jd"_err_en_US,
                  kernel.name(), cufort::frontend::maxThreadsPerBlock, static_cast<intmax_t>(bounds[0]));
    else if (bounds.size() > 2 && bounds[2] > maxCluster)
      context.Say(kernel.name(), "launch_bounds of '%s': a cluster can have at most %jd blocks, not %jd"_err_en_US,
                  kernel.name(), maxCluster, static_cast<intmax_t>(bounds[2]));
  }

  /// `bound` is what the kernel's launch_bounds say of clusters, or what devices can do.
  void checkClusterDims(const semantics::Symbol &kernel, const std::vector<int64_t> &dims, int64_t bound) {
    intmax_t blocks = 1;
    for (int64_t dim : dims) {
      blocks *= dim;
      if (blocks > maxCluster) {
        context.Say(kernel.name(), "cluster_dims of '%s': a cluster can have at most %jd blocks"_err_en_US,
                    kernel.name(), maxCluster);
        return;
      }
    }
    if (blocks > bound)
      context.Say(kernel.name(),
                  "cluster_dims of '%s': a cluster of %jd blocks is more than launch_bounds allow: %jd"_err_en_US,
                  kernel.name(), blocks, static_cast<intmax_t>(bound));
    else if (blocks > portableCluster)
      context.Say(
          kernel.name(),
          "cluster_dims of '%s': a cluster of more than %jd blocks cannot be launched before a call of cudaFuncSetAttribute with cudaFuncAttributeNonPortableClusterSizeAllowed"_warn_en_US,
          kernel.name(), portableCluster);
  }

  static bool hasConstantLength(const semantics::DeclTypeSpec &string) {
    const auto &length = string.characterTypeSpec().length().GetExplicit();
    return length && evaluate::ToInt64(*length);
  }

  /// The address of a descriptor says whether there is one; it stays on the host.
  void checkOptional(const semantics::Symbol &kernel, const semantics::Symbol &dummy) {
    if (dummy.attrs().test(semantics::Attr::OPTIONAL) && semantics::IsAllocatableOrPointer(dummy))
      context.Say(
          dummy.name(),
          "The argument '%s' of kernel '%s' cannot be optional, since it is an allocatable or a pointer"_err_en_US,
          dummy.name(), kernel.name());
  }

  /// A launch passes data of the device and values.
  void checkKindOfArgument(const semantics::Symbol &kernel, const semantics::Symbol &dummy) {
    const auto *object = dummy.detailsIf<semantics::ObjectEntityDetails>();
    if (semantics::IsProcedure(dummy))
      context.Say(
          dummy.name(),
          "The argument '%s' of kernel '%s' cannot be a procedure: the host has no addresses of device code"_err_en_US,
          dummy.name(), kernel.name());
    else if (object && object->cudaDataAttr() == CUDADataAttr::Shared)
      context.Say(dummy.name(),
                  "The argument '%s' of kernel '%s' cannot be shared: the host has no shared memory"_err_en_US,
                  dummy.name(), kernel.name());
    else if (object && object->cudaDataAttr() == CUDADataAttr::Constant)
      context.Say(
          dummy.name(),
          "The argument '%s' of kernel '%s' cannot be constant: kernels use constant data of modules by name"_err_en_US,
          dummy.name(), kernel.name());
  }

  /// Arguments with VALUE alone can be too much for a launch; descriptors come in addition.
  void checkParameters(const semantics::Symbol &kernel, const semantics::SubprogramDetails &procedure) {
    intmax_t bytes = 0;
    for (const semantics::Symbol *dummy : procedure.dummyArgs()) {
      if (!dummy)
        continue;
      checkKindOfArgument(kernel, *dummy);
      checkOptional(kernel, *dummy);
      if (!dummy->attrs().test(semantics::Attr::VALUE))
        continue;
      bytes += static_cast<intmax_t>(dummy->size());
      const semantics::DeclTypeSpec *type = dummy->GetType();
      if (type && type->category() == semantics::DeclTypeSpec::Character && !hasConstantLength(*type))
        context.Say(
            dummy->name(),
            "The argument '%s' of kernel '%s': a string with VALUE needs a length that is known when the program is compiled"_err_en_US,
            dummy->name(), kernel.name());
    }
    if (bytes > parameterSpace)
      context.Say(
          kernel.name(),
          "The arguments of kernel '%s' with VALUE need %jd bytes; a launch can pass %jd: put the data into device memory"_err_en_US,
          kernel.name(), bytes, parameterSpace);
  }

  void checkNamelist(const semantics::Symbol &symbol, const semantics::NamelistDetails &namelist) {
    for (const semantics::Symbol &object : namelist.objects()) {
      if (isHiddenFromHost(object))
        context.Say(symbol.name(), "The device variable '%s' cannot be in a namelist; use a host copy"_err_en_US,
                    object.name());
    }
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkDeclarations(semantics::SemanticsContext &context) {
  DeclarationChecker(context).check(context.globalScope());
}
