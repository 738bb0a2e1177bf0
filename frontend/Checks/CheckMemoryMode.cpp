// Arguments that -gpu=mem:managed lets pass although they are not in managed memory: variables that nobody allocates.

#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/DeviceData.h"
#include "frontend/Checks/MemoryMode.h"
#include "frontend/Checks/TreeVisitor.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::dataAttribute, cufort::frontend::isInHostMemory, cufort::frontend::notInManagedMemory,
    cufort::frontend::TreeVisitor;

namespace {

bool wantsDeviceData(const semantics::Symbol &dummy) {
  auto attribute = dataAttribute(dummy);
  return attribute == common::CUDADataAttr::Device || attribute == common::CUDADataAttr::Managed ||
         attribute == common::CUDADataAttr::Unified;
}

/// True for what the device reaches, or may, because a caller decides.
bool mayBeReached(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  const auto *object = ultimate.detailsIf<semantics::ObjectEntityDetails>();
  return !object || object->cudaDataAttr() || semantics::IsAllocatableOrPointer(ultimate) ||
         semantics::IsDummy(ultimate);
}

} // namespace

const parser::MessageFixedText cufort::frontend::notInManagedMemory =
    "'%s' is not in managed memory: with -gpu=mem:managed only ALLOCATABLE and POINTER variables are; "
    "make it one, or use -gpu=mem:unified"_err_en_US;

bool cufort::frontend::isInHostMemory(const evaluate::ActualArgument &argument) {
  const auto *expr = argument.UnwrapExpr();
  if (!expr || !evaluate::IsVariable(*expr))
    return false;
  auto symbols = evaluate::GetSymbolVector(*expr);
  return std::none_of(symbols.begin(), symbols.end(), [](const semantics::Symbol &part) { return mayBeReached(part); });
}

namespace {

class ArgumentChecker : public TreeVisitor {
public:
  explicit ArgumentChecker(semantics::SemanticsContext &context) : context(context) {}

  using TreeVisitor::Post;
  using TreeVisitor::Pre;

  /// What is in the loops is device code.
  bool Pre(const parser::CUFKernelDoConstruct &) { return false; }

  bool Pre(const parser::CallStmt &call) {
    const semantics::Symbol *procedure = call.typedCall ? call.typedCall->proc().GetSymbol() : nullptr;
    const auto *details = procedure ? procedure->GetUltimate().detailsIf<semantics::SubprogramDetails>() : nullptr;
    if (details && !semantics::FindCUDADeviceContext(&context.FindScope(call.source)))
      check(*call.typedCall, *details);
    return true;
  }

private:
  void check(const evaluate::ProcedureRef &call, const semantics::SubprogramDetails &procedure) {
    const auto &dummies = procedure.dummyArgs();
    const auto &arguments = call.arguments();
    for (size_t i = 0; i < std::min(dummies.size(), arguments.size()); ++i)
      if (dummies[i] && arguments[i] && wantsDeviceData(*dummies[i]))
        check(*arguments[i]);
  }

  void check(const evaluate::ActualArgument &argument) {
    if (!isInHostMemory(argument))
      return;
    const semantics::Symbol *variable = evaluate::GetFirstSymbol(*argument.UnwrapExpr());
    if (auto source = argument.sourceLocation(); variable && source)
      context.Say(*source, notInManagedMemory, variable->name());
  }

  semantics::SemanticsContext &context;
};

} // namespace

void cufort::frontend::checkMemoryMode(semantics::SemanticsContext &context, const parser::Program &program) {
  if (!context.IsEnabled(common::LanguageFeature::CudaManaged))
    return;
  ArgumentChecker checker{context};
  parser::Walk(program, checker);
}
