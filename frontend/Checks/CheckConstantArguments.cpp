// Constant data as an argument that the procedure may change. Flang takes it for other device data, unless the dummy
// argument has INTENT(OUT) or INTENT(INOUT) and the call is in device code.
//
// Of procedures for the device many leave INTENT(IN) away and only read; what those of this source do is known.

#include "frontend/Checks/CallVisitor.h"
#include "frontend/Checks/CudaChecks.h"
#include "frontend/Checks/CudaforModule.h"
#include "frontend/Checks/DeviceData.h"

using namespace Fortran;
using namespace Fortran::parser::literals;
using common::CUDADataAttr;
using cufort::frontend::CallVisitor, cufort::frontend::dataAttribute, cufort::frontend::forEachArgument;

namespace {

bool isReadOnly(const semantics::Symbol &dummy) {
  return dummy.attrs().HasAny({semantics::Attr::VALUE, semantics::Attr::INTENT_IN}) ||
         dataAttribute(dummy) == CUDADataAttr::Constant;
}

class ConstantArgumentChecker final : public CallVisitor {
public:
  using CallVisitor::CallVisitor;
  using CallVisitor::Post;
  using CallVisitor::Pre;

  void Post(const parser::AssignmentStmt &statement) {
    const semantics::SomeExpr *variable = semantics::GetExpr(context, std::get<parser::Variable>(statement.t));
    auto path = variable ? evaluate::GetSymbolVector(*variable) : evaluate::SymbolVector();
    // What a component points to is elsewhere.
    auto leadsElsewhere = [](const semantics::Symbol &part) { return semantics::IsAllocatableOrPointer(part); };
    if (!path.empty() && std::none_of(path.begin() + 1, path.end(), leadsElsewhere))
      changed.insert(path.front()->GetUltimate());
  }

  void report() {
    findChanged();
    for (const Passed &passed : all)
      if (passed.isConstant && (passed.onHost || changed.count(passed.dummy)))
        context.Say(
            passed.place,
            "'%s' is constant data, which the procedure %s by its dummy argument '%s': give that INTENT(IN) or the constant attribute, or pass a copy"_err_en_US,
            passed.variable.name(), changed.count(passed.dummy) ? "changes" : "may change", passed.dummy.name());
  }

private:
  /// A variable as the actual argument for `dummy`, which is not for reading only.
  struct Passed {
    const semantics::Symbol &variable;
    const semantics::Symbol &dummy;
    parser::CharBlock place;
    bool isConstant;
    bool onHost;
  };

  void visit(const semantics::Symbol &procedure, const evaluate::ActualArguments &arguments) override {
    const auto *details = procedure.detailsIf<semantics::SubprogramDetails>();
    bool onHost = !isInDeviceCode();
    if (!details || (onHost && (isOfLibrary(procedure) || details->isInterface())))
      return;
    forEachArgument(*details, arguments, [&](const auto &dummy, const auto &argument, const auto &expr) {
      const semantics::Symbol *variable = evaluate::IsVariable(expr) ? evaluate::GetFirstSymbol(expr) : nullptr;
      if (!variable || isReadOnly(dummy))
        return;
      if (dummy.attrs().HasAny({semantics::Attr::INTENT_OUT, semantics::Attr::INTENT_INOUT}))
        changed.insert(dummy);
      bool isConstant = dataAttribute(expr) == CUDADataAttr::Constant && (!onHost || dataAttribute(dummy));
      all.push_back({variable->GetUltimate(), dummy, argument.sourceLocation().value_or(source), isConstant, onHost});
    });
  }

  static bool isOfLibrary(const semantics::Symbol &procedure) {
    return cufort::frontend::isOfCudafor(procedure) || cufort::frontend::isOfDeviceLibrary(procedure);
  }

  /// What is passed to a procedure that changes it is changed.
  void findChanged() {
    for (size_t before = 0; before != changed.size();) {
      before = changed.size();
      for (const Passed &passed : all)
        if (changed.count(passed.dummy))
          changed.insert(passed.variable);
    }
  }

  semantics::UnorderedSymbolSet changed; ///< variables and dummy arguments
  std::vector<Passed> all;
};

} // namespace

void cufort::frontend::checkConstantArguments(semantics::SemanticsContext &context, const parser::Program &program) {
  ConstantArgumentChecker checker(context);
  parser::Walk(program, checker);
  checker.report();
}
