// The linker puts three functions below in the place of Flang's (--wrap, see CMakeLists.txt).

#include "frontend/Checks/DeviceGenerics.h"
#include "flang/Evaluate/call.h"
#include "flang/Evaluate/characteristics.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CalledGenerics.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/MemoryMode.h"
#include "frontend/Checks/NearerProcedures.h"
#include "frontend/Checks/StandIns.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace Fortran;
using cufort::frontend::DeviceGenerics, cufort::frontend::notInManagedMemory;

static thread_local const semantics::SemanticsContext *current = nullptr;
/// The actual arguments of the moment are those of device code.
static thread_local bool inDeviceCode = false;
/// Variables that a procedure of a generic name has not been chosen for, by their place in the source.
static thread_local std::map<const char *, const semantics::Symbol *> refused;

/// What stands between the directive and the last statement of each CUF kernel.
static thread_local std::vector<parser::CharBlock> kernelLoops;

namespace {
struct KernelLoopFinder : cufort::frontend::StatementVisitor {
  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  bool Pre(const parser::CUFKernelDoConstruct &kernel) {
    directive = std::get<parser::CUFKernelDoConstruct::Directive>(kernel.t).source;
    return true;
  }
  /// `source` is the last statement now.
  void Post(const parser::CUFKernelDoConstruct &) {
    if (directive.begin() < source.begin())
      found.emplace_back(directive.end(), source.end());
  }

  parser::CharBlock directive;
  std::vector<parser::CharBlock> found;
};
} // namespace

DeviceGenerics::DeviceGenerics(semantics::SemanticsContext &context, const parser::Program &program) {
  current = &context;
  kernelLoops = cufort::frontend::findIn<KernelLoopFinder>(program);
}

DeviceGenerics::~DeviceGenerics() {
  current = nullptr;
  refused.clear();
  kernelLoops.clear();
  cufort::frontend::forgetGenerics();
}

void DeviceGenerics::explain(semantics::SemanticsContext &context) {
  for (parser::Message &message : context.messages().messages()) {
    if (message.ToString().rfind("No specific ", 0) != 0)
      continue;
    auto call = message.GetProvenanceRange(context.allCookedSources());
    for (auto [place, variable] : refused) {
      parser::CharBlock source(place, variable->name().size());
      auto argument = context.allCookedSources().GetProvenanceRange(source);
      if (call && argument && call->Contains(*argument))
        message.Attach(source, notInManagedMemory, variable->name());
    }
  }
}

static bool isDeviceCode(parser::CharBlock source, const semantics::SemanticsContext &context) {
  return !source.empty() && (semantics::FindCUDADeviceContext(&context.FindScope(source)) ||
                             llvm::any_of(kernelLoops, [&](parser::CharBlock loop) { return loop.Contains(source); }));
}

namespace {
/// Notes for the time of a check whether the `arguments` are those of device code.
class CheckedArguments {
public:
  CheckedArguments(const evaluate::ActualArguments &arguments, semantics::SemanticsContext &context) {
    if (current != &context)
      return;
    bool hasPlace = false;
    for (const auto &argument : arguments)
      if (auto source = argument ? argument->sourceLocation() : std::nullopt) {
        hasPlace |= !source->empty();
        inDeviceCode |= isDeviceCode(*source, context);
      }
    // The operand of an operator such as .inv. has an empty one.
    if (!hasPlace)
      inDeviceCode = isDeviceCode(context.foldingContext().messages().at(), context);
  }
  ~CheckedArguments() { inDeviceCode = false; }
};
} // namespace

