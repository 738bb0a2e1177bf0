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
      checkTarget(dataAttribute(pointer->GetUltimate()), assignment->rhs, std::get<parser::Expr>(statement.t).source);
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

  static bool hasComponent(const semantics::SomeExpr &expr) {
    auto reference = evaluate::ExtractDataRef(expr, /*intoSubstring=*/true, /*intoComplexPart=*/true);
    return reference && evaluate::GetSymbolVector(*reference).size() > 1;
  }

  /// True if one of both is a component, or the result of a function that is known.
  static bool isForUs(const semantics::SomeExpr &pointer, const semantics::SomeExpr &target) {
    if (const evaluate::ProcedureRef *call = evaluate::UnwrapProcedureRef(target))
      return call->proc().GetSymbol() && semantics::FindFunctionResult(*call->proc().GetSymbol());
    bool isVariable = evaluate::ExtractDataRef(target, /*intoSubstring=*/true, /*intoComplexPart=*/true).has_value();
    return isVariable && (hasComponent(pointer) || hasComponent(target));
  }

  void checkTarget(std::optional<CUDADataAttr> pointer, const semantics::SomeExpr &target, parser::CharBlock place) {
    auto attribute = dataAttribute(target);
    bool isOfHost = !attribute || attribute == CUDADataAttr::Pinned;
    bool isOfDevice = attribute == CUDADataAttr::Device;
    std::string name = pointerText();
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
