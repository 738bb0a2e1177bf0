#include "frontend/Checks/CheckInterfaces.h"
#include "flang/Evaluate/tools.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/tools.h"
#include "frontend/Checks/CallVisitor.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using cufort::frontend::CallVisitor;
using cufort::frontend::isDeviceOnly;
using cufort::frontend::isHiddenFromHost;

namespace {

/// The procedure that `symbol` is, or whose interface it has; null if that is not known, or if it is none of the host.
const semantics::SubprogramDetails *procedureOf(const semantics::Symbol &symbol) {
  const semantics::Symbol &ultimate = symbol.GetUltimate();
  if (const auto *entity = ultimate.detailsIf<semantics::ProcEntityDetails>())
    return entity->procInterface() ? procedureOf(*entity->procInterface()) : nullptr;
  const auto *procedure = ultimate.detailsIf<semantics::SubprogramDetails>();
  bool isOfHost = procedure && (!ultimate.scope() || !isDeviceOnly(*ultimate.scope()));
  return isOfHost ? procedure : nullptr;
}

/// A dummy argument and that of the interface in its place.
struct Difference {
  const semantics::Symbol *dummy, *expected;
};

/// The first dummy argument of `actual` that is in the memory of the device where it is not in `expected`, or the other
/// way round.
std::optional<Difference> differenceOf(const semantics::SubprogramDetails &actual,
                                       const semantics::SubprogramDetails &expected) {
  size_t count = std::min(actual.dummyArgs().size(), expected.dummyArgs().size());
  for (size_t i = 0; i < count; ++i) {
    const semantics::Symbol *dummy = actual.dummyArgs()[i], *other = expected.dummyArgs()[i];
    bool areObjects =
        dummy && other && dummy->has<semantics::ObjectEntityDetails>() && other->has<semantics::ObjectEntityDetails>();
    if (areObjects && isHiddenFromHost(*dummy) != isHiddenFromHost(*other))
      return Difference{dummy, other};
  }
  return std::nullopt;
}

const char *memoryOf(const semantics::Symbol &dummy) { return isHiddenFromHost(dummy) ? "device" : "host"; }

class InterfaceChecker final : public CallVisitor {
public:
  using CallVisitor::CallVisitor;
  using CallVisitor::Post;
  using CallVisitor::Pre;

  void Post(const parser::PointerAssignmentStmt &statement) {
    const evaluate::Assignment *assignment = semantics::GetAssignment(statement);
    const semantics::Symbol *pointer = assignment ? evaluate::GetLastSymbol(assignment->lhs) : nullptr;
    const auto *target = assignment ? std::get_if<evaluate::ProcedureDesignator>(&assignment->rhs.u) : nullptr;
    parser::CharBlock place = std::get<parser::Expr>(statement.t).source;
    if (pointer && target && target->GetSymbol() && isForThisSide(*target->GetSymbol(), place))
      check(*target->GetSymbol(), *pointer, place);
  }

  /// Launches, too.
  void Post(const parser::CallStmt &call) {
    CallVisitor::Post(call);
    const semantics::Symbol *kernel = call.typedCall && call.chevrons ? call.typedCall->proc().GetSymbol() : nullptr;
    if (kernel)
      visit(*kernel, call.typedCall->arguments());
  }

  void checkSeparateProcedures(const semantics::Scope &scope) {
    for (const semantics::Scope &child : scope.children())
      checkSeparateProcedures(child);
    const semantics::Symbol *symbol = scope.IsSubmodule() || !scope.symbol() ? nullptr : scope.symbol();
    const auto *procedure = symbol ? symbol->detailsIf<semantics::SubprogramDetails>() : nullptr;
    const semantics::Symbol *interface = procedure ? procedure->moduleInterface() : nullptr;
    const semantics::SubprogramDetails *expected = interface ? procedureOf(*interface) : nullptr;
    auto difference = expected ? differenceOf(*procedure, *expected) : std::nullopt;
    if (difference)
      context.Say(
          difference->dummy->name(),
          "The dummy argument '%s' is %s data here and %s data in the interface of '%s': give both the same attribute"_err_en_US,
          difference->dummy->name(), memoryOf(*difference->dummy), memoryOf(*difference->expected), symbol->name());
  }

private:
  void visit(const semantics::Symbol &callee, const evaluate::ActualArguments &arguments) override {
    const semantics::SubprogramDetails *procedure = procedureOf(callee);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto &argument = arguments[i];
      const semantics::SomeExpr *expr = argument ? argument->UnwrapExpr() : nullptr;
      const auto *actual = expr ? std::get_if<evaluate::ProcedureDesignator>(&expr->u) : nullptr;
      if (!actual || !actual->GetSymbol() || !argument->sourceLocation() ||
          !isForThisSide(*actual->GetSymbol(), *argument->sourceLocation()))
        continue;
      if (procedure && i < procedure->dummyArgs().size() && procedure->dummyArgs()[i])
        check(*actual->GetSymbol(), *procedure->dummyArgs()[i], *argument->sourceLocation());
    }
  }

  /// Reports a device procedure that host code gives to what would call it on the host, where there is none.
  bool isForThisSide(const semantics::Symbol &actual, parser::CharBlock place) {
    const auto *procedure = actual.GetUltimate().detailsIf<semantics::SubprogramDetails>();
    bool isForDevice = procedure && procedure->cudaSubprogramAttrs() == common::CUDASubprogramAttrs::Device;
    if (!isForDevice || isInKernelLoops() || isDeviceOnly(context.FindScope(source)))
      return true;
    // A procedure for both sides is in device code, too.
    context.Say(
        place,
        isInDeviceCode()
            ? "'%s' is a device procedure; a procedure for host and device can neither pass it to others nor point to it: give it attributes(host, device)"_err_en_US
            : "'%s' is a device procedure; host code can neither pass it to others nor point to it: give it attributes(host, device)"_err_en_US,
        actual.name());
    return false;
  }

  void check(const semantics::Symbol &actual, const semantics::Symbol &pointer, parser::CharBlock place) {
    const semantics::SubprogramDetails *procedure = procedureOf(actual), *expected = procedureOf(pointer);
    auto difference = procedure && expected ? differenceOf(*procedure, *expected) : std::nullopt;
    if (difference)
      context.Say(
          place,
          "The dummy argument '%s' of '%s' is %s data, and in the interface of '%s' it is %s data: give both the same attribute"_err_en_US,
          difference->dummy->name(), actual.name(), memoryOf(*difference->dummy), pointer.name(),
          memoryOf(*difference->expected));
  }
};

} // namespace

void cufort::frontend::checkInterfaces(semantics::SemanticsContext &context, const parser::Program &program) {
  InterfaceChecker checker{context};
  parser::Walk(program, checker);
  for (const semantics::Scope &scope : context.globalScope().children())
    if (!scope.symbol() || !scope.symbol()->test(semantics::Symbol::Flag::ModFile))
      checker.checkSeparateProcedures(scope);
}
