// The linker puts three functions below in the place of Flang's (--wrap, see CMakeLists.txt).

#include "frontend/Checks/DeviceGenerics.h"
#include "flang/Evaluate/call.h"
#include "flang/Evaluate/characteristics.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"

using namespace Fortran;
using cufort::frontend::DeviceGenerics;

static thread_local const semantics::SemanticsContext *current = nullptr;
/// The actual arguments of the moment are those of device code.
static thread_local bool inDeviceCode = false;

DeviceGenerics::DeviceGenerics(semantics::SemanticsContext &context) { current = &context; }
DeviceGenerics::~DeviceGenerics() { current = nullptr; }

static bool isDeviceCode(parser::CharBlock source, const semantics::SemanticsContext &context) {
  return !source.empty() && semantics::FindCUDADeviceContext(&context.FindScope(source));
}

namespace {
/// Notes for the time of a check whether the `arguments` are those of device code.
class CheckedArguments {
public:
  CheckedArguments(const evaluate::ActualArguments &arguments, const semantics::SemanticsContext &context) {
    if (current != &context)
      return;
    for (const auto &argument : arguments)
      if (auto source = argument ? argument->sourceLocation() : std::nullopt)
        inDeviceCode |= isDeviceCode(*source, context);
  }
  ~CheckedArguments() { inDeviceCode = false; }
};
} // namespace

//===-- Does a procedure match? -----------------------------------------------------------------------------------===//

using evaluate::characteristics::Procedure;

#define CHECK_INTERFACE                                                                                                \
  "_ZN7Fortran9semantics24CheckInterfaceForGenericERKNS_8evaluate15characteristics9ProcedureERSt6vectorISt8"           \
  "optionalINS1_14ActualArgumentEESaIS9_EERNS0_16SemanticsContextEb"

bool flangCheckInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                         semantics::SemanticsContext &context, bool convertIntegers) asm("__real_" CHECK_INTERFACE);
bool checkInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, bool convertIntegers) asm("__wrap_" CHECK_INTERFACE);

bool checkInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, bool convertIntegers) {
  CheckedArguments checked(arguments, context);
  return flangCheckInterface(procedure, arguments, context, convertIntegers);
}

#define CHECK_ARGUMENTS                                                                                                \
  "_ZN7Fortran9semantics14CheckArgumentsERKNS_8evaluate15characteristics9ProcedureERSt6vectorISt8optionalINS1_"        \
  "14ActualArgumentEESaIS9_EERNS0_16SemanticsContextERKNS0_5ScopeEbbPKNS1_17SpecificIntrinsicE"

bool flangCheckArguments(const Procedure &procedure, evaluate::ActualArguments &arguments,
                         semantics::SemanticsContext &context, const semantics::Scope &scope, bool external,
                         bool ignoreImplicit,
                         const evaluate::SpecificIntrinsic *intrinsic) asm("__real_" CHECK_ARGUMENTS);
bool checkArguments(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, const semantics::Scope &scope, bool external,
                    bool ignoreImplicit, const evaluate::SpecificIntrinsic *intrinsic) asm("__wrap_" CHECK_ARGUMENTS);

bool checkArguments(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, const semantics::Scope &scope, bool external,
                    bool ignoreImplicit, const evaluate::SpecificIntrinsic *intrinsic) {
  CheckedArguments checked(arguments, context);
  return flangCheckArguments(procedure, arguments, context, scope, external, ignoreImplicit, intrinsic);
}

//===-- Does an actual argument match a dummy argument? -----------------------------------------------------------===//

using DataAttribute = std::optional<common::CUDADataAttr>;

#define ARE_COMPATIBLE                                                                                                 \
  "_ZN7Fortran6common26AreCompatibleCUDADataAttrsESt8optionalINS0_12CUDADataAttrEES3_NS0_7EnumSetINS0_9IgnoreTKR"      \
  "ELm8EEEbbPKNS0_22LanguageFeatureControlE"

bool flangAreCompatible(DataAttribute dummy, DataAttribute actual, common::IgnoreTKRSet ignored, bool unified,
                        bool isHostDevice,
                        const common::LanguageFeatureControl *features) asm("__real_" ARE_COMPATIBLE);
bool areCompatible(DataAttribute dummy, DataAttribute actual, common::IgnoreTKRSet ignored, bool unified,
                   bool isHostDevice, const common::LanguageFeatureControl *features) asm("__wrap_" ARE_COMPATIBLE);

bool areCompatible(DataAttribute dummy, DataAttribute actual, common::IgnoreTKRSet ignored, bool unified,
                   bool isHostDevice, const common::LanguageFeatureControl *features) {
  if (inDeviceCode && !actual)
    actual = common::CUDADataAttr::Device;
  if (inDeviceCode && !dummy) // of a statement function
    dummy = common::CUDADataAttr::Device;
  return flangAreCompatible(dummy, actual, ignored, unified, isHostDevice, features);
}