namespace {
/// Lets components of device, managed and unified variables have that attribute in host code, for the time of a check:
/// Flang looks at the attribute of the component only.
class InheritedAttributes {
public:
  explicit InheritedAttributes(const evaluate::ActualArguments &arguments) {
    if (inDeviceCode)
      return;
    for (const auto &argument : arguments)
      if (const auto *expression = argument ? argument->UnwrapExpr() : nullptr)
        inherit(*expression);
  }
  ~InheritedAttributes() {
    for (semantics::ObjectEntityDetails *component : components)
      component->set_cudaDataAttr(std::nullopt);
  }

private:
  void inherit(const evaluate::Expr<evaluate::SomeType> &expression) {
    auto reference = evaluate::ExtractDataRef(expression, /*intoSubstring=*/true, /*intoComplexPart=*/true);
    if (!reference)
      return;
    evaluate::SymbolVector path = evaluate::GetSymbolVector(*reference);
    auto attribute = cufort::frontend::dataAttribute(path.front()->GetUltimate());
    auto isElsewhere = [](const semantics::Symbol &component) { return semantics::IsAllocatableOrPointer(component); };
    if (path.size() < 2 || !isOnDevice(attribute) || std::any_of(path.begin() + 1, path.end(), isElsewhere))
      return;
    auto *component =
        const_cast<semantics::Symbol &>(path.back()->GetUltimate()).detailsIf<semantics::ObjectEntityDetails>();
    if (!component || component->cudaDataAttr())
      return;
    component->set_cudaDataAttr(*attribute);
    components.push_back(component);
  }

  static bool isOnDevice(std::optional<common::CUDADataAttr> attribute) {
    return attribute == common::CUDADataAttr::Device || attribute == common::CUDADataAttr::Managed ||
           attribute == common::CUDADataAttr::Unified;
  }

  std::vector<semantics::ObjectEntityDetails *> components;
};
} // namespace

namespace {
/// Lets Flang see the attributes of host code's arguments, for the time of a check.
class VisibleAttributes {
public:
  explicit VisibleAttributes(evaluate::ActualArguments &arguments) : arguments(arguments) {
    if (inDeviceCode)
      return;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (auto *expression = arguments[i] ? arguments[i]->UnwrapExpr() : nullptr) {
        if (auto standIn = cufort::frontend::standInFor(*expression))
          originals.emplace_back(i, std::exchange(*expression, std::move(*standIn)));
      }
  }
  ~VisibleAttributes() {
    for (auto &[i, original] : originals)
      *arguments[i] = std::move(original);
  }

  /// Leaves the arguments as they are. Flang chooses among the procedures that match by the attributes of arguments.
  void keep() { originals.clear(); }

private:
  evaluate::ActualArguments &arguments;
  std::vector<std::pair<size_t, semantics::SomeExpr>> originals; ///< what has been replaced
};
} // namespace

namespace {
/// Finds what stands in the outermost parentheses of an expression.
struct OperandOfParentheses {
  using Result = std::optional<semantics::SomeExpr>;

  template <typename T>
  static Result find(const evaluate::Expr<T> &expr) {
    return common::visit([](const auto &operation) { return find(operation); }, expr.u);
  }
  template <typename T>
  static Result find(const evaluate::Parentheses<T> &operation) {
    return evaluate::AsGenericExpr(evaluate::Expr<T>(operation.left()));
  }
  template <typename T>
  static Result find(const T &) {
    return std::nullopt;
  }
};
} // namespace

/// The right side of a defined assignment is the value of a variable: Flang puts it into parentheses, and there is no
/// value on the host of what is on the device. That is passed as it stands.
static void passDeviceData(evaluate::ActualArguments &arguments) {
  if (inDeviceCode)
    return;
  for (auto &argument : arguments) {
    auto *expression = argument ? argument->UnwrapExpr() : nullptr;
    auto source = argument ? argument->sourceLocation() : std::nullopt;
    bool isOfProgram = !source || source->empty() || *source->begin() == '(';
    auto operand = expression && !isOfProgram ? OperandOfParentheses::find(*expression) : std::nullopt;
    auto attribute =
        operand && evaluate::IsVariable(*operand) ? cufort::frontend::dataAttribute(*operand) : std::nullopt;
    if (attribute && attribute != common::CUDADataAttr::Pinned)
      *expression = std::move(*operand);
  }
}

