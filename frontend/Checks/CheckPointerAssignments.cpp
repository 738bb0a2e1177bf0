#include "frontend/Checks/CheckPointerAssignments.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/StatementVisitor.h"
#include "llvm/ADT/StringRef.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using common::CUDADataAttr;
using cufort::frontend::dataAttribute;
using cufort::frontend::StatementVisitor;

namespace {

class PointerChecker : public StatementVisitor {
public:
  explicit PointerChecker(semantics::SemanticsContext &context) : context(context) {}

  using StatementVisitor::Post;
  using StatementVisitor::Pre;

  void Post(const parser::PointerAssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    if (!assignment || !isOnHost())
      return;
    const semantics::Symbol *pointer = evaluate::GetLastSymbol(assignment->lhs);
    if (pointer && semantics::IsPointer(*pointer) && !semantics::IsProcedure(*pointer) &&
        isForUs(assignment->lhs, assignment->rhs))
      checkTarget(*pointer, pointerText(), assignment->rhs, std::get<parser::Expr>(statement.t).source);
  }

  /// CALL c_f_pointer(c_devloc(target), pointer, ...)
  void Post(const parser::CallStmt &statement) {
    const auto *call = statement.typedCall.get();
    const evaluate::SpecificIntrinsic *intrinsic = call ? call->proc().GetSpecificIntrinsic() : nullptr;
    if (!intrinsic || !llvm::StringRef(intrinsic->name).ends_with("c_f_pointer") || call->arguments().size() < 2 ||
        !isOnHost())
      return;
    const semantics::SomeExpr *address = expressionOf(call->arguments()[0]), *target = addressed(address),
                              *pointer = expressionOf(call->arguments()[1]);
    if (target && pointer && dataAttribute(*target) == CUDADataAttr::Device && !dataAttribute(*pointer))
      context.Say(call->arguments()[1]->sourceLocation().value_or(source),
                  "The pointer '%s' cannot point to this device data: give the pointer the device attribute"_err_en_US,
                  pointer->AsFortran());
  }

  /// The targets of pointer components in a structure constructor.
  void Post(const parser::Expr &expr) {
    const auto *constructor = std::get_if<parser::StructureConstructor>(&expr.u);
    const semantics::SomeExpr *analysed = constructor && isOnHost() ? semantics::GetExpr(context, expr) : nullptr;
    auto value = analysed ? constructedValue(*analysed) : std::nullopt;
    if (!value)
      return;
    for (const auto &[component, target] : *value)
      if (semantics::IsPointer(*component) && !semantics::IsProcedure(*component) && isKnown(target.value()))
        checkTarget(*component, component->name().ToString(), target.value(),
                    placeOf(target.value(), *constructor).value_or(expr.source));
  }

  void Post(const parser::AssignmentStmt &statement) {
    const auto &variable = std::get<parser::Variable>(statement.t);
    if (!std::holds_alternative<common::Indirection<parser::FunctionReference>>(variable.u) || !isOnHost())
      return;
    const semantics::SomeExpr *expr = semantics::GetExpr(context, variable);
    auto attribute = expr ? dataAttribute(*expr) : std::nullopt;
    if (attribute == CUDADataAttr::Device || attribute == CUDADataAttr::Constant)
      context.Say(
          variable.GetSource(),
          "The host cannot assign to the device data that this function returns a pointer to: associate a device pointer with its result, and assign to that"_err_en_US);
  }

private:
  /// What is allocated in the other modes, any processor reaches. Names in device code need no attribute.
  bool isOnHost() const {
    return !context.IsEnabled(common::LanguageFeature::CudaManaged) &&
           !context.IsEnabled(common::LanguageFeature::CudaUnified) &&
           !semantics::FindCUDADeviceContext(&context.FindScope(source));
  }

  static const semantics::SomeExpr *expressionOf(const std::optional<evaluate::ActualArgument> &argument) {
    return argument ? argument->UnwrapExpr() : nullptr;
  }

