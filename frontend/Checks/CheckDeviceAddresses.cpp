// c_devloc (CUDA Fortran guide 3.2.4, 4.5) gives addresses of memory that the device reaches.

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/TreeVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute;
using cufort::frontend::TreeVisitor;

namespace {

class AddressChecker : public TreeVisitor {
public:
  explicit AddressChecker(semantics::SemanticsContext &context)
      : context(context), managed(context.IsEnabled(common::LanguageFeature::CudaManaged)) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// What is in the loops is device code.
  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }

  void Post(const parser::FunctionReference &reference) {
    const auto &[callee, arguments] = reference.v.t;
    const auto *name = std::get_if<parser::Name>(&callee.u);
    if (!name || !name->symbol || name->symbol->GetUltimate().name() != "__builtin_c_devloc" || arguments.empty())
      return;
    const auto &actual = std::get<parser::ActualArg>(arguments.front().t);
    const auto *source = std::get_if<common::Indirection<parser::Expr>>(&actual.u);
    const semantics::SomeExpr *expr = source ? semantics::GetExpr(context, source->value()) : nullptr;
    if (!expr || semantics::FindCUDADeviceContext(&context.FindScope(name->source)))
      return;
    if (const semantics::Symbol *variable = hostVariable(*expr))
      context.Say(
          source->value().source,
          "'c_devloc' gives the address of device data, and '%s' is host data: give it the device or managed attribute, or use 'c_loc'"_err_en_US,
          variable->name());
  }

private:
  /// The variable or component that `expr` is, or an element of, if it is certainly in memory that only the host
  /// reaches; else null.
  const semantics::Symbol *hostVariable(const semantics::SomeExpr &expr) const {
    auto reference = evaluate::ExtractDataRef(expr, /*intoSubstring=*/true, /*intoComplexPart=*/true);
    if (!reference)
      return nullptr;
    evaluate::SymbolVector path = evaluate::GetSymbolVector(*reference);
    bool isReached = llvm::any_of(path, [this](const semantics::Symbol &part) { return mayBeReached(part); });
    return isReached ? nullptr : &*path.back();
  }

  /// True for what the device reaches, or may: pointers can have managed targets, and callers decide about arguments.
  bool mayBeReached(const semantics::Symbol &part) const {
    const semantics::Symbol &variable = semantics::ResolveAssociations(part);
    const auto *object = variable.detailsIf<semantics::ObjectEntityDetails>();
    return !object || dataAttribute(variable) || semantics::IsPointer(variable) || semantics::IsDummy(variable) ||
           (managed && semantics::IsAllocatable(variable));
  }

  semantics::SemanticsContext &context;
  bool managed; ///< allocatable variables are, without an attribute
};

} // namespace

void cufort::frontend::checkDeviceAddresses(semantics::SemanticsContext &context, const parser::Program &program) {
  if (context.IsEnabled(common::LanguageFeature::CudaUnified))
    return;
  AddressChecker checker{context};
  parser::Walk(program, checker);
}