//===-- Does a procedure match? -----------------------------------------------------------------------------------===//

using evaluate::characteristics::Procedure;

#define CHECK_INTERFACE                                                                                                \
  "_ZN7Fortran9semantics24CheckInterfaceForGenericERKNS_8evaluate15characteristics9ProcedureERSt6vectorISt8"           \
  "optionalINS1_14ActualArgumentEESaIS9_EERNS0_16SemanticsContextEb"

bool flangCheckInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                         semantics::SemanticsContext &context, bool convertIntegers) asm("__real_" CHECK_INTERFACE);
bool checkInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, bool convertIntegers) asm("__wrap_" CHECK_INTERFACE);

/// True for what an expression of host data gives: an array constructor, a sum.
static bool isValue(const evaluate::ActualArgument &argument) {
  const auto *expr = argument.UnwrapExpr();
  return expr && !evaluate::IsVariable(*expr) && llvm::none_of(evaluate::CollectSymbols(*expr), [](const auto &symbol) {
           return cufort::frontend::dataAttribute(symbol->GetUltimate()).has_value();
         });
}

/// With -gpu=mem:managed Flang lets all host data match device dummies. Returns the first argument that is not in
/// managed memory and does so, or null.
static const evaluate::ActualArgument *hostMemoryForDevice(const Procedure &procedure,
                                                           const evaluate::ActualArguments &arguments,
                                                           const semantics::SemanticsContext &context) {
  if (current != &context || inDeviceCode || !context.IsEnabled(common::LanguageFeature::CudaManaged))
    return nullptr;
  // The dummy arguments of procedures for both sides are where the caller is.
  if (procedure.cudaSubprogramAttrs == common::CUDASubprogramAttrs::HostDevice)
    return nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto *dummy = arguments[i] ? cufort::frontend::dummyFor(procedure, arguments, i) : nullptr;
    using Attribute = evaluate::characteristics::DummyDataObject::Attr;
    if (dummy && dummy->cudaDataAttr && !dummy->attrs.test(Attribute::Value) &&
        (isValue(*arguments[i]) || cufort::frontend::isInHostMemory(*arguments[i])))
      return &*arguments[i];
  }
  return nullptr;
}

bool checkInterface(const Procedure &procedure, evaluate::ActualArguments &arguments,
                    semantics::SemanticsContext &context, bool convertIntegers) {
  CheckedArguments checked(arguments, context);
  // Of two procedures, the one for host data is meant.
  if (const auto *argument = hostMemoryForDevice(procedure, arguments, context)) {
    const semantics::Symbol *variable = evaluate::GetFirstSymbol(*argument->UnwrapExpr());
    if (auto source = argument->sourceLocation(); source && variable)
      refused[source->begin()] = variable;
    return false;
  }
  // Flang has a copy of the arguments for each procedure.
  VisibleAttributes visible(arguments);
  visible.keep();
  InheritedAttributes inherited(arguments);
  auto matchesOther = [&](const Procedure &other, evaluate::ActualArguments &copies) {
    return !hostMemoryForDevice(other, copies, context) && flangCheckInterface(other, copies, context, convertIntegers);
  };
  if (!inDeviceCode && cufort::frontend::hasNearerProcedure(procedure, arguments, context, matchesOther))
    return false;
  bool matches = flangCheckInterface(procedure, arguments, context, convertIntegers);
  for (auto &argument : arguments)
    if (auto *expression = matches && argument ? argument->UnwrapExpr() : nullptr)
      if (auto standIn = cufort::frontend::standInForPinned(*expression))
        *expression = std::move(*standIn);
  return matches;
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
  std::optional<VisibleAttributes> visible;
  std::optional<InheritedAttributes> inherited;
  if (!intrinsic) {
    passDeviceData(arguments);
    visible.emplace(arguments);
    inherited.emplace(arguments);
  }
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
