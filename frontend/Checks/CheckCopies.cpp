// Copies and fills of module cudafor whose arguments contradict each other. They do not fail to compile elsewhere, and
// page-locking can make host data what the device reaches, so these are warnings.

#include "flang/Evaluate/fold.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute;
using cufort::frontend::TreeVisitor;
using llvm::StringRef;

namespace {

enum class Side { Unknown, Host, Device };

class CopyChecker : public TreeVisitor {
public:
  explicit CopyChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  void Post(const parser::Expr &source) {
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(source.u))
      return;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, source);
    const evaluate::ProcedureRef *call = expr ? evaluate::UnwrapProcedureRef(*expr) : nullptr;
    const semantics::Symbol *routine = call ? call->proc().GetSymbol() : nullptr;
    if (!routine || !cufort::frontend::isOfCudafor(*routine))
      return;
    std::string name = routine->GetUltimate().name().ToString();
    if (StringRef(name).contains("memcpy"))
      checkDirection(*call);
    else if (StringRef(name).starts_with("cudamemset"))
      checkFilled(*call);
  }

private:
  /// The directions of the CUDA runtime; others leave it to the addresses.
  enum Direction { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice };

  void checkDirection(const evaluate::ProcedureRef &call) {
    const evaluate::ActualArgument *direction = argumentFor(call, "kdir");
    const semantics::SomeExpr *expr = direction ? direction->UnwrapExpr() : nullptr;
    auto value =
        expr ? evaluate::ToInt64(evaluate::Fold(context.foldingContext(), semantics::SomeExpr{*expr})) : std::nullopt;
    if (!value || *value < HostToHost || *value > DeviceToDevice || !direction->sourceLocation())
      return;
    bool toDevice = *value == HostToDevice || *value == DeviceToDevice;
    bool fromDevice = *value == DeviceToHost || *value == DeviceToDevice;
    checkSide(argumentFor(call, "dst"), "target", toDevice, *direction->sourceLocation()) ||
        checkSide(argumentFor(call, "src"), "source", fromDevice, *direction->sourceLocation());
  }

  /// Returns true if it has warned.
  bool checkSide(const evaluate::ActualArgument *memory, const char *role, bool isDevice, parser::CharBlock place) {
    Side side = sideOf(memory);
    if (side == Side::Unknown || (side == Side::Device) == isDevice)
      return false;
    context.Say(place, "This direction contradicts the %s of the copy, '%s', which is %s data"_warn_en_US, role,
                pathOf(*memory->UnwrapExpr()).back()->name(), side == Side::Device ? "device" : "host");
    return true;
  }

  void checkFilled(const evaluate::ProcedureRef &call) {
    const evaluate::ActualArgument *memory = argumentFor(call, "devptr");
    if (sideOf(memory) == Side::Host && memory->sourceLocation())
      context.Say(
          *memory->sourceLocation(),
          "Memory of the device is filled here, and '%s' is host data: give it the device or managed attribute, or assign the value"_warn_en_US,
          pathOf(*memory->UnwrapExpr()).back()->name());
  }

  static const evaluate::ActualArgument *argumentFor(const evaluate::ProcedureRef &call, StringRef name) {
    const auto *procedure = call.proc().GetSymbol()->GetUltimate().detailsIf<semantics::SubprogramDetails>();
    if (!procedure)
      return nullptr;
    for (size_t i = 0; i < std::min(procedure->dummyArgs().size(), call.arguments().size()); ++i)
      if (procedure->dummyArgs()[i] && call.arguments()[i] && procedure->dummyArgs()[i]->name().ToString() == name)
        return &*call.arguments()[i];
    return nullptr;
  }

  /// The variable and the components that lead to `expr`; empty if it is no part of a variable.
  static evaluate::SymbolVector pathOf(const semantics::SomeExpr &expr) {
    auto reference = evaluate::ExtractDataRef(expr, /*intoSubstring=*/true, /*intoComplexPart=*/true);
    return reference ? evaluate::GetSymbolVector(*reference) : evaluate::SymbolVector();
  }

  /// Where the memory of `argument` is, if that is certain: callers decide about arguments, pointers can point to
  /// managed data, and addresses (c_ptr, c_devptr) to anything.
  Side sideOf(const evaluate::ActualArgument *argument) const {
    const semantics::SomeExpr *expr = argument ? argument->UnwrapExpr() : nullptr;
    auto type = expr ? expr->GetType() : std::nullopt;
    if (!type || type->category() == common::TypeCategory::Derived)
      return Side::Unknown;
    evaluate::SymbolVector path = pathOf(*expr);
    if (path.empty())
      return Side::Unknown;
    for (auto part = path.rbegin(); part != path.rend(); ++part)
      if (auto side = sideOf(semantics::ResolveAssociations(**part)))
        return *side;
    return context.IsEnabled(common::LanguageFeature::CudaUnified) ? Side::Unknown : Side::Host;
  }

  /// The same for a variable or component; nothing if it is where what has it as a component is.
  std::optional<Side> sideOf(const semantics::Symbol &part) const {
    using common::CUDADataAttr;
    auto attribute = dataAttribute(part);
    if (attribute == CUDADataAttr::Device || attribute == CUDADataAttr::Constant)
      return Side::Device;
    if (attribute == CUDADataAttr::Pinned)
      return Side::Host;
    if (attribute || semantics::IsPointer(part) || semantics::IsDummy(part) ||
        !part.has<semantics::ObjectEntityDetails>())
      return Side::Unknown;
    if (!semantics::IsAllocatable(part))
      return std::nullopt;
    bool isHost = !context.IsEnabled(common::LanguageFeature::CudaManaged) &&
                  !context.IsEnabled(common::LanguageFeature::CudaUnified);
    return isHost ? Side::Host : Side::Unknown;
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkCopies(semantics::SemanticsContext &context, const parser::Program &program) {
  CopyChecker checker{context};
  parser::Walk(program, checker);
}