  /// The argument of the c_devloc that `address` is; else null.
  static const semantics::SomeExpr *addressed(const semantics::SomeExpr *address) {
    const evaluate::ProcedureRef *call = address ? evaluate::UnwrapProcedureRef(*address) : nullptr;
    bool isAddress =
        call && llvm::StringRef(call->proc().GetName()).ends_with("c_devloc") && call->arguments().size() == 1;
    return isAddress ? expressionOf(call->arguments()[0]) : nullptr;
  }

  static bool hasComponent(const semantics::SomeExpr &expr) {
    auto reference = evaluate::ExtractDataRef(expr, /*intoSubstring=*/true, /*intoComplexPart=*/true);
    return reference && evaluate::GetSymbolVector(*reference).size() > 1;
  }

  /// True for a variable, and for the result of a function that is known.
  static bool isKnown(const semantics::SomeExpr &target) {
    if (const evaluate::ProcedureRef *call = evaluate::UnwrapProcedureRef(target))
      return call->proc().GetSymbol() && semantics::FindFunctionResult(*call->proc().GetSymbol());
    return evaluate::ExtractDataRef(target, /*intoSubstring=*/true, /*intoComplexPart=*/true).has_value();
  }

  /// Flang looks at pointers and targets that are whole variables.
  static bool isForUs(const semantics::SomeExpr &pointer, const semantics::SomeExpr &target) {
    return isKnown(target) && (evaluate::UnwrapProcedureRef(target) || hasComponent(pointer) || hasComponent(target));
  }

  /// What a scalar constructor gives to components.
  static std::optional<evaluate::StructureConstructor> constructedValue(const semantics::SomeExpr &expr) {
    if (const auto *constant = evaluate::UnwrapConstantValue<evaluate::SomeDerived>(expr))
      return constant->GetScalarValue();
    const auto *constructor = evaluate::UnwrapExpr<evaluate::StructureConstructor>(expr);
    return constructor ? std::optional(*constructor) : std::nullopt;
  }

  /// Where `constructor` has `target`.
  std::optional<parser::CharBlock> placeOf(const semantics::SomeExpr &target,
                                           const parser::StructureConstructor &constructor) {
    for (const parser::ComponentSpec &component : std::get<std::list<parser::ComponentSpec>>(constructor.t)) {
      const parser::Expr &value = std::get<parser::ComponentDataSource>(component.t).v.value();
      if (const semantics::SomeExpr *analysed = semantics::GetExpr(context, value); analysed && *analysed == target)
        return value.source;
    }
    return std::nullopt;
  }

  void checkTarget(const semantics::Symbol &variable, const std::string &name, const semantics::SomeExpr &target,
                   parser::CharBlock place) {
    auto pointer = dataAttribute(variable.GetUltimate()), attribute = dataAttribute(target);
    bool isOfHost = !attribute || attribute == CUDADataAttr::Pinned;
    bool isOfDevice = attribute == CUDADataAttr::Device;
    if (pointer == CUDADataAttr::Device && isOfHost)
      context.Say(place, "The device pointer '%s' cannot point to this, which is host data"_err_en_US, name);
    else if (pointer == CUDADataAttr::Managed && isOfDevice)
      context.Say(
          place,
          "The managed pointer '%s' cannot point to this, which is device data: the host cannot read it"_err_en_US,
          name);
    else if (!pointer && isOfDevice)
      context.Say(
          place,
          "The pointer '%s' cannot point to this, which is device data: give the pointer the device attribute"_err_en_US,
          name);
  }

  /// What the statement has before the arrow.
  std::string pointerText() const {
    llvm::StringRef text(source.begin(), source.size());
    return text.split("=>").first.rtrim().str();
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkPointerAssignments(semantics::SemanticsContext &context, const parser::Program &program) {
  PointerChecker checker{context};
  parser::Walk(program, checker);
}
